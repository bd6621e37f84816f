//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/SymbolBytes.h"
#include "Code/DiskCache.h"
#include "Code/NamedImages.h"

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

static Symbols everything() {
  Symbols symbols = *namedImage("name").symbols;
  symbols.frames = {'o', '\0', 'j'};
  return symbols;
}

static void expectEqual(const Symbols &a, const Symbols &b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.listing, b.listing);
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.frames, b.frames);
  ASSERT_EQ(a.lines.size(), b.lines.size());
  for (std::size_t i = 0; i < a.lines.size(); ++i) {
    EXPECT_EQ(a.lines[i].offset, b.lines[i].offset);
    EXPECT_EQ(a.lines[i].location, b.lines[i].location);
  }
}

TEST(SymbolBytes, AreReadAsTheyWereWritten) {
  for (const Symbols &symbols : {everything(), Symbols()}) {
    const auto read = symbolsOf(bytesOf(symbols));
    ASSERT_TRUE(read);
    expectEqual(*read, symbols);
  }
}

TEST(SymbolBytes, ThatAreSpoiltAreNoneOrOthers) {
  const std::string whole = bytesOf(everything());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(symbolsOf(whole.substr(0, size))) << size;
  EXPECT_FALSE(symbolsOf(whole + 'x'));
  // The sizes that come first: wrong ones do not add up, whatever they are.
  constexpr std::size_t sizes = 48, own = 8;
  for (std::size_t location = own; location < sizes; ++location)
    for (int byte = 0; byte < 256; ++byte) {
      std::string spoilt = whole;
      spoilt[location] = static_cast<char>(byte);
      EXPECT_EQ(symbolsOf(spoilt).has_value(), spoilt == whole);
    }
}

TEST(SymbolBytes, AreKeptInTheCacheOnDisk) {
  Image image = namedImage("name");
  image.symbols = std::make_shared<const Symbols>(everything());
  const std::string entry = DiskCache::encode("key", image, {});
  const auto read = DiskCache::decode("key", entry);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->bytes, image.bytes);
  EXPECT_EQ(read->entry, image.entry);
  ASSERT_TRUE(read->symbols);
  expectEqual(*read->symbols, everything());
  for (std::size_t size = 0; size < entry.size(); ++size)
    EXPECT_FALSE(DiskCache::decode("key", entry.substr(0, size))) << size;
  EXPECT_FALSE(
      DiskCache::decode("key", DiskCache::encode("key", returning(1), {}))
          ->symbols);
}
