//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Calls.h"
#include "Host/PerfMaps.h"
#include "TestUtil/Files.h"
#include "TestUtil/Skips.h"

#include <clocale>
#include <locale>

using namespace kexpr;
using namespace kexpr::test;

// A host's locale changes neither what is read nor what is written.

namespace {
/// 12.345,5
struct Grouping : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
  std::string do_truename() const override { return "wahr"; }
  std::string do_falsename() const override { return "falsch"; }
};

void groupDigits() {
  std::locale::global(std::locale(std::locale::classic(), new Grouping));
}

/// The canonical form, a value and a result.
std::string everythingRead() {
  const auto expression =
      Expression::parse("add(mul(@0,1234567.5),add(@12345,1000000))");
  const auto scalar = Expression::parse("[1234567,0.5,True]");
  if (!expression || !scalar)
    return "not read";
  const auto value = evaluate(*scalar);
  const auto refused = Expression::parse(std::string(2000000, 'x'));
  return expression->canonical() + (value ? value->str() : "none") +
         Shape{123456, 7890}.str() + refused.error().message();
}
} // namespace

TEST(Locale, NothingReadOrSaidDependsOnIt) {
  const std::string expected = everythingRead();
  EXPECT_TRUE(endsWell([&] {
    groupDigits();
    EXPECT_EQ(everythingRead(), expected);
    for (const Mode mode : AllModes)
      EXPECT_TRUE(works(Engine(), 2, mode));
  }));
}

TEST(Locale, PerfFindsTheMap) {
  if (Engine().vectorBits() == 0)
    GTEST_SKIP() << kexpr::test::skips::NoCode;
  const PerfMaps maps;
  EXPECT_TRUE(endsWell([] {
    groupDigits();
    const TemporaryDirectory directory;
    EngineOptions options;
    options.listeners.perfMap = true;
    options.listeners.jitDump = true;
    options.listeners.directory = directory.path("profile");
    const Engine engine(options);
    EXPECT_TRUE(works(engine, 2, Mode::Optimized));
    EXPECT_TRUE(engine.listenerStatus());
    const std::string id = std::to_string(getpid());
    const std::string map = "/tmp/perf-" + id + ".map";
    EXPECT_TRUE(std::filesystem::exists(map)) << map;
    EXPECT_TRUE(std::filesystem::exists(options.listeners.directory + "/jit-" +
                                        id + ".dump"));
  }));
}

TEST(Locale, TheCacheOnDiskStaysSmall) {
  if (Engine().vectorBits() == 0)
    GTEST_SKIP() << kexpr::test::skips::NoCode;
  const TemporaryDirectory directory;
  EXPECT_TRUE(endsWell([&] {
    groupDigits();
    EngineOptions options;
    options.cacheDirectory = directory.path("cache");
    options.maxDiskBytes = 20000;
    for (int i = 0; i < 10; ++i) {
      const Engine engine(options);
      for (int k = 0; k < 8; ++k)
        ASSERT_TRUE(engine.compile(slowText(8 * i + k), in(Mode::Baseline)));
    }
    std::uintmax_t bytes = 0;
    for (const auto &name : namesIn(options.cacheDirectory, "llvmcache-"))
      bytes += std::filesystem::file_size(options.cacheDirectory + "/" + name);
    EXPECT_LT(bytes, 60000u);
  }));
}

TEST(Locale, ADecimalComma) {
  for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "de_DE"})
    if (std::setlocale(LC_ALL, name)) {
      std::setlocale(LC_ALL, "C");
      const std::string expected = everythingRead();
      EXPECT_TRUE(endsWell([&] {
        std::setlocale(LC_ALL, name);
        EXPECT_EQ(everythingRead(), expected);
        EXPECT_TRUE(works(Engine(), 2, Mode::Optimized));
      }));
      return;
    }
  GTEST_SKIP() << kexpr::test::skips::NoCommaLocale;
}
