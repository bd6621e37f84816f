//===- TestUtil/Vandal.h - Damage to files ----------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_VANDAL_H
#define KEXPR_TESTUTIL_VANDAL_H

#include <algorithm>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <utility>

namespace kexpr::test {

/// Damages texts, as the numbers that it draws say.
class Vandal {
public:
  using Source = std::function<unsigned()>;
  explicit Vandal(Source source) : random(std::move(source)) {}
  /// The same seed does the same damage.
  explicit Vandal(unsigned seed) : random(std::mt19937(seed)) {}

  std::size_t below(std::size_t bound) { return bound ? random() % bound : 0; }
  /// One damage that any file can suffer.
  void damageBytes(std::string &bytes);
  /// One that takes the parts of a text for what they are.
  void damageText(std::string &text);

private:
  /// A part of the text that ends with one of `ends`, and begins after one.
  std::pair<std::size_t, std::size_t> piece(const std::string &text,
                                            const char *ends);
  void damagePiece(std::string &text, const char *ends);
  void replaceNumber(std::string &text);

  Source random;
};
inline void Vandal::damageBytes(std::string &bytes) {
  if (bytes.empty())
    return;
  const std::size_t at = below(bytes.size());
  switch (below(5)) {
  case 0:
    bytes.resize(at);
    break;
  case 1:
    bytes[at] = static_cast<char>(random());
    break;
  case 2:
    bytes.erase(at, 1 + below(8));
    break;
  case 3: {
    const std::size_t from = below(bytes.size()), size = 1 + below(40);
    bytes.insert(at, bytes.substr(from, size));
    break;
  }
  default:
    bytes[at] ^= static_cast<char>(1 << below(8));
  }
}

inline std::pair<std::size_t, std::size_t>
Vandal::piece(const std::string &text, const char *ends) {
  const std::size_t at = below(text.size());
  const std::size_t before = at ? text.find_last_of(ends, at - 1) : text.npos;
  const std::size_t begin = before == text.npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find_first_of(ends, at), text.size());
  return {begin, std::min(end + 1, text.size()) - begin};
}

inline void Vandal::damagePiece(std::string &text, const char *ends) {
  const auto [begin, size] = piece(text, ends);
  const std::string taken = text.substr(begin, size);
  const auto [other, otherSize] = piece(text, ends);
  switch (below(3)) {
  case 0:
    text.erase(begin, size);
    break;
  case 1:
    text.insert(other, taken);
    break;
  default:
    text.replace(other, otherSize, taken);
  }
}

inline void Vandal::replaceNumber(std::string &text) {
  static const char *const numbers[] = {"0",
                                        "1",
                                        "3",
                                        "-1",
                                        "4294967295",
                                        "4294967296",
                                        "9223372036854775807",
                                        "99999999999999999999999999",
                                        "?",
                                        "%s",
                                        "1e9",
                                        ""};
  const std::size_t at = text.find_first_of("0123456789", below(text.size()));
  if (at == text.npos)
    return;
  const std::size_t end = text.find_first_not_of("0123456789", at);
  text.replace(at, end - at, numbers[below(std::size(numbers))]);
}

inline void Vandal::damageText(std::string &text) {
  switch (below(4)) {
  case 0:
    return damageBytes(text);
  case 1:
    return damagePiece(text, "\n");
  case 2:
    return damagePiece(text, " \n");
  default:
    return replaceNumber(text);
  }
}

} // namespace kexpr::test

#endif // KEXPR_TESTUTIL_VANDAL_H
