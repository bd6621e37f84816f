//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/EngineListeners.h"
#include "Runtime/Pipeline.h"
#include "TestUtil/Files.h"

#include <cstdlib>

using namespace kexpr;
using namespace kexpr::runtime;
using namespace kexpr::test;
using codegen::OptLevel;
using semantics::AccessPattern;
using semantics::Plan;

namespace {
/// What the environment says in one test; none of it is there before or after.
class Variable {
public:
  Variable(const char *name, const std::string &text) : name(name) {
    setenv(name, text.c_str(), 1);
  }
  ~Variable() { unsetenv(name); }

private:
  const char *name;
};
} // namespace

static Plan planWithListing(const std::string &text,
                            const CompileOptions &options = {}) {
  const auto expression = Expression::parse(text);
  Plan plan = *planOf(*expression, options);
  plan.listing =
      std::make_shared<const syntax::Listing>(syntax::list(*expression));
  return plan;
}

static std::string faultOf(const EngineListeners &listeners) {
  const Status status = listeners.status();
  return status ? "" : status.error().message();
}

TEST(EngineListeners, NamesAreExpressionsAndWhatTheirCodeIsMadeFor) {
  Plan plan = planWithListing("add( @0, mul(@1,2))");
  EXPECT_EQ(nameOf(plan, OptLevel::Optimized), "add(@0,mul(@1,2))");
  EXPECT_EQ(nameOf(plan, OptLevel::Baseline), "add(@0,mul(@1,2)) [baseline]");
  plan.inputs[1].pattern = AccessPattern::Constant;
  plan.outputs[0].pattern = AccessPattern::Strided;
  EXPECT_EQ(nameOf(plan, OptLevel::Optimized),
            "add(@0,mul(@1,2)) [@1 constant, out0 strided]");
  plan.precision = Precision::Accurate;
  plan.streams = true;
  EXPECT_EQ(nameOf(plan, OptLevel::Baseline),
            "add(@0,mul(@1,2)) [baseline, accurate, streamed, @1 constant, "
            "out0 strided]");
  EXPECT_EQ(nameOf(planWithListing("neg(@3)",
                                   {.operandTypes = {DType::F32, DType::F32,
                                                     DType::F32, DType::F16}}),
                   OptLevel::Optimized),
            "neg(@3) [@3 f16, out0 f16]");
}

TEST(EngineListeners, LongNamesStayDifferent) {
  std::string text = "@0";
  for (int i = 1; i < 40; ++i)
    text = "add(" + text + ",@" + std::to_string(i) + ")";
  Plan plan = planWithListing(text);
  for (auto &access : plan.inputs)
    access.pattern = AccessPattern::Strided;
  const std::string all = nameOf(plan, OptLevel::Optimized);
  EXPECT_LT(all.size(), 220u);
  plan.inputs[39].pattern = AccessPattern::Constant;
  EXPECT_NE(nameOf(plan, OptLevel::Optimized), all);
}

TEST(EngineListeners, OffIsNothing) {
  const EngineListeners listeners{ListenerOptions()};
  EXPECT_EQ(listeners.listeners(), nullptr);
  EXPECT_EQ(listeners.listingOf(*Expression::parse("@0")), nullptr);
  EXPECT_TRUE(listeners.status());
}

TEST(EngineListeners, ListingsAreInFilesOfTheirOwn) {
  const TemporaryDirectory root;
  std::filesystem::create_symlink(root.path(), root.path("link"));
  const EngineListeners listeners(
      {.debugger = true, .directory = root.path("link/made")});
  const auto expression = Expression::parse("add(mul(@0, @1), 2)");
  const auto listing = listeners.listingOf(*expression);
  ASSERT_TRUE(listing);
  EXPECT_TRUE(listeners.status());
  EXPECT_EQ(listing->path.find(std::filesystem::canonical(root.path("made")) /
                               "add_mul_0_1_2"),
            0u)
      << listing->path;
  EXPECT_TRUE(listing->path.ends_with(".kexpr"));
  EXPECT_EQ(readFile(listing->path), listing->text);
  EXPECT_EQ(listing->text, syntax::list(*expression).text);
  EXPECT_EQ(modeOf(root.path("made")), 0700u);
  // What is there stays: somebody may have it open.
  writeFile(listing->path, "seen");
  EXPECT_EQ(listeners.listingOf(*expression)->path, listing->path);
  EXPECT_EQ(readFile(listing->path), "seen");
  const auto other =
      listeners.listingOf(*Expression::parse("add(mul(@0,@1),3)"));
  EXPECT_NE(other->path, listing->path);
}

TEST(EngineListeners, ADirectoryThatCannotBeUsedIsSaid) {
  const TemporaryDirectory root;
  writeFile(root.path("file"), "");
  const EngineListeners listeners({.perfMap = false,
                                   .jitDump = true,
                                   .debugger = true,
                                   .directory = root.path("file")});
  EXPECT_NE(faultOf(listeners).find(root.path("file")), std::string::npos);
  ASSERT_TRUE(listeners.listeners());
  const auto listing = listeners.listingOf(*Expression::parse("neg(@0)"));
  EXPECT_EQ(listing->path.rfind("neg_0-", 0), 0u) << listing->path;
}

TEST(EngineListeners, ReadsTheEnvironment) {
  const TemporaryDirectory root;
  const Variable directory("KEXPR_PROFILE_DIR", root.path("there"));
  {
    const Variable words("KEXPR_LISTENERS", "gdb");
    const EngineListeners listeners{ListenerOptions()};
    EXPECT_TRUE(listeners.listeners());
    EXPECT_TRUE(listeners.status()) << faultOf(listeners);
    EXPECT_TRUE(std::filesystem::exists(root.path("there")));
  }
  {
    const Variable words("KEXPR_LISTENERS", "perf,gdb,");
    const EngineListeners listeners{ListenerOptions()};
    EXPECT_TRUE(listeners.listeners());
    EXPECT_NE(faultOf(listeners).find("'perf'"), std::string::npos);
  }
  {
    const Variable words("KEXPR_LISTENERS", "vtune,jitdump");
    const EngineListeners listeners{ListenerOptions()};
    EXPECT_TRUE(listeners.listeners());
    EXPECT_EQ(namesIn(root.path("there"), "jit-").size(), 1u);
  }
}

TEST(EngineListeners, GoesToTheUsersCacheUnlessSaidOtherwise) {
  const TemporaryDirectory root;
  const Variable home("HOME", root.path("home"));
  {
    const Variable cache("XDG_CACHE_HOME", "not/a/whole/path");
    const EngineListeners listeners({.debugger = true});
    EXPECT_TRUE(
        std::filesystem::exists(root.path("home/.cache/kexpr/profile")));
  }
  const Variable cache("XDG_CACHE_HOME", root.path("cache"));
  const EngineListeners listeners({.debugger = true});
  EXPECT_TRUE(std::filesystem::exists(root.path("cache/kexpr/profile")));
}
