//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/PerfMap.h"
#include "Code/NamedImages.h"

#include <sstream>
#include <thread>

using namespace kexpr;
using namespace kexpr::code;
using namespace kexpr::test;

namespace {
class PerfMaps : public testing::Test {
protected:
  std::string pathOf(pid_t process) const {
    return root.path("perf-" + std::to_string(process) + ".map");
  }
  std::string path() const { return pathOf(getpid()); }
  std::string faultOf(const PerfMap &map) const {
    const Status status = map.status();
    return status ? "" : status.error().message();
  }
  /// A map that something is wrong with writes nothing, and says so.
  void expectRefused(const std::string &reason) const {
    const auto map = std::make_shared<PerfMap>(root.path());
    EXPECT_NE(faultOf(*map).find(reason), std::string::npos) << faultOf(*map);
    EXPECT_TRUE(load(namedImage("name"), onlyListener(map)));
  }

  const TemporaryDirectory root;
};
} // namespace

TEST_F(PerfMaps, HaveALineForEachFunction) {
  const auto map = std::make_shared<PerfMap>(root.path());
  const Listeners listeners = onlyListener(map);
  const auto first = load(namedImage("add(@0, @1) [baseline]"), listeners);
  const auto second = load(namedImage("two\nlines"), listeners);
  std::ostringstream expected;
  expected << std::hex << reinterpret_cast<std::uintptr_t>(first->address())
           << sized("add(@0, @1) [baseline]\n")
           << reinterpret_cast<std::uintptr_t>(second->address())
           << sized("two lines\n");
  EXPECT_EQ(readFile(path()), expected.str());
  EXPECT_EQ(modeOf(path()), 0600u);
  EXPECT_TRUE(map->status());
}

TEST_F(PerfMaps, NameNoMoreThanTheImage) {
  Image image = namedImage("name");
  auto symbols = *image.symbols;
  symbols.size = ~std::size_t{0};
  image.symbols = std::make_shared<const Symbols>(symbols);
  load(image, onlyListener(std::make_shared<PerfMap>(root.path())));
  EXPECT_NE(readFile(path()).find(sized("name\n")), std::string::npos);
}

TEST_F(PerfMaps, KeepWhatOthersWroteButNotOtherProcesses) {
  writeFile(path(), "1 2 mine\n");
  PerfMap{root.path()};
  EXPECT_EQ(readFile(path()), "1 2 mine\n");
  const timespec longAgo[] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path().c_str(), longAgo, 0), 0);
  PerfMap{root.path()};
  EXPECT_EQ(readFile(path()), "");
}

TEST_F(PerfMaps, AreNoLinksAndNobodyElsesFiles) {
  writeFile(root.path("precious"), "precious");
  std::filesystem::create_symlink("precious", path());
  expectRefused("cannot be opened");
  std::filesystem::remove(path());
  std::filesystem::create_hard_link(root.path("precious"), path());
  expectRefused("is not a file of its own");
  std::filesystem::remove(path());
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  expectRefused("");
  std::filesystem::remove(path());
  writeFile(path(), "");
  ASSERT_EQ(chmod(path().c_str(), 0666), 0);
  expectRefused("may be written to by other users");
  EXPECT_EQ(readFile(root.path("precious")), "precious");
}

TEST_F(PerfMaps, ThatCannotBeMadeHinderNobody) {
  const auto map = std::make_shared<PerfMap>(root.path("missing"));
  EXPECT_NE(faultOf(*map).find("cannot be opened"), std::string::npos);
  EXPECT_TRUE(load(namedImage("name"), onlyListener(map)));
}

TEST_F(PerfMaps, OfAChildAreItsOwn) {
  const auto map = std::make_shared<PerfMap>(root.path());
  const Listeners listeners = onlyListener(map);
  load(namedImage("parent"), listeners);
  const std::string before = readFile(path());
  pid_t child = 0;
  EXPECT_EQ(inChild([&] {
              load(namedImage("child"), listeners);
              writeFile(root.path("child"), std::to_string(getpid()));
              return 0;
            }),
            0);
  std::istringstream(readFile(root.path("child"))) >> child;
  EXPECT_EQ(readFile(path()), before);
  EXPECT_NE(readFile(pathOf(child)).find(sized("child\n")), std::string::npos);
}

TEST_F(PerfMaps, TakeManyThreads) {
  const Listeners listeners =
      onlyListener(std::make_shared<PerfMap>(root.path()));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        load(namedImage("a name"), listeners);
    });
  for (std::thread &thread : threads)
    thread.join();
  std::istringstream lines(readFile(path()));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_TRUE(line.ends_with(sized("a name"))) << line;
  EXPECT_EQ(count, 200);
}
