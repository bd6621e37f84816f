//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Entries.h"

#include "Code/DiskCache.h"
#include "Fuzz/ScratchFolder.h"
#include "Support/Hash.h"
#include "TestUtil/Vandal.h"
#include "kexpr/Engine.h"

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::fuzz;

static std::string someBytes(Choices &choices, std::uint32_t most) {
  std::string bytes(choices.below(most), '\0');
  for (char &byte : bytes)
    byte = static_cast<char>(choices.byte());
  return bytes;
}

static Symbols makeSymbols(Choices &choices) {
  Symbols symbols{.name = someBytes(choices, 20),
                  .size = choices.below(100),
                  .path = someBytes(choices, 20),
                  .lines = {},
                  .object = {}};
  symbols.lines.resize(choices.below(4));
  for (CodeLocation &line : symbols.lines)
    line.offset = choices.below(100);
  const std::string object = someBytes(choices, 20);
  symbols.object.assign(object.begin(), object.end());
  return symbols;
}

static Image makeImage(Choices &choices) {
  const std::string bytes = "x" + someBytes(choices, 60);
  Image image{.bytes = {bytes.begin(), bytes.end()},
              .alignment = std::size_t{1} << choices.below(8),
              .entry = choices.below(static_cast<std::uint32_t>(bytes.size())),
              .symbols = nullptr};
  if (choices.below(2))
    image.symbols = std::make_shared<const Symbols>(makeSymbols(choices));
  return image;
}

static void damage(std::string &bytes, Choices &choices) {
  test::Vandal vandal([&choices] { return choices.word(); });
  for (std::uint32_t i = 1 + choices.below(3); i > 0; --i)
    vandal.damageBytes(bytes);
}

/// The checksum is behind the magic number, of all that is behind itself.
static void repairChecksum(std::string &entry) {
  constexpr std::size_t begin = 8, end = begin + sizeof(Digest);
  if (entry.size() < end)
    return;
  const Digest digest = Digest::of(std::string_view(entry).substr(end));
  std::memcpy(entry.data() + begin, &digest, sizeof digest);
}

/// What is wrong with an image that was read from `entry`.
static std::string problemOf(std::string_view key, const Image &image,
                             const std::string &entry) {
  if (image.entry >= image.bytes.size() || image.bytes.size() > entry.size())
    return "an image that starts outside itself";
  if (!std::has_single_bit(image.alignment) || image.alignment > 4096)
    return "an image with an impossible alignment";
  const std::string again = DiskCache::encode(key, image, {});
  const auto same = DiskCache::decode(key, again);
  return same && DiskCache::encode(key, *same, {}) == again
             ? ""
             : "an image that is another when read again";
}

Verdict fuzz::checkEntry(Choices &choices) {
  const std::string key = someBytes(choices, 20);
  const std::string whole =
      DiskCache::encode(key, makeImage(choices), {.path = "/nowhere"});
  const auto image = DiskCache::decode(key, whole);
  if (!image || !problemOf(key, *image, whole).empty())
    return {false, "an entry that is not what it was"};
  std::string entry = whole;
  damage(entry, choices);
  if (entry != whole && DiskCache::decode(key, entry))
    return {false, "a damaged entry that was taken"};
  repairChecksum(entry);
  const auto other = DiskCache::decode(key, entry);
  return {other.has_value(), other ? problemOf(key, *other, entry) : ""};
}

namespace {
/// A directory with the entry of one kernel, gone with the process.
struct CacheDirectory {
  CacheDirectory();
  std::vector<float> compute(std::uint64_t &hits) const;

  ScratchFolder folder;
  std::string file, whole;
  std::vector<float> expected;
};
} // namespace

std::vector<float> CacheDirectory::compute(std::uint64_t &hits) const {
  EngineOptions options;
  options.cacheDirectory = folder.path();
  const Engine engine(options);
  std::vector<float> in(19), out(19);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = 0.5f * static_cast<float>(i) - 3;
  const auto kernel =
      engine.compile("sub(mul(@0,@0),0.25)", {.mode = Mode::Baseline});
  const Shape shape{static_cast<std::int64_t>(in.size())};
  if (!kernel ||
      !kernel->run(TensorView(in.data(), shape), TensorView(out.data(), shape)))
    return {};
  hits = engine.stats().diskHits;
  return out;
}

CacheDirectory::CacheDirectory() {
  std::uint64_t hits = 0;
  expected = compute(hits);
  for (const auto &entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().filename().string().starts_with("llvmcache-"))
      file = entry.path();
  std::ifstream stream(file, std::ios::binary);
  whole.assign(std::istreambuf_iterator<char>(stream), {});
}

Verdict fuzz::checkSpoiltEntry(Choices &choices) {
  static const CacheDirectory directory;
  if (directory.whole.empty())
    return {false, "no entry was written"};
  std::string entry = directory.whole;
  if (choices.below(8))
    damage(entry, choices);
  std::filesystem::remove(directory.file);
  std::ofstream(directory.file, std::ios::binary) << entry;
  std::filesystem::permissions(directory.file,
                               std::filesystem::perms::owner_read |
                                   std::filesystem::perms::owner_write);
  std::uint64_t hits = 0;
  if (directory.compute(hits) != directory.expected)
    return {false, "another result with a damaged entry"};
  if ((hits > 0) != (entry == directory.whole))
    return {false, "a damaged entry that was taken"};
  return {hits > 0, {}};
}
