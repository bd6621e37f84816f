//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many images at once.
//
//===----------------------------------------------------------------------===//
#include "Code/HandMade.h"
#include "TestUtil/Process.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

static constexpr std::size_t SlabBytes = 1 << 20;

/// Mappings that code may lie in: executable, and of no file. What sanitizers
/// map for themselves is not among them.
static std::size_t codeMappings() {
  const auto lines = mappings();
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [](const std::string &line) {
        return line[line.find(' ') + 3] == 'x' &&
               line.find_first_of("/[") == std::string::npos;
      }));
}

/// The system keeps pages that were written apart from those that never were,
/// and where slabs touch it may draw the line a page off.
static std::size_t mostMappings(const CodeMemory &memory) {
  return 2 * memory.slabCount() + 4;
}

namespace {
/// Images of one byte to several slabs, in use or not, in an order that a seed
/// gives. Each is full of a byte of its own.
class Crowd {
public:
  Crowd(CodeMemory &memory, unsigned seed) : memory(memory), random(seed) {}

  void step() {
    if (members.size() < 400 && random() % 8 < 5)
      add();
    else if (!members.empty())
      remove(random() % members.size());
  }
  void clear() {
    while (!members.empty())
      remove(random() % members.size());
  }
  std::size_t bytes() const { return taken; }

private:
  void add() {
    const std::size_t kind = random() % 64;
    const std::size_t most = kind == 0  ? 3 * SlabBytes
                             : kind < 8 ? 100000
                                        : 5000;
    const Image image =
        filled(static_cast<char>(random()), random() % most + 1);
    auto code = memory.load(image);
    ASSERT_TRUE(code) << code.error().message();
    members.push_back(*code);
    taken += memory.footprint(image.bytes.size());
  }
  void remove(std::size_t which) {
    const auto code = std::exchange(members[which], members.back());
    members.pop_back();
    // Nobody has written to it since.
    const char *bytes = static_cast<const char *>(code->address());
    EXPECT_EQ(std::memcmp(bytes, bytes + 1, code->size() - 1), 0);
    taken -= memory.footprint(code->size());
  }

  CodeMemory &memory;
  std::mt19937 random;
  std::vector<std::shared_ptr<const LoadedCode>> members;
  std::size_t taken = 0;
};
} // namespace

TEST(CodeMemory, ImagesThatShareComeAndGoInAnyOrder) {
  const auto memory = std::make_shared<CodeMemory>(Shared);
  Crowd crowd(*memory, 12);
  for (int i = 0; i < 6000; ++i) {
    crowd.step();
    if (i % 100 == 0) {
      ASSERT_GE(memory->bytesInUse(), crowd.bytes());
    }
  }
  crowd.clear();
  EXPECT_EQ(memory->bytesInUse(), 0u);
  EXPECT_LE(memory->slabCount(), 1u);
}

TEST(CodeMemory, ImagesComeAndGoInAnyOrder) {
  const auto memory = std::make_shared<CodeMemory>(Page);
  Crowd crowd(*memory, 11);
  for (int i = 0; i < 6000; ++i) {
    crowd.step();
    if (i % 100 == 0) {
      ASSERT_EQ(memory->bytesInUse(), crowd.bytes());
    }
  }
  EXPECT_LE(codeMappings(), mostMappings(*memory));
  crowd.clear();
  EXPECT_EQ(memory->bytesInUse(), 0u);
  EXPECT_LE(memory->slabCount(), 1u);
  EXPECT_LE(codeMappings(), mostMappings(*memory));
}

TEST(CodeMemory, RoundsTakeNoMoreEachTime) {
  const auto memory = std::make_shared<CodeMemory>(Page);
  std::size_t most = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::shared_ptr<const LoadedCode>> loaded;
    for (std::size_t i = 0; i < 300; ++i)
      loaded.push_back(*memory->load(filled('\xc3', 1 + i * 97 % 40000)));
    if (round == 0)
      most = memory->slabCount();
    EXPECT_LE(memory->slabCount(), most + 1);
  }
}

