//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Thread.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include <pthread.h>
#include <sys/mman.h>

using namespace kexpr;

// How much stack the code generator needs for the longest loops it is given.

namespace {
/// Memory for a stack, in which can be seen what was used of it.
class WatchedStack {
public:
  explicit WatchedStack(std::size_t size)
      : size(size),
        start(static_cast<char *>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~WatchedStack() { munmap(start, size); }
  WatchedStack(const WatchedStack &) = delete;
  WatchedStack &operator=(const WatchedStack &) = delete;

  void run(std::function<void()> work) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, start, size);
    pthread_t thread;
    const auto main = [](void *given) -> void * {
      (*static_cast<std::function<void()> *>(given))();
      return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, main, &work), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
  }
  std::size_t used() const {
    std::size_t untouched = 0;
    while (untouched < size && start[untouched] == 0)
      ++untouched;
    return size - untouched;
  }

private:
  std::size_t size;
  char *start;
};

struct Growth {
  const char *name;
  /// One more operator, or a few.
  std::string (*around)(const std::string &inner, int i);
};
void PrintTo(const Growth &growth, std::ostream *out) { *out << growth.name; }

class Stack : public testing::TestWithParam<std::tuple<Growth, Mode>> {};
} // namespace

static std::string textOf(const Growth &growth, int operators) {
  std::string text = "@0";
  for (int i = 0; i < operators; ++i)
    text = growth.around(text, i);
  return text;
}

/// The longest text whose loop gets machine code in that mode.
static std::string longest(const Growth &growth,
                           const CompileOptions &options) {
  CompileOptions interpreted = options;
  interpreted.mode = Mode::Interpret;
  constexpr int some = 64;
  const auto kernel = Engine().compile(textOf(growth, some), interpreted);
  const int bound = options.mode == Mode::Optimized ? 6000 : 20000;
  return textOf(growth, bound * some /
                            static_cast<int>(kernel->operationsPerElement()));
}

TEST_P(Stack, IsEnoughForTheLongestLoops) {
  const auto &[growth, mode] = GetParam();
  CompileOptions options;
  options.mode = mode;
  options.limits.maxDepth = 1 << 16;
  const std::string text = longest(growth, options);
  for (const char *cpu : {"", "haswell"}) {
    EngineOptions of;
    of.cpu = cpu;
    const Engine engine(of);
    if (engine.vectorBits() == 0)
      continue; // It does not run here.
    WatchedStack stack(EnoughStack + (64 << 10));
    stack.run([&, mode = mode] {
      const auto kernel = engine.compile(text, options);
      ASSERT_TRUE(kernel) << kernel.error().render();
      EXPECT_EQ(kernel->tier(),
                mode == Mode::Optimized ? Tier::Optimized : Tier::Baseline);
    });
    RecordProperty("used", std::to_string(stack.used() >> 10));
    EXPECT_LT(2 * stack.used(), EnoughStack) << stack.used();
  }
}

static constexpr Growth Growths[] = {
    {"ByKnownDivisors",
     [](const std::string &inner, int i) {
       return "div(" + inner + (i % 2 ? ",12)" : ",7)");
     }},
    {"Exponentials",
     [](const std::string &inner, int) { return "exp(" + inner + ")"; }},
    {"Sums", [](const std::string &inner,
                int i) { return (i % 2 ? "add(" : "mul(") + inner + ",@1)"; }},
};

INSTANTIATE_TEST_SUITE_P(Growths, Stack,
                         testing::Combine(testing::ValuesIn(Growths),
                                          testing::Values(Mode::Optimized,
                                                          Mode::Baseline)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) == Mode::Optimized
                                       ? "Optimized"
                                       : "Baseline");
                         });
