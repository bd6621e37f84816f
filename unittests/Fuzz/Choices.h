//===- Fuzz/Choices.h - Bytes as a source of decisions ----------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_CHOICES_H
#define KEXPR_UNITTESTS_FUZZ_CHOICES_H

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace kexpr::fuzz {

/// Decisions taken from bytes, so that whoever makes the bytes, a random
/// generator or libFuzzer, steers what is generated. Past the end every byte
/// is 0.
class Choices {
public:
  explicit Choices(std::span<const std::uint8_t> bytes) : rest(bytes) {}
  explicit Choices(std::string_view bytes)
      : rest(reinterpret_cast<const std::uint8_t *>(bytes.data()),
             bytes.size()) {}

  std::uint8_t byte() {
    if (rest.empty())
      return 0;
    const std::uint8_t first = rest.front();
    rest = rest.subspan(1);
    return first;
  }
  std::uint32_t word() {
    std::uint32_t result = 0;
    for (int i = 0; i < 4; ++i)
      result = result << 8 | byte();
    return result;
  }
  /// A number in [0, bound); 0 where the bytes have run out.
  std::uint32_t below(std::uint32_t bound) {
    return (bound <= 256 ? byte() : std::uint32_t{byte()} << 8 | byte()) %
           bound;
  }
  template <class C> const auto &oneOf(const C &container) {
    return container[below(static_cast<std::uint32_t>(std::size(container)))];
  }
  bool exhausted() const { return rest.empty(); }

private:
  std::span<const std::uint8_t> rest;
};

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_CHOICES_H
