//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/Allocations.h"
#include "Host/Calls.h"

using namespace kexpr;
using namespace kexpr::test;

// Memory that runs out outside of calls on tensors, and calls that need none.

TEST(OutOfMemoryElsewhere, InReadingAndEvaluating) {
  EXPECT_TRUE(endsWell([] {
    const std::string text = numbered(2), broken = "add(mul(@0,@1),sub(@2,";
    failEach([&] { return bool(Expression::parse(text)); }, [](bool) {});
    failEach([&] { return !Expression::parse(broken); }, [](bool) {});
    const auto expression = Expression::parse("[size(@0,0),add(1,2),0.5]");
    const std::vector<Shape> shapes = {Shape{3, 4}};
    failEach([&] { return bool(evaluate(*expression, shapes)); }, [](bool) {});
  }));
}

TEST(OutOfMemoryElsewhere, InBuildingAnExpression) {
  EXPECT_TRUE(endsWell([] {
    ExpressionBuilder builder;
    const auto a = *builder.operand(0);
    auto last = a;
    // What failed has left nothing behind.
    const auto step = [&] {
      const auto sum = builder.call("add", {last, a});
      const auto half = sum ? builder.call("mul", {*sum, a}) : sum;
      if (half)
        last = *half;
      return bool(half);
    };
    failEach(step, [](bool) {});
    failEach([&] { return bool(builder.finish({last, a})); }, [](bool) {});
    failEach([&] { return bool(ExpressionBuilder().operand(0)); }, [](bool) {});
    EXPECT_EQ(builder.finish(last)->text(), "mul(add(@0,@0),@0)");
  }));
}

TEST(OutOfMemoryElsewhere, InCompilationWithoutLlvm) {
  EXPECT_TRUE(endsWell([] {
    const std::string text = numbered(2), spaced = " " + text;
    {
      const Engine engine;
      failEach([&] { return bool(engine.compile(text, in(Mode::Interpret))); },
               [](bool) {});
      EXPECT_TRUE(works(engine, 2, Mode::Interpret));
      EXPECT_TRUE(works(engine, 3, Mode::Interpret));
    }
    const Engine engine;
    ASSERT_TRUE(works(engine, 2, Mode::Optimized));
    failEach([&] { return bool(engine.compile(text)); }, [](bool) {});
    failEach([&] { return bool(engine.compile(spaced)); }, [](bool) {});
    EXPECT_TRUE(works(engine, 2, Mode::Optimized));
  }));
}

TEST(OutOfMemoryElsewhere, InWhatAnEngineSays) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(numbered(2));
    ASSERT_TRUE(kernel);
    Call call(100);
    const auto inputs = call.inputs();
    failEach([&] { return bool(kernel->outputShape(inputs)); }, [](bool) {});
    failEach([&] { return engine.stats().kernels == 1; }, [](bool) {});
    failEach([&] { return bool(engine.cacheStatus()); }, [](bool) {});
  }));
}

TEST(OutOfMemoryElsewhere, InAnOutputOfManyGroups) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel =
        engine.compile("[add(@0,1),mul(@1,2),add(@2,3)]", in(Mode::Interpret));
    ASSERT_TRUE(kernel) << kernel.error().render();
    const std::vector<float> data(3000, 1);
    std::vector<float> out(6000);
    const std::vector<TensorView> inputs = {TensorView(data.data(), {1000}),
                                            TensorView(data.data(), {2000}),
                                            TensorView(data.data(), {3000})};
    const std::vector<TensorView> outputs = {
        TensorView(out.data(), {1000}), TensorView(out.data() + 1000, {2000}),
        TensorView(out.data() + 3000, {3000})};
    failEach([&] { return bool(kernel->run(inputs, outputs, onThreads(2))); },
             [&](bool isDone) {
               EXPECT_EQ(out[0], isDone ? 2 : 0);
               EXPECT_EQ(out[1500], isDone ? 2 : 0);
               EXPECT_EQ(out[5999], isDone ? 4 : 0);
               out.assign(6000, 0);
             });
  }));
}

