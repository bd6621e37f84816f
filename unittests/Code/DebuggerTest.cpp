//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Debugger.h"
#include "Code/NamedImages.h"

#include <thread>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

namespace {
/// What debuggers read, by the names that they know.
struct Entry {
  Entry *next, *previous;
  const char *file;
  std::uint64_t size;
};
struct List {
  std::uint32_t version, action;
  Entry *relevant, *first;
};

Elf64_Shdr sectionOf(const Entry &entry, std::size_t number) {
  Elf64_Shdr section = {};
  EXPECT_EQ(entry.size, objectFile().size());
  std::memcpy(&section,
              entry.file + sizeof(Elf64_Ehdr) + number * sizeof section,
              sizeof section);
  return section;
}
} // namespace

extern "C" List listOfDebugger __asm__("__jit_debug_descriptor");

static std::size_t listLength() {
  std::size_t length = 0;
  const Entry *previous = nullptr;
  for (const Entry *e = listOfDebugger.first; e; e = e->next, ++length) {
    EXPECT_EQ(e->previous, previous);
    previous = e;
  }
  return length;
}

static void expectIs(const Entry &entry, const LoadedCode &code) {
  EXPECT_EQ(sectionOf(entry, 1).sh_addr,
            reinterpret_cast<std::uint64_t>(code.address()));
  EXPECT_EQ(sectionOf(entry, 1).sh_size, ReturningBytes);
  // It is elsewhere.
  EXPECT_EQ(sectionOf(entry, 2).sh_flags & SHF_ALLOC, 0u);
}

TEST(Debugger, ListsObjectFilesWhereTheirCodeIs) {
  const Listeners listeners = onlyListener(Debugger::ofProcess());
  EXPECT_EQ(listOfDebugger.version, 1u);
  const std::size_t before = listLength();
  auto first = load(namedImage("first"), listeners);
  auto second = load(namedImage("second"), listeners);
  ASSERT_EQ(listLength(), before + 2);
  expectIs(*listOfDebugger.first, *second);
  expectIs(*listOfDebugger.first->next, *first);
  first.reset();
  ASSERT_EQ(listLength(), before + 1);
  expectIs(*listOfDebugger.first, *second);
  second.reset();
  EXPECT_EQ(listLength(), before);
  EXPECT_TRUE(Debugger::ofProcess()->status());
}

TEST(Debugger, ListsNothingThatIsNoObjectFile) {
  const Listeners listeners = onlyListener(Debugger::ofProcess());
  const std::size_t before = listLength();
  Image image = namedImage("name");
  auto symbols = *image.symbols;
  while (!symbols.object.empty()) {
    symbols.object.pop_back();
    image.symbols = std::make_shared<const Symbols>(symbols);
    const auto code = load(image, listeners);
    ASSERT_EQ(listLength(), before) << symbols.object.size();
  }
  symbols.object = objectFile();
  reinterpret_cast<Elf64_Ehdr *>(symbols.object.data())->e_shoff = ~0ull;
  image.symbols = std::make_shared<const Symbols>(symbols);
  const auto code = load(image, listeners);
  EXPECT_EQ(listLength(), before);
}

TEST(Debugger, TakesManyThreads) {
  const Listeners listeners = onlyListener(Debugger::ofProcess());
  const std::size_t before = listLength();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      std::vector<std::shared_ptr<const LoadedCode>> kept(8);
      for (std::size_t i = 0; i < 100; ++i)
        kept[i % kept.size()] = load(namedImage("name"), listeners);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(listLength(), before);
}
