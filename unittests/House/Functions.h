//===- House/Functions.h - The functions of a C++ file ----------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOUSE_FUNCTIONS_H
#define KEXPR_UNITTESTS_HOUSE_FUNCTIONS_H

#include <string>
#include <string_view>
#include <vector>

namespace kexpr::house {

/// A function with a body, from the first line of its head to the last line of
/// its body.
struct Function {
  std::string head;
  std::size_t firstLine = 0; ///< Counted from 1.
  std::size_t lastLine = 0;
  std::size_t length() const { return lastLine - firstLine + 1; }
};

/// The functions of a C++ text, found by its braces: good enough for code that
/// clang-format has laid out. Lambdas count as part of what they are in.
std::vector<Function> functionsOf(std::string_view text);

} // namespace kexpr::house

#endif // KEXPR_UNITTESTS_HOUSE_FUNCTIONS_H
