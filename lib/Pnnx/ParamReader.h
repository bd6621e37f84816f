//===- Pnnx/ParamReader.h - The text of a .param file ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_PNNX_PARAMREADER_H
#define KEXPR_PNNX_PARAMREADER_H

#include "Pnnx/Network.h"

namespace kexpr::pnnx {

/// Reads and checks a `.param` file; `name` stands for it in messages. Errors
/// are InvalidSyntax with their line.
Expected<Network> readParam(std::string_view text, std::string_view name);

} // namespace kexpr::pnnx

#endif // KEXPR_PNNX_PARAMREADER_H
