//===- Dump/Show.h - What a command line asks to see --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_SHOW_H
#define KEXPR_TOOLS_DUMP_SHOW_H

#include "Common/Files.h"
#include "Dump/Options.h"

namespace kexpr::tools {

/// One stage, or what `--print-after` asks for. Of `all`, the stages that are
/// text, each under its name.
Expected<std::string> show(const Options &options);

/// A file for every stage.
Expected<std::vector<File>> showAll(const Options &options);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_SHOW_H
