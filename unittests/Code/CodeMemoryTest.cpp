//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/HandMade.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <sys/mman.h>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

static constexpr std::size_t Slab = 1 << 20;

/// One whose images have pages of their own.
static std::shared_ptr<CodeMemory> makeMemory() {
  return std::make_shared<CodeMemory>(Page);
}

TEST(CodeMemory, ImagesRunWhereTheyAreLoaded) {
  KEXPR_NEEDS_HAND_MADE_CODE();
  for (const std::size_t grain : {Page, Shared}) {
    const auto memory = std::make_shared<CodeMemory>(grain);
    std::vector<std::shared_ptr<const LoadedCode>> loaded;
    const std::size_t sizes[] = {
        ReturningBytes, ReturningBytes + 1, 100,      Page - 1,    Page,
        Page + 1,       5 * Page,           Slab - 1, 3 * Slab + 1};
    std::int32_t value = -4;
    for (std::size_t size : sizes) {
      auto code = memory->load(returning(value++, size));
      ASSERT_TRUE(code) << code.error().message();
      EXPECT_EQ((*code)->size(), size);
      loaded.push_back(*code);
    }
    value = -4;
    for (const auto &code : loaded)
      EXPECT_EQ(call(*code), value++);
  }
}

TEST(CodeMemory, KeepsEveryByte) {
  for (const std::size_t grain : {Page, Shared}) {
    const auto memory = std::make_shared<CodeMemory>(grain);
    for (std::size_t size : {std::size_t{1}, Page, Page + 1, 2 * Slab + 5}) {
      Image image;
      for (std::size_t i = 0; i < size; ++i)
        image.bytes.push_back(static_cast<char>(i * 7 + i / 251));
      image.entry = size / 2;
      const auto code = *memory->load(image);
      const char *start = static_cast<const char *>(code->address()) - size / 2;
      EXPECT_EQ(std::memcmp(start, image.bytes.data(), size), 0) << size;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % grain, 0u);
    }
  }
}

TEST(CodeMemory, LargePagesAreShared) {
  const auto memory = std::make_shared<CodeMemory>(Shared);
  std::vector<std::shared_ptr<const LoadedCode>> loaded;
  for (int i = 0; i < 1000; ++i)
    loaded.push_back(*memory->load(filled('\xc3', 5000)));
  EXPECT_EQ(memory->footprint(5000), 5120u);
  EXPECT_LE(memory->bytesInUse(), 1000 * 5120 + Slab);
  // A page that has one image left is in use.
  const void *last = loaded.back()->address();
  loaded.resize(1);
  EXPECT_LE(memory->bytesInUse(), 5120 + 2 * Page);
  EXPECT_EQ(*static_cast<const char *>(loaded[0]->address()), '\xc3');
  EXPECT_NE(last, loaded[0]->address());
  // Pages of 4 KiB are not, and larger ones are, unless something else is said.
  EXPECT_EQ(CodeMemory().footprint(1), Page > 4096 ? Shared : Page);
}

TEST(CodeMemory, CodeRunsWhileOthersJoinItsPage) {
  KEXPR_NEEDS_HAND_MADE_CODE();
  const auto memory = std::make_shared<CodeMemory>(Shared);
  const auto code = *memory->load(returning(17));
  std::atomic<bool> isOver = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!isOver)
        wrong += call(*code) != 17;
    });
  for (int i = 0; i < 2000; ++i)
    wrong += call(**memory->load(returning(i))) != i;
  isOver = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CodeMemory, ProcessesThatWereForkedShareNothing) {
  KEXPR_NEEDS_HAND_MADE_CODE();
  const auto memory = std::make_shared<CodeMemory>(Shared);
  auto code = *memory->load(returning(1));
  EXPECT_EQ(inChild([&] {
              code = *memory->load(returning(2));
              return call(*code) == 2 ? 0 : 1;
            }),
            0);
  EXPECT_EQ(call(*code), 1);
  EXPECT_EQ(call(**memory->load(returning(3))), 3);
}

TEST(CodeMemory, FootprintsAreWholePages) {
  const auto memory = makeMemory();
  EXPECT_EQ(memory->footprint(1), Page);
  EXPECT_EQ(memory->footprint(Page), Page);
  EXPECT_EQ(memory->footprint(Page + 1), 2 * Page);
  EXPECT_EQ(memory->bytesInUse(), 0u);
  EXPECT_EQ(memory->slabCount(), 0u);
  const auto code = *memory->load(filled('\xc3', Page + 1));
  EXPECT_EQ(memory->bytesInUse(), 2 * Page);
  EXPECT_EQ(memory->slabCount(), 1u);
}

