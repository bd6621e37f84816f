//===- Code/Dwarf.h - The tables of one function --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sections of DWARF 4 (dwarfstd.org) for a function that lies at `address`.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_DWARF_H
#define KEXPR_CODE_DWARF_H

#include "Code/Image.h"

namespace kexpr::code::dwarf {

/// `.debug_abbrev`: what entries of `.debug_info` are made of.
std::string abbreviations();
/// `.debug_info`: a unit with the function.
std::string information(const Symbols &symbols, std::uint64_t address);
/// `.debug_line`: which lines the bytes of the function come from.
std::string lines(const Symbols &symbols, std::uint64_t address,
                  std::size_t entry);
/// `.debug_frame`, from that of the function at 0; empty if that is no table of
/// one function.
std::string frames(const Symbols &symbols, std::uint64_t address);

} // namespace kexpr::code::dwarf

#endif // KEXPR_CODE_DWARF_H
