//===- FileTests/CheckLines.h - FileCheck as a function ---------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FILETESTS_CHECKLINES_H
#define KEXPR_UNITTESTS_FILETESTS_CHECKLINES_H

#include <string>

namespace kexpr::filetests {

/// Holds `input` against the CHECK lines in `checks`, as LLVM's FileCheck does.
/// What does not match, in FileCheck's words; empty if all does.
std::string checkLines(const std::string &input, const std::string &checks);

} // namespace kexpr::filetests

#endif // KEXPR_UNITTESTS_FILETESTS_CHECKLINES_H
