//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is, and what is not, taken for an entry.
//
//===----------------------------------------------------------------------===//
#include "Code/DiskCache.h"
#include "Code/NamedImages.h"
#include "Support/Hash.h"

#include <cstring>
#include <random>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

static const std::string Key("a key\nwith \0 in it", 18);

/// Where things lie in an entry: part of what a file of this version is.
static constexpr std::size_t ChecksumAt = 8, ChecksumEnd = 24, SizesAt = 24,
                             AlignmentAt = 104, EntryAt = 112,
                             HeaderBytes = 136;

static Image sample() {
  Image image;
  for (int i = 0; i < 150; ++i)
    image.bytes.push_back(static_cast<char>(i * 37));
  image.alignment = 64;
  image.entry = 7;
  return image;
}

static void expectSample(const std::optional<Image> &image) {
  ASSERT_TRUE(image);
  EXPECT_EQ(image->bytes, sample().bytes);
  EXPECT_EQ(image->alignment, 64u);
  EXPECT_EQ(image->entry, 7u);
}

static std::string sampleEntry() {
  return DiskCache::encode(Key, sample(), {.path = "/no/such/file"});
}

/// The entry with a checksum that is right for it.
static std::string sealed(std::string entry) {
  const Digest digest = Digest::of(std::string_view(entry).substr(ChecksumEnd));
  std::memcpy(entry.data() + ChecksumAt, &digest, sizeof digest);
  return entry;
}

static void putWord(std::string &entry, std::size_t place, std::uint64_t word) {
  std::memcpy(entry.data() + place, &word, sizeof word);
}

TEST(DiskCache, EntriesAreReadBack) {
  const std::string entry = sampleEntry();
  EXPECT_EQ(entry.size(), HeaderBytes + Key.size() + 13 + 150);
  expectSample(DiskCache::decode(Key, entry));
  EXPECT_EQ(sealed(entry), entry);
}

TEST(DiskCache, EveryFlippedBitIsAMiss) {
  std::string entry = sampleEntry();
  for (std::size_t i = 0; i < entry.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      entry[i] = static_cast<char>(entry[i] ^ 1 << bit);
      EXPECT_FALSE(DiskCache::decode(Key, entry)) << i << ' ' << bit;
      entry[i] = static_cast<char>(entry[i] ^ 1 << bit);
    }
  expectSample(DiskCache::decode(Key, entry));
}

TEST(DiskCache, EveryOtherLengthIsAMiss) {
  const std::string entry = sampleEntry();
  for (std::size_t size = 0; size < entry.size(); ++size) {
    EXPECT_FALSE(DiskCache::decode(Key, entry.substr(0, size))) << size;
    // Nor if whoever cut it had the checksum agree.
    if (size >= ChecksumEnd) {
      EXPECT_FALSE(DiskCache::decode(Key, sealed(entry.substr(0, size))));
    }
  }
  for (std::size_t more = 1; more < 70; ++more) {
    EXPECT_FALSE(DiskCache::decode(Key, entry + std::string(more, '\0')));
    EXPECT_FALSE(
        DiskCache::decode(Key, sealed(entry + std::string(more, 'x'))));
  }
  EXPECT_FALSE(DiskCache::decode(Key, entry + entry));
}

TEST(DiskCache, AnotherKeyIsAMiss) {
  const std::string entry = sampleEntry();
  for (std::string_view other :
       {std::string_view(Key).substr(1), std::string_view(Key).substr(0, 17),
        std::string_view(), std::string_view("another")})
    EXPECT_FALSE(DiskCache::decode(other, entry));
  EXPECT_FALSE(DiskCache::decode(Key + "/", entry));
}

TEST(DiskCache, SizesThatDoNotAddUpAreAMiss) {
  const std::string entry = sampleEntry();
  const std::uint64_t half = std::uint64_t{1} << 63, all = ~std::uint64_t{0},
                      real[] = {Key.size(), 13, 150, 0};
  for (std::size_t field = 0; field < 4; ++field)
    for (std::uint64_t size :
         {std::uint64_t{2}, real[field] - 1, real[field] + 1, all,
          all - (HeaderBytes - 1), half}) {
      std::string other = entry;
      putWord(other, SizesAt + 8 * field, size);
      EXPECT_FALSE(DiskCache::decode(Key, sealed(other))) << field;
      if (size <= entry.size())
        continue;
      // Two that add up again, past 2^64.
      const std::size_t next = (field + 1) % 4;
      putWord(other, SizesAt + 8 * next, real[next] + real[field] - size);
      EXPECT_FALSE(DiskCache::decode(Key, sealed(other))) << field;
    }
}

