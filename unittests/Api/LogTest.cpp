//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines about what an engine does: EngineOptions::log.
//
//===----------------------------------------------------------------------===//
#include "Api/CObjects.h"
#include "Api/CachedEngine.h"
#include "TestUtil/Process.h"

#include <mutex>
#include <regex>
#include <thread>

using namespace kexpr;
using namespace kexpr::test;

namespace {
class EngineLog : public CachedEngine {
protected:
  /// Options whose lines are kept.
  EngineOptions logging(const std::string &words) {
    EngineOptions options;
    options.log = words;
    options.logSink = [this](std::string_view line) {
      std::lock_guard lock(mutex);
      lines.emplace_back(line);
    };
    return options;
  }
  /// How many lines match, after their beginning.
  unsigned count(const std::string &pattern) {
    std::lock_guard lock(mutex);
    const std::regex whole("kexpr [0-9]+ [0-9:]{8}\\.[0-9]{6} " + pattern);
    unsigned found = 0;
    for (const std::string &line : lines)
      found += std::regex_match(line, whole);
    return found;
  }

  std::mutex mutex;
  std::vector<std::string> lines;
};
} // namespace

TEST_F(EngineLog, SaysWhatIsCompiled) {
  const Engine engine(logging("compile"));
  ASSERT_TRUE(engine.compile("neg( @0 )"));
  ASSERT_TRUE(engine.compile("neg(@0)"));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(count("compile neg\\(@0\\) f32n optimized .+: plan [0-9]+ us, "
                  "emit [0-9]+ us, codegen [0-9]+ us, link [0-9]+ us, "
                  "[0-9]+ bytes"),
            1u)
      << lines[0];
  EXPECT_FALSE(engine.compile("nonsense(@0)"));
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(EngineLog, SaysWhichTierTakesOver) {
  const Engine engine(logging("compile"));
  const auto kernel = engine.compile("neg(@0)", {.mode = Mode::Tiered});
  ASSERT_TRUE(kernel);
  engine.settle();
  EXPECT_EQ(count("compile neg\\(@0\\) f32n baseline: takes over"), 1u);
  EXPECT_EQ(count("compile neg\\(@0\\) f32n optimized: takes over"), 1u);
  EXPECT_EQ(lines.size(), 4u);
}

TEST_F(EngineLog, SaysWhatTheCachesDo) {
  EngineOptions options = logging("cache");
  options.cacheDirectory = path;
  options.maxKernels = 1;
  const Engine engine(options);
  for (const char *text : {"neg(@0)", "abs(@0)", "neg(@0)", "neg(@0)"})
    ASSERT_TRUE(engine.compile(text));
  EXPECT_EQ(count("cache miss neg\\(@0\\)"), 2u);
  EXPECT_EQ(count("cache miss abs\\(@0\\)"), 1u);
  EXPECT_EQ(count("cache insert .*: [0-9]+ us, [0-9]+ bytes"), 3u);
  EXPECT_EQ(count("cache evict neg\\(@0\\): [0-9]+ bytes"), 1u);
  EXPECT_EQ(count("cache evict abs\\(@0\\): [0-9]+ bytes"), 1u);
  EXPECT_EQ(count("cache disk miss .* f32n optimized: [0-9]+ us"), 2u);
  EXPECT_EQ(count("cache disk store .*: [0-9]+ bytes, [0-9]+ us"), 2u);
  EXPECT_EQ(count("cache disk hit neg\\(@0\\) f32n optimized: [0-9]+ us"), 1u);
  EXPECT_EQ(lines.size(), 3u + 3u + 2u + 5u);
}

TEST_F(EngineLog, SinksMayAskTheEngine) {
  EngineOptions options;
  options.log = "compile,cache";
  options.maxKernels = 1;
  const Engine *asked = nullptr;
  std::uint64_t misses = 0;
  options.logSink = [&](std::string_view) {
    misses = asked ? asked->stats().misses : 0;
  };
  const Engine engine(options);
  asked = &engine;
  for (unsigned i = 0; i < 3; ++i)
    ASSERT_TRUE(engine.compile(numbered(i)));
  EXPECT_EQ(misses, 3u);
}

TEST_F(EngineLog, SaysNothingUnlessAsked) {
  for (const char *words : {"none", "", ","}) {
    const Engine engine(logging(words));
    ASSERT_TRUE(engine.compile("neg(@0)"));
    EXPECT_TRUE(engine.logStatus());
  }
  EXPECT_TRUE(lines.empty());
}

TEST_F(EngineLog, WordsThatAreNoneAreAnError) {
  const Engine engine(logging("compile,nonsense"));
  ASSERT_FALSE(engine.logStatus());
  EXPECT_EQ(engine.logStatus().error().code(), ErrorCode::InvalidArgument);
  EXPECT_NE(engine.logStatus().error().message().find("'nonsense'"),
            std::string::npos);
  const Engine again(logging("nonsense"));
  EXPECT_FALSE(again.logStatus());
  // Once a process, which other tests may have used up.
  EXPECT_LE(lines.size(), 1u);
  ASSERT_TRUE(engine.compile("neg(@0)"));
  EXPECT_EQ(count("compile neg.*"), 1u) << "the other words count";
}

TEST_F(EngineLog, SaysWhatCannotBeDumped) {
  EngineOptions options = logging("compile");
  options.dumpDirectory = path;
  const Engine engine(options);
  std::filesystem::remove_all(path);
  ASSERT_TRUE(engine.compile("neg(@0)"));
  EXPECT_EQ(count("dump neg\\(@0\\) f32n optimized: .*"), 1u);
}

TEST_F(EngineLog, LinesOfProcessesAndThreadsDoNotMix) {
  std::string text;
  {
    std::vector<std::string> words = {
        "/bin/sh", "-c",
        "for i in 1 2 3; do KEXPR_LOG=compile,cache " + emulator() +
            " '" KEXPR_CACHE_WORKER "' '" + root.path("code") +
            "'$i $i 20 mode=2 2>&1 & done; wait"};
    Process process(words);
    EXPECT_EQ(process.wait(), 0);
    text = process.read();
  }
  const std::regex line("kexpr [0-9]+ [0-9:]{8}\\.[0-9]{6} (compile|cache) .*"
                        "|wrong 0 .*");
  std::istringstream stream(text);
  unsigned lines = 0;
  for (std::string each; std::getline(stream, each); ++lines)
    EXPECT_TRUE(std::regex_match(each, line)) << each;
  EXPECT_GT(lines, 3u * 20 * 4);
}

TEST_F(EngineLog, WorksFromC) {
  std::vector<std::string> heard;
  kexpr_engine_options options = {};
  options.size = sizeof options;
  options.log = "compile,foo";
  options.log_sink = [](void *context, const char *line) {
    static_cast<std::vector<std::string> *>(context)->emplace_back(line);
  };
  options.log_context = &heard;
  options.dump_directory = "/dev/null/dumps";
  const CEngine engine = makeEngine(&options);
  ASSERT_TRUE(test::compile(engine, "neg(@0)"));
  ASSERT_FALSE(heard.empty());
  EXPECT_NE(heard.back().find(" compile neg(@0) "), std::string::npos);
  EXPECT_NE(refusalOf(KEXPR_INVALID_ARGUMENT,
                      [&](kexpr_error **error) {
                        return kexpr_engine_log_status(engine.get(), error);
                      })
                .find("'foo'"),
            std::string::npos);
  EXPECT_NE(refusalOf(KEXPR_IO,
                      [&](kexpr_error **error) {
                        return kexpr_engine_dump_status(engine.get(), error);
                      })
                .find("/dev/null/dumps"),
            std::string::npos);
}
