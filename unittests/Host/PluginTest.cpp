//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Child.h"
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

#include <dlfcn.h>

using namespace kexpr;
using namespace kexpr::test;

// Plugins that hold kexpr, come, go, and meet others that hold LLVM.

namespace {
using Words = std::vector<std::string>;

/// Runs `PluginHost`.
testing::AssertionResult hostEndsWell(Words words) {
  words.insert(words.begin(), KEXPR_PLUGIN_HOST);
  return endsWell([&] {
    std::vector<char *> arguments;
    for (std::string &word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
  });
}

struct Case {
  const char *name;
  Words plugins;
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class Plugins : public testing::TestWithParam<Case> {};

Words with(Words first, const Words &rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}
} // namespace

TEST_P(Plugins, ComeAndGo) {
  for (const char *leaks : {"0", "1"})
    EXPECT_TRUE(
        hostEndsWell(with({"reload", std::to_string(rounds(5)), "0", leaks},
                          GetParam().plugins)));
}

TEST_P(Plugins, GoWhileTheirThreadsAreAtWork) {
  for (const char *leaks : {"0", "1"})
    EXPECT_TRUE(hostEndsWell(with(
        {"reload", std::to_string(rounds(8)), "1", leaks}, GetParam().plugins)))
        << "leaks: " << leaks;
}

TEST_P(Plugins, StayBesideEachOther) {
  for (const char *queues : {"0", "1"})
    EXPECT_TRUE(
        hostEndsWell(with({"together", queues, "0"}, GetParam().plugins)));
}

TEST_P(Plugins, GoWhileTheirThreadsLoadLlvm) {
  for (const char *what : {"tiered", "warm", "settled"})
    for (int round = 0; round < rounds(8); ++round)
      EXPECT_TRUE(
          hostEndsWell({"begin", what, std::to_string(round * 1777 % 16000),
                        GetParam().plugins.front()}))
          << what << ' ' << round;
}

TEST_P(Plugins, CompileWhileAnotherIsBeingLoaded) {
  const TemporaryDirectory directory;
  const std::string copy = directory.path("copy.so");
  std::filesystem::copy_file(GetParam().plugins.front(), copy);
  EXPECT_TRUE(hostEndsWell({"beside", GetParam().plugins.front(), copy}));
}

TEST_P(Plugins, BesideAnotherLlvm) {
  std::string found;
  for (const char *name :
       {"libLLVM-19.so", "libLLVM.so.19.1", "libLLVM-15.so.1",
        "libLLVM-14.so.1", "libLLVM-14.so"})
    if (void *library = found.empty() ? dlopen(name, RTLD_LAZY) : nullptr) {
      dlclose(library);
      found = name;
    }
  if (found.empty())
    GTEST_SKIP() << kexpr::test::skips::NoSecondLlvm;
  EXPECT_TRUE(
      hostEndsWell(with({"together", "1", "0", found}, GetParam().plugins)))
      << found;
}

TEST_P(Plugins, InANamespaceOfTheirOwn) {
  const auto result = hostEndsWell({"namespace", GetParam().plugins.front()});
  if (!result &&
      std::string(result.message()).find("static TLS") != std::string::npos)
    GTEST_SKIP() << kexpr::test::skips::NoNamespaces;
  // glibc 2.41 ends by SIGSEGV where a library that comes into a namespace
  // loads others meanwhile, as oneTBB does by itself.
  if (!result &&
      !endsWell([] { dlmopen(LM_ID_NEWLM, "libtbb.so.12", RTLD_NOW); }))
    GTEST_SKIP() << kexpr::test::skips::NoTbbInNamespaces;
  EXPECT_TRUE(result);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Plugins,
    testing::Values(Case{"Shared", {KEXPR_SHARED_PLUGIN}},
                    Case{"Static", {KEXPR_STATIC_PLUGIN}},
                    Case{"Both", {KEXPR_SHARED_PLUGIN, KEXPR_STATIC_PLUGIN}}),
    [](const auto &info) { return info.param.name; });
