//===- KuiperInfer/Blanks.h - Text as the framework reads it ----*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_KUIPERINFER_BLANKS_H
#define KEXPR_KUIPERINFER_BLANKS_H

#include <algorithm>
#include <cctype>
#include <string>

namespace kexpr::kuiper {

/// The framework ignores blanks wherever they stand, even inside a name, and
/// counts places without them.
inline std::string withoutBlanks(std::string text) {
  const auto isBlank = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(std::remove_if(text.begin(), text.end(), isBlank), text.end());
  return text;
}

} // namespace kexpr::kuiper

#endif // KEXPR_KUIPERINFER_BLANKS_H
