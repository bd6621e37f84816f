//===- Support/FromChars.h - from_chars of doubles ------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_FROMCHARS_H
#define KEXPR_SUPPORT_FROMCHARS_H

#include <charconv>

#ifndef __cpp_lib_to_chars
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <locale.h>
#include <stdlib.h>
#include <string>
#endif

namespace kexpr {

/// `std::from_chars` of a double, which libc++ 19 lacks.
inline std::from_chars_result fromChars(const char *begin, const char *end,
                                        double &value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, value);
#else
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  // Blanks, a plus and hexadecimal digits are strtod's alone.
  std::string text(begin, end);
  const std::size_t first = text.find_first_not_of('-');
  if (first > 1 || text.find_first_of(" \t\n\v\f\r+") == first)
    return {begin, std::errc::invalid_argument};
  text.resize(std::min(text.size(), text.find_first_of("xX")));
  errno = 0;
  char *stop = nullptr;
  const double read = strtod_l(text.c_str(), &stop, plain);
  const char *last = begin + (stop - text.c_str());
  if (last == begin)
    return {begin, std::errc::invalid_argument};
  if (errno == ERANGE && (read == 0 || std::isinf(read)))
    return {last, std::errc::result_out_of_range};
  value = read;
  return {last, std::errc()};
#endif
}

} // namespace kexpr

#endif // KEXPR_SUPPORT_FROMCHARS_H
