//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr-c/kexpr.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

using namespace kexpr;

namespace {
/// A host that ends a call when it is asked for the n-th time.
struct Host {
  explicit Host(int last) : last(last) {}
  Interrupt interrupt() {
    return {[](void *context) {
              Host &host = *static_cast<Host *>(context);
              EXPECT_EQ(std::this_thread::get_id(), host.thread);
              return ++host.asked == host.last;
            },
            this};
  }

  const std::thread::id thread = std::this_thread::get_id();
  int asked = 0;
  const int last;
};

/// An expression over one operand, and its result.
struct Case {
  const char *text;
  Shape in, out;
};
} // namespace

static std::vector<float> inputOf(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = std::sin(static_cast<float>(i));
  return values;
}

static const Case Cases[] = {
    {"exp(sin(@0))", {1 << 22}, {1 << 22}},
    {"add(exp(@0),1)", {64, 1 << 15}, {64, 1 << 15}},
    {"sum(exp(@0),-1)", {(1 << 24) + 5}, {}},
    {"mean(exp(@0),1)", {1 << 15, 100}, {1 << 15}},
    {"sum(exp(@0),0)", {100, 1 << 15}, {1 << 15}},
    {"softmax(@0,0)", {4000, 1000}, {4000, 1000}},
    {"softmax(@0,1)", {1 << 15, 100}, {1 << 15, 100}},
};

TEST(Interrupt, LeavesBitsAloneWhereTheHostGoesOn) {
  const Engine engine;
  for (const Case &one : Cases) {
    const auto kernel = engine.compile(one.text);
    ASSERT_TRUE(kernel) << kernel.error().render();
    auto in = inputOf(static_cast<std::size_t>(one.in.elementCount()));
    std::vector<float> right(static_cast<std::size_t>(one.out.elementCount()));
    auto out = right;
    const TensorView input(in.data(), one.in);
    ASSERT_TRUE(kernel->run(input, TensorView(right.data(), one.out)));
    for (unsigned threads : {0, 1}) {
      Host host(-1);
      RunOptions options;
      options.maxThreads = threads;
      options.tileElements = 1000;
      options.interrupt = host.interrupt();
      ASSERT_TRUE(kernel->run(input, TensorView(out.data(), one.out), options));
      // Other threads may do all of it while the caller gets no processor.
      EXPECT_TRUE(host.asked > 0 || threads == 0) << one.text;
      EXPECT_EQ(
          std::memcmp(out.data(), right.data(), out.size() * sizeof(float)), 0)
          << one.text;
    }
  }
}

TEST(Interrupt, EndsCallsOfEveryKind) {
  const Engine engine;
  for (const Case &one : Cases) {
    const auto kernel = engine.compile(one.text);
    ASSERT_TRUE(kernel);
    auto in = inputOf(static_cast<std::size_t>(one.in.elementCount()));
    std::vector<float> out(static_cast<std::size_t>(one.out.elementCount()));
    const TensorView input(in.data(), one.in), output(out.data(), one.out);
    for (unsigned threads : {0, 1}) {
      Host host(1);
      RunOptions options;
      options.maxThreads = threads;
      options.tileElements = 1000;
      options.interrupt = host.interrupt();
      const auto expectEnd = [&](const Status &status) {
        // Other threads may do all of it while the caller gets no processor.
        if (threads == 0 && status && host.asked == 0)
          return;
        ASSERT_FALSE(status) << one.text;
        EXPECT_EQ(status.error().code(), ErrorCode::InvalidArgument);
        EXPECT_EQ(host.asked, 1) << one.text;
        host.asked = 0;
      };
      expectEnd(kernel->run(input, output, options));
      const auto bound = kernel->bind(input, output, options);
      ASSERT_TRUE(bound);
      expectEnd(bound->run());
      const auto prepared = kernel->prepare(input, output, options);
      ASSERT_TRUE(prepared);
      const void *const from = in.data();
      void *const to = out.data();
      expectEnd(prepared->run({&from, 1}, {&to, 1}));
    }
  }
}

TEST(Interrupt, IsNotAskedForInSmallCalls) {
  const Engine engine;
  const auto kernel = engine.compile("exp(@0)");
  ASSERT_TRUE(kernel);
  auto values = inputOf(1000);
  Host host(1);
  RunOptions options;
  options.interrupt = host.interrupt();
  const TensorView view(values.data(), {1000});
  EXPECT_TRUE(kernel->run(view, view, options));
  EXPECT_EQ(host.asked, 0);
}

TEST(Interrupt, OfC) {
  kexpr_engine *engine = nullptr;
  kexpr_kernel *kernel = nullptr;
  ASSERT_EQ(kexpr_engine_create(nullptr, &engine, nullptr), KEXPR_OK);
  ASSERT_EQ(
      kexpr_engine_compile(engine, "exp(sin(@0))", nullptr, &kernel, nullptr),
      KEXPR_OK);
  auto values = inputOf(1 << 22);
  const std::int64_t count = 1 << 22;
  const kexpr_tensor tensor = {values.data(), KEXPR_F32, 1, &count, nullptr};
  int asked = 0;
  kexpr_run_options options = {};
  options.size = sizeof options;
  options.max_threads = 1;
  options.interrupt = {
      [](void *context) { return ++*static_cast<int *>(context) == 2; },
      &asked};
  EXPECT_EQ(kexpr_kernel_run(kernel, &tensor, 1, &tensor, 1, &options, nullptr),
            KEXPR_INVALID_ARGUMENT);
  EXPECT_EQ(asked, 2);
  kexpr_kernel_free(kernel);
  kexpr_engine_free(engine);
}
