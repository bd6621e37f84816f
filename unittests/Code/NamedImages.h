//===- Code/NamedImages.h - Images with symbols ---------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_CODE_NAMEDIMAGES_H
#define KEXPR_UNITTESTS_CODE_NAMEDIMAGES_H

#include "Code/HandMade.h"
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"

namespace kexpr::test {

/// A function that returns `value`, behind 10 other bytes, of two lines of a
/// listing.
inline code::Image namedImage(const std::string &name, std::int32_t value = 7) {
  code::Image image = returning(value, ReturningBytes + 10);
  code::Symbols symbols;
  symbols.name = name;
  symbols.size = ReturningBytes;
  symbols.listing = "one\ntwo\n";
  symbols.path = "/where/" + name + ".kexpr";
  symbols.lines = {{10, {1, 3}}, {15, {2, 5}}};
  image.symbols = std::make_shared<const code::Symbols>(std::move(symbols));
  return image;
}

inline code::Listeners onlyListener(std::shared_ptr<code::Listener> listener) {
  code::Listeners listeners;
  listeners.add(std::move(listener));
  return listeners;
}

inline std::shared_ptr<const code::LoadedCode>
load(const code::Image &image, const code::Listeners &listeners) {
  auto loaded = code::CodeMemory::ofProcess()->load(image, &listeners);
  EXPECT_TRUE(loaded);
  return loaded ? *loaded : nullptr;
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_CODE_NAMEDIMAGES_H
