//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Allocations.h"
#include "Host/Calls.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

using namespace kexpr;
using namespace kexpr::test;

// Memory that runs out at any one allocation of a call, on whichever thread:
// the call succeeds, or is an error and has written nothing.

std::atomic<long> kexpr::test::allocationsLeft = PlentyOfAllocations;

static void *allocate(std::size_t size, std::size_t alignment) {
  if (allocationsLeft.fetch_sub(1, std::memory_order_relaxed) <= 0)
    throw std::bad_alloc();
  void *memory = nullptr;
  if (posix_memalign(&memory, std::max(alignment, sizeof(void *)), size) != 0)
    throw std::bad_alloc();
  return memory;
}

// Inlined into tests, these confuse GCC 12's check of what is freed how.
[[gnu::noinline]] void *operator new(std::size_t size) {
  return allocate(size, alignof(std::max_align_t));
}
void *operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void *memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace {
/// Operands of a sum of so many rows of 512 elements, whose last is transposed
/// and whose first is broadcast, so that tiles of both are copied.
struct Operands {
  explicit Operands(std::size_t count, std::int64_t rows = 600)
      : full{rows, Columns}, data(count), out(rows * Columns) {
    for (std::size_t k = 0; k < count; ++k) {
      data[k].assign(out.size(), static_cast<float>(k + 1));
      views.push_back(TensorView(data[k].data(), full));
    }
    views.front() = TensorView(data.front().data(), {rows, 1});
    views.back() = TensorView(static_cast<const void *>(data.back().data()),
                              DType::F32, full, {1, rows});
    output = TensorView(out.data(), full);
    spoil();
  }
  void spoil() { std::memset(out.data(), 0xFF, out.size() * sizeof(float)); }
  /// Whether a call that succeeded, or not, has left what it must.
  bool isRight(bool isDone) const {
    const auto sum = static_cast<float>(data.size() * (data.size() + 1) / 2);
    for (const float value : out)
      if (isDone ? value != sum : value == value)
        return false;
    return true;
  }
  static constexpr std::int64_t Columns = 512;

  Shape full;
  std::vector<std::vector<float>> data;
  std::vector<float> out;
  std::vector<TensorView> views;
  TensorView output;
};

std::string sumOf(std::size_t count, std::size_t first = 0) {
  std::string text = "@" + std::to_string(first);
  for (std::size_t k = first + 1; k < first + count; ++k)
    text = "add(" + text + ",@" + std::to_string(k) + ")";
  return text;
}

using Case = std::tuple<Mode, std::size_t, unsigned>;
/// Calls of two sums of different shapes, or of the first alone.
class OutOfMemory : public testing::TestWithParam<Case> {
protected:
  static RunOptions options() {
    const unsigned threads = std::get<2>(GetParam());
    RunOptions options = onThreads(threads);
    options.stayAwake = std::chrono::microseconds(threads == 3 ? 2000 : 0);
    return options;
  }
  /// A kernel that has its machine code for such calls, in a process whose
  /// scheduler is at work: oneTBB's own start is not kexpr's.
  Kernel ready(const std::string &text, Span<const TensorView> inputs,
               Span<const TensorView> outputs) const {
    const Mode mode = std::get<0>(GetParam());
    for (const unsigned threads : {0, 2, 3})
      EXPECT_TRUE(
          works(engine, 2, Mode::Optimized, 1000000, onThreads(threads)));
    auto kernel = engine.compile(text, in(mode));
    EXPECT_TRUE(kernel) << kernel.error().render();
    if (mode != Mode::Interpret) {
      EXPECT_TRUE(kernel->run(inputs, outputs, onThreads(1)));
    }
    engine.settle();
    return *kernel;
  }
  Kernel readyForOne() const {
    return ready(sumOf(count), first.views, first.output);
  }
  Kernel readyForBoth() const {
    return ready("[" + sumOf(count) + "," + sumOf(count, count) + "]",
                 allViews(), outputs());
  }
  std::vector<TensorView> allViews() const {
    auto all = first.views;
    all.insert(all.end(), second.views.begin(), second.views.end());
    return all;
  }
  std::vector<TensorView> outputs() const {
    return {first.output, second.output};
  }
  /// Has each allocation of `run`, which computes the first sum or both, fail.
  void expectAllOrNothing(const std::function<Status()> &run,
                          bool ofBoth = false) {
    first.spoil();
    second.spoil();
    failEach([&] { return bool(run()); },
             [&](bool isDone) {
               EXPECT_TRUE(first.isRight(isDone)) << "done: " << isDone;
               EXPECT_TRUE(second.isRight(isDone && ofBoth)) << isDone;
               first.spoil();
               second.spoil();
             });
  }

  const std::size_t count = std::get<1>(GetParam());
  Operands first{count}, second{count, 400};
  Engine engine;
};
} // namespace

TEST_P(OutOfMemory, InARun) {
  EXPECT_TRUE(endsWell([this] {
    const Kernel kernel = readyForOne();
    expectAllOrNothing(
        [&] { return kernel.run(first.views, first.output, options()); });
  }));
}

TEST_P(OutOfMemory, InABatch) {
  EXPECT_TRUE(endsWell([this] {
    const Kernel kernel = readyForOne();
    expectAllOrNothing(
        [&] { return kernel.runBatch(first.views, first.output, options()); });
  }));
}

TEST_P(OutOfMemory, InBindingACall) {
  EXPECT_TRUE(endsWell([this] {
    const Kernel kernel = readyForOne();
    const auto bind = [&] {
      return kernel.bind(first.views, first.output, options());
    };
    first.spoil();
    failEach([&] { return bool(bind()); },
             [&](bool) { EXPECT_TRUE(first.isRight(false)); });
    const auto bound = bind();
    ASSERT_TRUE(bound);
    expectAllOrNothing([&] { return bound->run(); });
  }));
}

TEST_P(OutOfMemory, OnAThreadOfTheHosts) {
  EXPECT_TRUE(endsWell([this] {
    const Kernel kernel = readyForOne();
    RunOptions given = options();
    given.executor.threads = 3;
    given.executor.run = [](void *, std::int64_t tasks, Executor::Tasks doTasks,
                            void *call) {
      std::thread([=] { doTasks(0, tasks, call); }).join();
    };
    expectAllOrNothing(
        [&] { return kernel.run(first.views, first.output, given); });
  }));
}

TEST_P(OutOfMemory, WhereOutputsDifferInShape) {
  EXPECT_TRUE(endsWell([this] {
    const Kernel kernel = readyForBoth();
    const auto views = allViews(), targets = outputs();
    expectAllOrNothing([&] { return kernel.run(views, targets, options()); },
                       true);
    const auto call = kernel.prepare(views, targets, options());
    ASSERT_TRUE(call) << call.error().render();
    std::vector<const void *> from;
    std::vector<void *> to;
    for (const TensorView &view : views)
      from.push_back(view.data());
    for (const TensorView &target : targets)
      to.push_back(target.data());
    expectAllOrNothing([&] { return call->run(from, to); }, true);
  }));
}

INSTANTIATE_TEST_SUITE_P(Calls, OutOfMemory,
                         testing::Combine(testing::Values(Mode::Optimized,
                                                          Mode::Baseline,
                                                          Mode::Interpret),
                                          testing::Values(2, 9, 40),
                                          testing::Values(1, 2, 3)));
