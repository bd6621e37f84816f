//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels as perf and gdb show them, where these are installed and permitted.
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"
#include "kexpr/kexpr.h"

#include <array>
#include <cstdio>

using namespace kexpr;
using namespace kexpr::test;

static constexpr const char *Expression3 = "add(mul(@0,@1),exp(@2))";

namespace {
class Profilers : public testing::Test {
protected:
  void SetUp() override {
    if (IsSanitized)
      GTEST_SKIP() << kexpr::test::skips::Sanitized;
    if (IsEmulated)
      GTEST_SKIP() << kexpr::test::skips::Emulated;
    if (Engine().vectorBits() == 0)
      GTEST_SKIP() << kexpr::test::skips::NoCode;
  }
  /// What a shell command prints, if it succeeds; else empty.
  std::string outputOf(const std::string &command) const {
    const std::string log = root.path("log");
    // Both keep files in the user's home.
    const std::string whole = "HOME='" + root.path() + "' " + command +
                              " < /dev/null > '" + log + "' 2>&1";
    const int status = std::system(whole.c_str());
    const std::string output = readFile(log);
    if (status != 0)
      failure = command + ": " + output;
    return status == 0 ? output : "";
  }
  std::string worker(const std::string &how) const {
    return std::string("'" KEXPR_PROFILED_WORKER "' '") + Expression3 + "' " +
           how;
  }
  std::string listeners(const std::string &words) const {
    return "KEXPR_LISTENERS=" + words + " KEXPR_PROFILE_DIR='" +
           root.path("profile") + "' ";
  }
  /// Records the worker, which prints its number; empty where perf is not
  /// there, or not permitted to.
  std::string record(const std::string &words) const {
    EXPECT_NE(outputOf(worker("spin")), "") << failure;
    return outputOf(listeners(words) +
                    "perf record -e cpu-clock:u -k mono -N "
                    "-F 997 -o '" +
                    root.path("data") + "' " + worker("spin"));
  }

  const TemporaryDirectory root;
  mutable std::string failure;
};
} // namespace

/// How many lines a text has that contain a text.
static int countLines(const std::string &text, const std::string &part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++count)
    at = std::min(text.find('\n', at), text.size());
  return count;
}

TEST_F(Profilers, PerfNamesKernelsFromAMap) {
  const std::string output = record("perf-map");
  if (output.empty())
    GTEST_SKIP() << kexpr::test::skips::NoProfiler << ": " << failure;
  const std::string script =
      outputOf("perf script -F ip,sym -i '" + root.path("data") + "'");
  std::filesystem::remove("/tmp/perf-" + std::to_string(std::stol(output)) +
                          ".map");
  EXPECT_GE(countLines(script, Expression3), 20) << failure << script;
}

TEST_F(Profilers, PerfNamesKernelsAndLinesFromADump) {
  if (record("jitdump").empty())
    GTEST_SKIP() << kexpr::test::skips::NoProfiler << ": " << failure;
  outputOf("perf inject --jit -i '" + root.path("data") + "' -o '" +
           root.path("injected") + "'");
  const std::string script = outputOf("perf script -F ip,sym,srcline -i '" +
                                      root.path("injected") + "'");
  EXPECT_GE(countLines(script, Expression3), 20) << failure << script;
  // exp's line is where the time goes; not every build of perf names lines.
  const std::string where =
      script.find(".kexpr:") == script.npos ? Expression3 : ".kexpr:5";
  EXPECT_GE(countLines(script, where), 10) << script;
}

TEST_F(Profilers, GdbShowsKernelsInABacktrace) {
  const std::string gdb =
      "gdb -nx -batch -ex 'set debuginfod enabled off' -ex ";
  if (outputOf(gdb + "run --args true").find("exited normally") ==
      std::string::npos)
    GTEST_SKIP() << kexpr::test::skips::NoProfiler << ": " << failure;
  // The second time the kernel comes from the cache on disk.
  for (int time = 0; time < 2; ++time) {
    const std::string output = outputOf(
        "KEXPR_CACHE_DIR='" + root.path("cache") + "' " + listeners("gdb") +
        gdb + "run -ex bt " + "--args " + worker("fault"));
    const std::size_t kernel = output.find(std::string("#0 ")),
                      named = output.find(Expression3, kernel),
                      line = output.find(".kexpr:", named),
                      caller = output.find("\n#1 ", kernel),
                      bottom = output.find(" main ", kernel);
    EXPECT_NE(output.find("SIGSEGV"), output.npos) << failure << output;
    EXPECT_LT(named, line) << output;
    EXPECT_LT(line, caller) << output;
    EXPECT_LT(caller, bottom) << output;
    EXPECT_NE(bottom, output.npos) << output;
  }
}
