//===- Support/Text.h - Small text helpers --------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_TEXT_H
#define KEXPR_SUPPORT_TEXT_H

#include <sstream>
#include <string>

namespace kexpr {

/// The arguments written one after the other, as a stream writes them.
template <class... Args> std::string concat(const Args &...args) {
  std::ostringstream stream;
  (stream << ... << args);
  return stream.str();
}

} // namespace kexpr

#endif // KEXPR_SUPPORT_TEXT_H
