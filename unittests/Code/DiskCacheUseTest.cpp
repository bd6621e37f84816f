//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries in files: looked up, stored, spoilt, by threads and by processes that
// are killed.
//
//===----------------------------------------------------------------------===//
#include "Code/DiskCache.h"
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"

#include <atomic>
#include <random>
#include <thread>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

namespace {
struct Cache {
  explicit Cache(const std::string &path) : cache(*Directory::open(path)) {}
  DiskCache cache;

  void expect(std::uint64_t hits, std::uint64_t misses, std::uint64_t stored,
              std::uint64_t failed) const {
    const auto counts = cache.counts();
    EXPECT_EQ(counts.hits, hits);
    EXPECT_EQ(counts.misses, misses);
    EXPECT_EQ(counts.stored, stored);
    EXPECT_EQ(counts.failed, failed);
  }
};
} // namespace

static std::string keyOf(unsigned i) { return "key " + std::to_string(i); }

/// An image that can be told from those of other numbers.
static Image imageOf(unsigned i, std::size_t bytes = 3000) {
  Image image;
  image.bytes.assign(bytes + i, static_cast<char>(i));
  image.entry = i % 100;
  return image;
}

static bool isImageOf(const std::optional<Image> &image, unsigned i,
                      std::size_t bytes = 3000) {
  const Image wanted = imageOf(i, bytes);
  return image && image->bytes == wanted.bytes && image->entry == wanted.entry;
}

TEST(DiskCache, FindsWhatWasStored) {
  const TemporaryDirectory root;
  const Cache first(root.path());
  EXPECT_FALSE(first.cache.find(keyOf(1)));
  const auto bytes = first.cache.store(keyOf(1), imageOf(1), {});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, std::filesystem::file_size(
                        root.path(DiskCache::fileName(keyOf(1)))));
  EXPECT_TRUE(isImageOf(first.cache.find(keyOf(1)), 1));
  EXPECT_FALSE(first.cache.find(keyOf(2)));
  first.expect(1, 2, 1, 0);
  const Cache second(root.path());
  EXPECT_TRUE(isImageOf(second.cache.find(keyOf(1)), 1));
  second.expect(1, 0, 0, 0);
  EXPECT_EQ(namesIn(root.path()).size(), 1u);
}

TEST(DiskCache, SpoiltFilesAreReplaced) {
  const TemporaryDirectory root;
  const Cache disk(root.path());
  const std::string path = root.path(DiskCache::fileName(keyOf(1)));
  ASSERT_TRUE(disk.cache.store(keyOf(1), imageOf(1), {}));
  const std::string good = readFile(path);
  std::string flipped = good;
  flipped[good.size() / 2] ^= 1;
  std::uint64_t times = 0;
  for (const std::string &bad :
       {flipped, good.substr(0, good.size() / 2), std::string(), good + good,
        std::string(5000, '\0'),
        // One of another key, under the name of this.
        DiskCache::encode(keyOf(2), imageOf(2), {})}) {
    writeFile(path, bad);
    EXPECT_FALSE(disk.cache.find(keyOf(1)));
    ASSERT_TRUE(disk.cache.store(keyOf(1), imageOf(1), {}));
    EXPECT_EQ(readFile(path), good);
    EXPECT_TRUE(isImageOf(disk.cache.find(keyOf(1)), 1));
    ++times;
    disk.expect(times, times, times + 1, 0);
  }
}

TEST(DiskCache, HugeImagesAreNotKept) {
  const TemporaryDirectory root;
  const Cache disk(root.path());
  const auto huge =
      disk.cache.store(keyOf(1), imageOf(1, std::size_t{64} << 20), {});
  EXPECT_EQ(huge.error().code(), ErrorCode::LimitExceeded);
  EXPECT_TRUE(namesIn(root.path()).empty());
  // Nor read, whatever they may hold.
  const std::string path = root.path(DiskCache::fileName(keyOf(2)));
  writeFile(path, "x");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_FALSE(disk.cache.find(keyOf(2)));
  disk.expect(0, 1, 0, 1);
}

TEST(DiskCache, AFailingDiskIsCounted) {
  const TemporaryDirectory root;
  const Cache disk(root.path("cache"));
  ASSERT_TRUE(disk.cache.store(keyOf(1), imageOf(1), {}));
  std::filesystem::remove_all(root.path("cache"));
  EXPECT_FALSE(disk.cache.find(keyOf(1)));
  EXPECT_EQ(disk.cache.store(keyOf(1), imageOf(1), {}).error().code(),
            ErrorCode::Io);
  disk.expect(0, 1, 1, 1);
}

TEST(DiskCache, ManyThreadsShareOne) {
  const TemporaryDirectory root;
  const Cache disk(root.path());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 100; ++i) {
        const unsigned which = random() % 10;
        if (random() % 2)
          wrong += !disk.cache.store(keyOf(which), imageOf(which), {});
        else if (const auto image = disk.cache.find(keyOf(which)))
          wrong += !isImageOf(image, which);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  const auto counts = disk.cache.counts();
  EXPECT_EQ(counts.hits + counts.misses + counts.stored, 800u);
  EXPECT_EQ(counts.failed, 0u);
  EXPECT_EQ(namesIn(root.path()).size(), 10u);
}

static constexpr std::size_t LargeBytes = 200000;

/// Stores as much as it can until it is killed.
[[noreturn]] static void storeForever(const DiskCache &cache, unsigned seed) {
  std::mt19937 random(seed);
  for (;;) {
    const unsigned which = 10 + random() % 10;
    (void)cache.store(keyOf(which), imageOf(which, LargeBytes), {});
  }
}

TEST(DiskCache, AWriterMayBeKilledAtAnyMoment) {
  const TemporaryDirectory root;
  const Cache disk(root.path());
  for (unsigned i = 0; i < 10; ++i)
    ASSERT_TRUE(disk.cache.store(keyOf(i), imageOf(i), {}));
  std::mt19937 random(17);
  std::size_t whole = 0;
  for (unsigned round = 0; round < 200; ++round) {
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0)
      storeForever(disk.cache, round);
    usleep(random() % 4000);
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    for (unsigned i = 10; i < 20; ++i)
      if (const auto image = disk.cache.find(keyOf(i))) {
        ASSERT_TRUE(isImageOf(image, i, LargeBytes));
        ++whole;
      }
  }
  EXPECT_GT(whole, 0u) << "nothing was ever stored";
  for (unsigned i = 0; i < 10; ++i)
    EXPECT_TRUE(isImageOf(disk.cache.find(keyOf(i)), i));
  // What was left half-written is named so that it is pruned as entries are.
  const auto names = namesIn(root.path());
  EXPECT_EQ(names, namesIn(root.path(), "llvmcache-"));
  RecordProperty("left", static_cast<int>(names.size()) - 20);
}