TEST(OutOfMemoryElsewhere, InStatesOfSums) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    CompileOptions options = in(Mode::Optimized);
    options.precision = Precision::Accurate;
    const auto kernel = engine.compile("[sum(@0,1),mean(@0,0)]", options);
    ASSERT_TRUE(kernel) << kernel.error().render();
    const std::vector<float> data(200000, 1);
    const std::vector<TensorView> inputs = {{data.data(), {100, 2000}}};
    std::vector<float> out(2100);
    const std::vector<TensorView> outputs = {{out.data(), {100}},
                                             {out.data() + 100, {2000}}};
    auto state = kernel->sumState(inputs);
    ASSERT_TRUE(state) << state.error().render();
    const std::string bytes = *state->bytes();
    for (unsigned threads : {1, 2})
      failEach(
          [&] { return bool(kernel->sumState(inputs, onThreads(threads))); },
          [](bool) {});
    failEach([&] { return bool(state->bytes()); }, [](bool) {});
    failEach([&] { return bool(SumState::parse(bytes)); }, [](bool) {});
    failEach([&] { return bool(state->finish(outputs)); },
             [&](bool isDone) {
               EXPECT_EQ(out[0], isDone ? 2000 : 0);
               EXPECT_EQ(out[2099], isDone ? 1 : 0);
               out.assign(2100, 0);
             });
    const SumState other = *state;
    failEach([&] { return bool(state->merge(other)); },
             [&](bool isDone) { EXPECT_EQ(*state->bytes() != bytes, isDone); });
  }));
}

/// Allocations of a second call on one thread.
static long allocationsOf(const std::string &text,
                          const CompileOptions &options,
                          const std::vector<TensorView> &inputs,
                          const TensorView &output) {
  const Engine engine;
  const auto kernel = engine.compile(text, options);
  EXPECT_TRUE(kernel) << kernel.error().render();
  if (!kernel)
    return -1;
  for (int i = 0; i < 2; ++i) {
    const Status status = kernel->run(inputs, output, onThreads(1));
    EXPECT_TRUE(status) << status.error().render();
  }
  const long before = allocationsLeft;
  EXPECT_TRUE(kernel->run(inputs, output, onThreads(1)));
  return before - allocationsLeft;
}

TEST(WarmCalls, AllocateNothing) {
  const std::vector<float> a(1000, 3), scalar(1, 2);
  const std::vector<std::int32_t> whole(1000, 4);
  std::vector<float> out(1000);
  const TensorView floats(a.data(), {1000}), zeroDim(scalar.data(), Shape()),
      integers(whole.data(), DType::I32, {1000}),
      output(out.data(), Shape{1000});
  for (const Mode mode : {Mode::Optimized, Mode::Baseline, Mode::Interpret}) {
    CompileOptions mixed = in(mode);
    mixed.operandTypes = {DType::F32, DType::I32};
    EXPECT_EQ(allocationsOf("add(@0,@1)", mixed, {floats, integers}, output),
              0);
    EXPECT_EQ(
        allocationsOf("mul(@0,size(@1,0))", in(mode), {floats, floats}, output),
        0)
        << "size";
    EXPECT_EQ(allocationsOf("add(@0,@1)", in(mode), {floats, zeroDim}, output),
              0)
        << "0-d";
    EXPECT_EQ(allocationsOf("add(@0,mul(@1,@2))", mixed,
                            {floats, integers, zeroDim}, output),
              0)
        << "all";
    // Eight tensors, some of them broadcast.
    const std::vector<float> grid(64 * 50, 1);
    std::vector<float> sums(grid.size());
    const TensorView whole(grid.data(), {64, 50}), row(grid.data(), {50}),
        column(grid.data(), {64, 1});
    EXPECT_EQ(allocationsOf(
                  "add(add(add(@0,@1),add(@2,@3)),add(add(@4,@5),mul(@6,0.5)))",
                  in(mode), {whole, row, column, whole, row, column, whole},
                  TensorView(sums.data(), Shape{64, 50})),
              0)
        << "eight tensors";
  }
}
