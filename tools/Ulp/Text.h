//===- Ulp/Text.h - Numbers as text, and back ---------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_TEXT_H
#define KEXPR_TOOLS_ULP_TEXT_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kexpr::tools {

/// "0x1.8p+1", from which the same number can be read.
std::string hexText(double x);
/// The same of several, with a comma and a blank between them; "-" for none.
std::string hexText(std::span<const double> numbers);
/// An error in ulp, rounded up to four digits after the point, so that none
/// seems smaller than it is.
std::string ulpText(double error);
/// `part` of `whole` in percent, three digits: "0.0123 %".
std::string shareText(std::uint64_t part, std::uint64_t whole);

/// A number as C writes it, decimal or hexadecimal, and nothing else.
std::optional<double> parseNumber(std::string_view text);
/// A whole number without sign.
std::optional<std::uint64_t> parseWhole(std::string_view text);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_TEXT_H