TEST(CodeMemory, RefusesWhatIsNoImage) {
  const auto memory = makeMemory();
  Image outside = filled('\xc3', 10), far = outside, wide = outside;
  outside.entry = 10;
  far.entry = static_cast<std::size_t>(-1);
  wide.alignment = 2 * Page;
  for (const Image &image : {Image(), outside, far, wide}) {
    const auto code = memory->load(image);
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code(), ErrorCode::CompileFailed);
    EXPECT_EQ(code.error().message(), "not an image of machine code");
  }
  EXPECT_EQ(memory->bytesInUse(), 0u);
  outside.entry = 9;
  outside.alignment = Page;
  EXPECT_TRUE(memory->load(outside));
}

TEST(CodeMemory, WithoutMemoryThereIsAnErrorAndNothingIsLost) {
  if (IsSanitized)
    GTEST_SKIP() << kexpr::test::skips::Sanitized;
  if (IsEmulated)
    GTEST_SKIP() << kexpr::test::skips::Emulated;
  const auto memory = makeMemory();
  const Image small = filled('\xc3', 10), large = filled('\xc3', 64 << 20);
  const auto kept = *memory->load(small);
  EXPECT_EQ(inChild([&] {
              std::size_t pages = 0;
              std::ifstream("/proc/self/statm") >> pages;
              const rlimit limit = {pages * Page + Slab, RLIM_INFINITY};
              setrlimit(RLIMIT_AS, &limit);
              const auto code = memory->load(large);
              const bool isRight =
                  !code && code.error().code() == ErrorCode::OutOfMemory;
              return isRight && memory->bytesInUse() == Page &&
                             memory->load(small)
                         ? 0
                         : 1;
            }),
            0);
}

TEST(CodeMemory, CodeOutlivesWhoLoadedIt) {
  KEXPR_NEEDS_HAND_MADE_CODE();
  auto memory = makeMemory();
  auto code = *memory->load(returning(5));
  auto other = *memory->load(returning(6));
  memory.reset();
  EXPECT_EQ(call(*code), 5);
  code.reset();
  EXPECT_EQ(call(*other), 6);
}

TEST(CodeMemory, AProcessHasOne) {
  EXPECT_EQ(CodeMemory::ofProcess(), CodeMemory::ofProcess());
  EXPECT_TRUE(CodeMemory::ofProcess()->load(filled('\xc3', 1)));
}

/// How many of the pages from `start` on are in memory.
static std::size_t pagesInMemory(const void *start, std::size_t count) {
  std::vector<unsigned char> flags(count);
  EXPECT_EQ(mincore(const_cast<void *>(start), count * Page, flags.data()), 0);
  return static_cast<std::size_t>(std::count_if(
      flags.begin(), flags.end(), [](unsigned flag) { return flag & 1; }));
}

TEST(CodeMemory, PagesGivenBackReturnToTheSystem) {
  const auto memory = makeMemory();
  const auto before = *memory->load(filled('\xc3', 1));
  auto code = *memory->load(filled('\xc3', 100 * Page));
  const auto after = *memory->load(filled('\xc3', 1));
  const void *start = code->address();
  EXPECT_EQ(pagesInMemory(start, 100), 100u);
  code.reset();
  EXPECT_EQ(pagesInMemory(start, 100), 0u);
  EXPECT_EQ(memory->bytesInUse(), 2 * Page);
  // They are the first that have room for as much.
  code = *memory->load(filled('\xc3', 100 * Page));
  EXPECT_EQ(code->address(), start);
}

TEST(CodeMemory, OneEmptySlabIsKept) {
  const auto memory = makeMemory();
  std::vector<std::shared_ptr<const LoadedCode>> loaded;
  for (int i = 0; i < 4; ++i)
    loaded.push_back(*memory->load(filled('\xc3', Slab)));
  loaded.push_back(*memory->load(filled('\xc3', 3 * Slab)));
  EXPECT_EQ(memory->slabCount(), 5u);
  loaded.clear();
  EXPECT_EQ(memory->slabCount(), 1u);
  EXPECT_EQ(memory->bytesInUse(), 0u);
  // One that is larger than others is not.
  const auto only = makeMemory();
  EXPECT_TRUE(only->load(filled('\xc3', 3 * Slab)));
  EXPECT_EQ(only->slabCount(), 0u);
}
