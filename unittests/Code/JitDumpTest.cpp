//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/JitDump.h"
#include "Code/JitDumpFile.h"
#include "Code/NamedImages.h"

#include <algorithm>
#include <thread>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

namespace {
class JitDumps : public testing::Test {
protected:
  std::string pathOf(pid_t process) const {
    return root.path("jit-" + std::to_string(process) + ".dump");
  }
  std::string path() const { return pathOf(getpid()); }
  std::shared_ptr<JitDump> make() const {
    return std::make_shared<JitDump>(*Directory::open(root.path()));
  }
  /// Whether perf would see this process map the file, to execute it.
  bool isMarked() const {
    const auto lines = mappings();
    return std::any_of(lines.begin(), lines.end(), [&](const auto &line) {
      return line.find(" r-xp ") != line.npos && line.ends_with(path());
    });
  }

  const TemporaryDirectory root;
};
} // namespace

TEST_F(JitDumps, HoldCodeNamesAndLines) {
  {
    const auto dump = make();
    EXPECT_TRUE(isMarked());
    const Listeners listeners = onlyListener(dump);
    const auto code = load(namedImage("first", 1), listeners);
    Image image = namedImage("second", 2);
    auto symbols = *image.symbols;
    symbols.lines.clear();
    image.symbols = std::make_shared<const Symbols>(symbols);
    load(image, listeners);
    EXPECT_EQ(modeOf(path()), 0600u);
    EXPECT_TRUE(dump->status());

    const JitDumpFile file(path());
    EXPECT_FALSE(file.isClosed);
    EXPECT_EQ(file.process, static_cast<std::uint32_t>(getpid()));
    ASSERT_EQ(file.functions.size(), 2u);
    const JitDumpFile::Function &function = file.functions[0];
    const auto address = reinterpret_cast<std::uint64_t>(code->address());
    EXPECT_EQ(function.address, address);
    EXPECT_EQ(function.virtualAddress, address);
    EXPECT_EQ(function.name, "first");
    const Image expected = returning(1);
    EXPECT_EQ(function.code,
              std::string(expected.bytes.begin(), expected.bytes.end()));
    const std::vector<JitDumpFile::Line> lines = {
        {address, 1, 3, "/where/first.kexpr"},
        {address + 5, 2, 5, "/where/first.kexpr"}};
    EXPECT_EQ(function.lines, lines);
    EXPECT_EQ(file.functions[1].name, "second");
    EXPECT_TRUE(file.functions[1].lines.empty());
    EXPECT_NE(file.functions[0].number, file.functions[1].number);
    EXPECT_LE(file.functions[0].time, file.functions[1].time);
  }
  EXPECT_TRUE(JitDumpFile(path()).isClosed);
  EXPECT_FALSE(isMarked());
}

TEST_F(JitDumps, LeaveOutLinesThatAreNotOfTheFunction) {
  Image image = namedImage("name");
  auto symbols = *image.symbols;
  symbols.lines = {{2, {2, 1}},
                   {1, {3, 1}},
                   {4, {4, 1}},
                   {ReturningBytes, {5, 1}},
                   {~0u, {6, 1}}};
  image.symbols = std::make_shared<const Symbols>(symbols);
  load(image, onlyListener(make()));
  const JitDumpFile file(path());
  ASSERT_EQ(file.functions.size(), 1u);
  ASSERT_EQ(file.functions[0].lines.size(), 2u);
  EXPECT_EQ(file.functions[0].lines[0].line, 2u);
  EXPECT_EQ(file.functions[0].lines[1].line, 4u);
}

TEST_F(JitDumps, ReplaceThoseOfEarlierProcessesAndLinks) {
  writeFile(root.path("precious"), "precious");
  std::filesystem::create_symlink("precious", path());
  load(namedImage("name"), onlyListener(make()));
  EXPECT_EQ(JitDumpFile(path()).functions.size(), 1u);
  load(namedImage("name"), onlyListener(make()));
  EXPECT_EQ(JitDumpFile(path()).functions.size(), 1u);
  EXPECT_EQ(readFile(root.path("precious")), "precious");
}

TEST_F(JitDumps, OfOneDirectoryAreOne) {
  const auto directory = *Directory::open(root.path());
  const auto dump = JitDump::in(directory);
  std::filesystem::create_symlink(root.path(), root.path("link"));
  EXPECT_EQ(JitDump::in(*Directory::open(root.path("link"))), dump);
  EXPECT_NE(JitDump::in(*Directory::open(root.path("other"))), dump);
}

TEST_F(JitDumps, OfAChildAreItsOwn) {
  const auto dump = make();
  const Listeners listeners = onlyListener(dump);
  load(namedImage("parent"), listeners);
  EXPECT_EQ(inChild([&] {
              load(namedImage("child"), listeners);
              const JitDumpFile file(path());
              return file.functions.size() == 1 &&
                             file.functions[0].name == "child" && isMarked()
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_EQ(inChild([&] {
              dump->close(); // without a word of its own
              return 0;
            }),
            0);
  load(namedImage("parent again"), listeners);
  const JitDumpFile file(path());
  EXPECT_FALSE(file.isClosed);
  ASSERT_EQ(file.functions.size(), 2u);
  EXPECT_EQ(file.functions[1].name, "parent again");
}

TEST_F(JitDumps, EndBeforeWhatADiskHasNoRoomFor) {
  EXPECT_EQ(inChild([&] {
              limitFiles(400);
              const auto dump = make();
              for (int i = 0; i < 10; ++i)
                load(namedImage("name"), onlyListener(dump));
              const JitDumpFile file(path());
              return !dump->status() && file.functions.size() == 2 ? 0 : 1;
            }),
            0);
}

TEST_F(JitDumps, ThatCannotBeMadeHinderNobody) {
  const auto directory = *Directory::open(root.path("gone"));
  std::filesystem::remove(root.path("gone"));
  const auto dump = std::make_shared<JitDump>(directory);
  EXPECT_FALSE(dump->status());
  EXPECT_TRUE(load(namedImage("name"), onlyListener(dump)));
}

TEST_F(JitDumps, TakeManyThreads) {
  const Listeners listeners = onlyListener(make());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        load(namedImage("a name"), listeners);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(JitDumpFile(path()).functions.size(), 200u);
}
