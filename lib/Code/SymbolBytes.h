//===- Code/SymbolBytes.h - Symbols as bytes ------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_SYMBOLBYTES_H
#define KEXPR_CODE_SYMBOLBYTES_H

#include "Code/Image.h"

#include <optional>
#include <string_view>

namespace kexpr::code {

/// Symbols for a file, in the byte order of the machine.
std::string bytesOf(const Symbols &symbols);
/// The way back; none for bytes that are no symbols.
std::optional<Symbols> symbolsOf(std::string_view bytes);

} // namespace kexpr::code

#endif // KEXPR_CODE_SYMBOLBYTES_H
