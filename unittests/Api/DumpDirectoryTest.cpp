//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folders of what loops are made of: EngineOptions::dumpDirectory.
//
//===----------------------------------------------------------------------===//
#include "Api/CachedEngine.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

#include <cctype>
#include <deque>
#include <random>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class DumpDirectory : public CachedEngine {
protected:
  EngineOptions dumping() const {
    EngineOptions options;
    options.dumpDirectory = path;
    return options;
  }
  /// A worker of CacheWorker.cpp whose dumps come here.
  std::vector<std::string> worker(const std::string &cache, unsigned seed,
                                  unsigned count,
                                  std::vector<std::string> settings = {}) {
    std::vector<std::string> words = {
        "/usr/bin/env", "KEXPR_DUMP=" + path, KEXPR_CACHE_WORKER,
        cache,          std::to_string(seed), std::to_string(count)};
    words.insert(words.end(), settings.begin(), settings.end());
    return words;
  }
};
} // namespace

static const std::set<std::string> AllFiles = {
    "README",    "ast.txt",   "explain.txt", "expression.txt", "graph.dot",
    "graph.txt", "kernel.ll", "kernel.mir",  "kernel.o",       "kernel.opt.ll",
    "kernel.s",  "plan.txt",  "rpn.txt",     "tokens.txt"};

/// Every folder has every file.
static void expectWhole(const std::string &path) {
  for (const std::string &name : namesIn(path)) {
    if (name[0] == '.')
      continue;
    EXPECT_EQ(namesIn(path + "/" + name), AllFiles) << name;
    for (const std::string &file : AllFiles)
      EXPECT_FALSE(readFile(path + "/" + name + "/" + file).empty())
          << name << '/' << file;
  }
}

TEST_F(DumpDirectory, HasAFolderForEveryLoop) {
  const Engine engine(dumping());
  ASSERT_TRUE(engine.compile("mul(@0, sigmoid(@0))"));
  ASSERT_TRUE(engine.compile("mul(@0,sigmoid(@0))", Baseline));
  const auto names = namesIn(path);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names.begin()->rfind("mul-0-sigmoid-0.f32n.baseline.", 0), 0u)
      << *names.begin();
  EXPECT_EQ(names.rbegin()->rfind("mul-0-sigmoid-0.f32n.optimized.", 0), 0u);
  expectWhole(path);
  const std::string folder = path + "/" + *names.rbegin() + "/";
  EXPECT_EQ(readFile(folder + "expression.txt"), "mul(@0,sigmoid(@0))\n");
  EXPECT_EQ(readFile(folder + "README")
                .rfind("kexpr-dump --emit=all 'mul(@0,sigmoid(@0))'\n", 0),
            0u)
      << readFile(folder + "README");
  EXPECT_EQ(readFile(folder + "kernel.s"),
            *engine.compile("mul(@0,sigmoid(@0))")->dump(Stage::Asm));
  EXPECT_EQ(modeOf(folder), 0700u);
  EXPECT_TRUE(engine.dumpStatus()) << engine.dumpStatus().error().message();
}

TEST_F(DumpDirectory, HasWalksAndTiersToo) {
  const Engine engine(dumping());
  const auto kernel = engine.compile("add(@0,@1)", {.mode = Mode::Tiered});
  float values[4] = {1, 2, 3, 4}, out[4];
  ASSERT_TRUE(kernel->run({TensorView(values, {4}), TensorView(values, {1})},
                          TensorView(out, {4})));
  engine.settle();
  EXPECT_EQ(namesIn(path, "add-0-1.f32n.").size(), 2u);
  EXPECT_EQ(namesIn(path, "add-0-1.f32n-f32.").size(), 2u);
  expectWhole(path);
}

TEST_F(DumpDirectory, HasSweeps) {
  const Engine engine(dumping());
  ASSERT_TRUE(engine.compile("softmax(@0,-1)"));
  EXPECT_TRUE(engine.dumpStatus()) << engine.dumpStatus().error().message();
  EXPECT_GE(namesIn(path).size(), 3u);
  expectWhole(path);
  for (const std::string &name : namesIn(path))
    EXPECT_NE(readFile(path + "/" + name + "/README").find("is a part of"),
              std::string::npos)
        << name;
}

TEST_F(DumpDirectory, SaysHowToShowLoopsOfRows) {
  const Engine engine(dumping());
  const auto kernel = engine.compile("softmax(@0,-1)");
  ASSERT_TRUE(kernel);
  std::vector<float> rows(1000 * 16), results(1000 * 16);
  const TensorView x(rows.data(), {1000, 16}), y(results.data(), {1000, 16});
  ASSERT_TRUE(kernel->run({&x, 1}, {&y, 1}));
  engine.settle();
  const auto names = namesIn(path, "softmax-0-1.f32r-to-f32r.");
  ASSERT_FALSE(names.empty());
  EXPECT_NE(readFile(path + "/" + *names.begin() + "/README").find("--shapes"),
            std::string::npos);
}