TEST(DiskCache, AnEntryPointOutsideIsAMiss) {
  for (std::uint64_t place : {std::uint64_t{150}, ~std::uint64_t{0}}) {
    std::string entry = sampleEntry();
    putWord(entry, EntryAt, place);
    EXPECT_FALSE(DiskCache::decode(Key, sealed(entry)));
  }
  EXPECT_FALSE(DiskCache::decode(Key, DiskCache::encode(Key, Image(), {})));
}

TEST(DiskCache, AnImpossibleAlignmentIsAMiss) {
  for (const std::uint64_t alignment : {0ull, 3ull, 8192ull, ~0ull}) {
    std::string entry = sampleEntry();
    putWord(entry, AlignmentAt, alignment);
    EXPECT_FALSE(DiskCache::decode(Key, sealed(entry))) << alignment;
  }
}

TEST(DiskCache, NoiseIsAMiss) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    std::string entry = sampleEntry();
    // Behind a magic number and a checksum that are right.
    for (std::size_t at = ChecksumEnd; at < HeaderBytes; at += 8)
      if (random() % 3 == 0)
        putWord(entry, at, random() >> random() % 64);
    if (entry == sampleEntry())
      continue;
    entry = sealed(entry);
    const auto image = DiskCache::decode(Key, entry);
    // Alignment and the maker, which is not there, may be anything, and parts
    // may be divided otherwise.
    if (image) {
      EXPECT_LE(image->bytes.size(), entry.size() - HeaderBytes - Key.size());
      EXPECT_LT(image->entry, image->bytes.size());
    }
  }
}

TEST(DiskCache, ACodeGeneratorThatChangedMakesEntriesStale) {
  const TemporaryDirectory root;
  const std::string path = root.path("maker");
  writeFile(path, "version 1");
  const FileStamp maker = FileStamp::of(path);
  const std::string entry = DiskCache::encode(Key, sample(), maker);
  expectSample(DiskCache::decode(Key, entry));

  const timespec later[] = {{0, UTIME_OMIT}, {4000, 1}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), later, 0), 0);
  EXPECT_FALSE(DiskCache::decode(Key, entry)) << "other time";

  writeFile(path, "version 12");
  const timespec same[] = {{0, UTIME_OMIT},
                           {maker.modified / 1000000000,
                            static_cast<long>(maker.modified % 1000000000)}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), same, 0), 0);
  EXPECT_FALSE(DiskCache::decode(Key, entry)) << "other size";

  writeFile(path, "version 1");
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), same, 0), 0);
  expectSample(DiskCache::decode(Key, entry));
  // A machine without the code generator can still use what it made.
  std::filesystem::remove(path);
  expectSample(DiskCache::decode(Key, entry));
}

TEST(DiskCache, SymbolsAreKept) {
  const Image image = namedImage("name");
  const std::string entry = DiskCache::encode(Key, image, {});
  const auto read = DiskCache::decode(Key, entry);
  ASSERT_TRUE(read && read->symbols);
  EXPECT_EQ(read->bytes, image.bytes);
  EXPECT_EQ(read->entry, image.entry);
  const Symbols &symbols = *image.symbols, &other = *read->symbols;
  EXPECT_EQ(other.name, symbols.name);
  EXPECT_EQ(other.size, symbols.size);
  EXPECT_EQ(other.path, symbols.path);
  EXPECT_EQ(other.object, symbols.object);
  ASSERT_EQ(other.lines.size(), symbols.lines.size());
  for (std::size_t i = 0; i < symbols.lines.size(); ++i) {
    EXPECT_EQ(other.lines[i].offset, symbols.lines[i].offset);
    EXPECT_EQ(other.lines[i].location, symbols.lines[i].location);
  }
  for (std::size_t size = ChecksumEnd; size < entry.size(); ++size)
    EXPECT_FALSE(DiskCache::decode(Key, sealed(entry.substr(0, size)))) << size;
  EXPECT_FALSE(DiskCache::decode(Key, sampleEntry())->symbols);
}
