//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Debugger.h"
#include "Code/NamedImages.h"

#include <thread>

#include <elf.h>

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

/// What the file says of its first section, `.text`.
Elf64_Shdr textOf(const Entry &entry) {
  Elf64_Ehdr header = {};
  Elf64_Shdr section = {};
  EXPECT_GT(entry.size, sizeof header);
  std::memcpy(&header, entry.file, sizeof header);
  EXPECT_LE(header.e_shoff + 2 * sizeof section, entry.size);
  std::memcpy(&section, entry.file + header.e_shoff + sizeof section,
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
  EXPECT_EQ(textOf(entry).sh_addr,
            reinterpret_cast<std::uint64_t>(code.address()));
  EXPECT_EQ(textOf(entry).sh_size, ReturningBytes);
}

TEST(Debugger, ListsObjectFilesWhereTheirCodeIs) {
  const Listeners listeners = onlyListener(Debugger::ofProcess());
  EXPECT_EQ(listOfDebugger.version, 1u);
  const std::size_t before = listLength();
  auto first = load(namedImage("first"), listeners);
  Image image = namedImage("second");
  auto symbols = *image.symbols;
  symbols.size = 1 << 20; // more than there is
  image.symbols = std::make_shared<const Symbols>(symbols);
  auto second = load(image, listeners);
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
