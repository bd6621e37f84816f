//===- Support/Text.h - Small text helpers --------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_TEXT_H
#define KEXPR_SUPPORT_TEXT_H

#include <iomanip>
#include <sstream>
#include <string>

namespace kexpr {

/// The arguments written one after the other, as a stream writes them.
template <class... Args> std::string concat(const Args &...args) {
  std::ostringstream stream;
  (stream << ... << args);
  return stream.str();
}

/// `value` with that many digits after the point.
inline std::string number(double value, int digits) {
  return concat(std::fixed, std::setprecision(digits), value);
}

} // namespace kexpr

#endif // KEXPR_SUPPORT_TEXT_H