TEST(CodeMemory, TwentyThousandImagesAreFewMappings) {
  KEXPR_NEEDS_HAND_MADE_CODE();
  constexpr std::int32_t Count = 20000;
  const auto memory = std::make_shared<CodeMemory>(Page);
  const std::size_t before = mappings().size();
  std::vector<std::shared_ptr<const LoadedCode>> loaded;
  for (std::int32_t i = 0; i < Count; ++i)
    loaded.push_back(*memory->load(returning(i)));
  EXPECT_EQ(memory->slabCount(),
            (Count * memory->footprint(1) - 1) / SlabBytes + 1);
  EXPECT_LE(codeMappings(), mostMappings(*memory));
  if (!IsSanitized) {
    EXPECT_LE(mappings().size(), before + memory->slabCount() + 20);
  }
  for (std::int32_t i = 0; i < Count; ++i)
    ASSERT_EQ(call(*loaded[i]), i);
  // Holes of a page each, filled again, take no more mappings either.
  const std::size_t slabs = memory->slabCount();
  for (std::int32_t i = 0; i < Count; i += 2)
    loaded[i].reset();
  for (std::int32_t i = 0; i < Count; i += 2)
    loaded[i] = *memory->load(returning(-i));
  EXPECT_EQ(memory->slabCount(), slabs);
  EXPECT_LE(codeMappings(), mostMappings(*memory));
  for (std::int32_t i = 0; i < Count; ++i)
    ASSERT_EQ(call(*loaded[i]), i % 2 ? i : -i);
}

TEST(CodeMemory, ForkedProcessesHaveFewMappingsToo) {
  const auto memory = std::make_shared<CodeMemory>(Page);
  const auto load = [&](int count) {
    std::vector<std::shared_ptr<const LoadedCode>> loaded;
    while (count-- > 0)
      loaded.push_back(*memory->load(filled('\xc3', 1)));
    return loaded;
  };
  const auto kept = load(300);
  EXPECT_EQ(inChild([&] {
              const auto more = load(2000);
              return codeMappings() <= mostMappings(*memory) ? 0 : 1;
            }),
            0);
}

/// Loads, runs and drops functions; how many went wrong.
static int useMany(CodeMemory &memory, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::pair<std::int32_t, std::shared_ptr<const LoadedCode>>> kept;
  int wrong = 0;
  for (int i = 0; i < 400; ++i) {
    const auto value = static_cast<std::int32_t>(random());
    const std::size_t size =
        ReturningBytes + random() % (i % 50 ? 9000 : SlabBytes);
    auto code = memory.load(returning(value, size));
    if (!code)
      return -1;
    kept.emplace_back(value, *code);
    if (kept.size() > 30) {
      std::swap(kept[random() % kept.size()], kept.back());
      wrong += call(*kept.back().second) != kept.back().first;
      kept.pop_back();
    }
  }
  for (const auto &[value, code] : kept)
    wrong += call(*code) != value;
  return wrong;
}

TEST(CodeMemory, ManyThreadsAtOnce) {
  KEXPR_NEEDS_HAND_MADE_CODE();
  for (const std::size_t grain : {Page, Shared}) {
    const auto memory = std::make_shared<CodeMemory>(grain);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 8; ++t)
      threads.emplace_back([&, t] { wrong += useMany(*memory, t) != 0; });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(memory->bytesInUse(), 0u);
    EXPECT_LE(memory->slabCount(), 1u);
  }
}

TEST(CodeMemory, NoPageIsEverWritableAndExecutable) {
  const auto memory = std::make_shared<CodeMemory>(Page);
  const auto first = *memory->load(filled('\xc3', 100));
  std::atomic<bool> isOver = false;
  std::thread loader([&] {
    for (std::size_t i = 0; !isOver; ++i)
      EXPECT_TRUE(memory->load(filled('\xc3', 1 + i * 613 % 20000)));
  });
  bool isSeen = false;
  for (int i = 0; i < 100; ++i)
    for (const std::string &line : mappings()) {
      const std::string permissions = line.substr(line.find(' ') + 1, 4);
      EXPECT_NE(permissions.substr(1, 2), "wx") << line;
      std::uintptr_t begin = 0, end = 0;
      ASSERT_EQ(std::sscanf(line.c_str(), "%zx-%zx", &begin, &end), 2);
      const auto place = reinterpret_cast<std::uintptr_t>(first->address());
      if (place < begin || place >= end)
        continue;
      isSeen = true;
      EXPECT_EQ(permissions, "r-xp");
    }
  isOver = true;
  loader.join();
  EXPECT_TRUE(isSeen);
}
