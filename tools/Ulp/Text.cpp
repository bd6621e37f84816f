//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace kexpr;

template <class... Args>
static std::string format(const char *pattern, Args... args) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, pattern, args...);
  return buffer;
}

std::string tools::hexText(double x) {
  return std::isnan(x) ? "nan" : format("%a", x);
}

std::string tools::hexText(std::span<const double> numbers) {
  std::string text;
  for (double x : numbers)
    text += (text.empty() ? "" : ", ") + hexText(x);
  return text.empty() ? "-" : text;
}

std::string tools::ulpText(double error) {
  return error < 1e4 ? format("%.4f", std::ceil(error * 1e4) / 1e4)
                     : format("%.4g", error);
}

std::string tools::shareText(std::uint64_t part, std::uint64_t whole) {
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  return whole == 0 || part == 0 ? "0 %" : format("%.3g %%", share * 100);
}

std::optional<double> tools::parseNumber(std::string_view text) {
  const std::string copy(text);
  char *end = nullptr;
  // strtod passes over blanks; a number does not start with one.
  if (copy.empty() || std::isspace(static_cast<unsigned char>(copy.front())))
    return std::nullopt;
  const double x = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size())
    return std::nullopt;
  return x;
}

std::optional<std::uint64_t> tools::parseWhole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}