TEST_F(DumpDirectory, HasALoopOnce) {
  const std::string cache = root.path("code");
  EngineOptions options = dumping();
  options.cacheDirectory = cache;
  ASSERT_TRUE(Engine(options).compile("neg(@0)"));
  const auto names = namesIn(path);
  ASSERT_EQ(names.size(), 1u);
  struct stat before = {}, after = {};
  ASSERT_EQ(stat((path + "/" + *names.begin()).c_str(), &before), 0);
  // Found on disk, and there already.
  ASSERT_TRUE(Engine(options).compile("neg(@0)"));
  EXPECT_EQ(namesIn(path), names);
  ASSERT_EQ(stat((path + "/" + *names.begin()).c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  // Found on disk, and not there.
  std::filesystem::remove_all(path);
  const Engine engine(options);
  ASSERT_TRUE(engine.compile("neg(@0)"));
  EXPECT_EQ(engine.stats().diskHits, 1u);
  EXPECT_EQ(namesIn(path), names);
  // Literals are parameters of one loop.
  ASSERT_TRUE(engine.compile("add(@0,2.0)"));
  ASSERT_TRUE(engine.compile("add(@0,3.0)"));
  EXPECT_EQ(namesIn(path).size(), 2u);
}

TEST_F(DumpDirectory, CommandsShowPartsAndSignatures) {
  const Engine engine(dumping());
  CompileOptions options;
  options.operandTypes = {DType::F16, DType::I8};
  options.precision = Precision::Accurate;
  ASSERT_TRUE(engine.compile("add(@0,@1)", options));
  const auto names = namesIn(path);
  ASSERT_EQ(names.size(), 1u);
  EXPECT_NE(readFile(path + "/" + *names.begin() + "/README")
                .find("--types='f16[n],i8[n]' --precision=accurate "),
            std::string::npos);
}

TEST_F(DumpDirectory, ThatCannotBeUsedFailsNothing) {
  std::filesystem::create_directory(path);
  ASSERT_EQ(chmod(path.c_str(), 0777), 0);
  const Engine open(dumping());
  EXPECT_TRUE(open.compile("neg(@0)"));
  ASSERT_FALSE(open.dumpStatus());
  EXPECT_NE(open.dumpStatus().error().message().find(
                "may be written to by other users"),
            std::string::npos);
  EXPECT_TRUE(namesIn(path).empty());
  EngineOptions options;
  options.dumpDirectory = "/dev/null/dumps";
  const Engine none(options);
  EXPECT_TRUE(none.compile("neg(@0)"));
  EXPECT_EQ(none.dumpStatus().error().code(), ErrorCode::Io);
  EXPECT_TRUE(Engine().dumpStatus());
}

TEST_F(DumpDirectory, ThatGoesAwayFailsNothing) {
  const Engine engine(dumping());
  std::filesystem::remove_all(path);
  EXPECT_TRUE(engine.compile("neg(@0)"));
  EXPECT_FALSE(engine.dumpStatus());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(DumpDirectory, AFullDiskFailsNothingAndLeavesNothing) {
  if (IsEmulated) // It keeps blocked signals for itself.
    GTEST_SKIP() << kexpr::test::skips::Emulated;
  Process process(worker(root.path("code"), 1, 5, {"file-bytes=100"}));
  EXPECT_EQ(process.wait(), 0) << process.read();
  EXPECT_TRUE(namesIn(path).empty());
}

TEST_F(DumpDirectory, IsSharedByProcesses) {
  std::deque<Process> all;
  for (unsigned process = 0; process < 4; ++process)
    all.emplace_back(worker(root.path("code" + std::to_string(process)),
                            process, 12, {"set=12"}));
  for (Process &process : all)
    EXPECT_EQ(process.wait(), 0) << process.read();
  EXPECT_EQ(namesIn(path).size(), 12u) << "something was left, or is missing";
  expectWhole(path);
}

TEST_F(DumpDirectory, AWriterMayBeKilledAtAnyMoment) {
  if (IsEmulated) // Nothing is written in the time there is.
    GTEST_SKIP() << kexpr::test::skips::Emulated;
  std::mt19937 random(31);
  // Most of the time texts are made, not written.
  const unsigned rounds = 12, most = IsSanitized ? 3000000 : 400000;
  for (unsigned round = 0; round < rounds; ++round) {
    Process writer(worker(root.path("code"), 100 + round, 1000,
                          {"set=100000", "endless=1"}));
    writer.waitForOutput();
    usleep(random() % most);
    writer.kill();
  }
  EXPECT_GT(namesIn(path).size(), 1u) << "they were killed too early";
  expectWhole(path);
  // What they left goes when it is old.
  for (const std::string &name : namesIn(path, ".draft")) {
    const timespec old[] = {{1000, 0}, {1000, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (path + "/" + name).c_str(), old, 0), 0);
  }
  EXPECT_TRUE(Engine(dumping()).dumpStatus());
  EXPECT_TRUE(namesIn(path, ".draft").empty());
}
