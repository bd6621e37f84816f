//===- Code/DebugObject.h - Symbols as a file that debuggers read ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_DEBUGOBJECT_H
#define KEXPR_CODE_DEBUGOBJECT_H

#include "Code/Image.h"

namespace kexpr::code {

/// An ELF file of this machine that describes a function in memory: its name,
/// the lines that it comes from and how to unwind it, in DWARF 4. It holds no
/// code. `address` is that of the function, `entry` its place in the image.
std::vector<char> debugObject(const Symbols &symbols, std::uint64_t address,
                              std::size_t entry);

} // namespace kexpr::code

#endif // KEXPR_CODE_DEBUGOBJECT_H
