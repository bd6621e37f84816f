//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Host/SmallStack.h"

using namespace kexpr;
using namespace kexpr::test;

// Threads with little room, as hosts start for each request.

/// Every kind of call, over operands that must be copied.
static void callAll(const Kernel &kernel, const RunOptions &options) {
  static const std::vector<float> a(512 * 600, 3), b(600, 4);
  static std::vector<float> out(512 * 600);
  const Shape shape{512, 600};
  const std::vector<TensorView> inputs = {
      TensorView(a.data(), DType::F32, shape, {1, 512}),
      TensorView(b.data(), {600})};
  const TensorView view(out.data(), shape);
  EXPECT_TRUE(kernel.run(inputs, view, options));
  EXPECT_EQ(out[12345], 10);
  const auto bound = kernel.bind(inputs, view, options);
  ASSERT_TRUE(bound);
  EXPECT_TRUE(runs(*bound));
  EXPECT_TRUE(kernel.runBatch(inputs, view, options));
  EXPECT_TRUE(kernel.outputShape(inputs));
  EXPECT_EQ(out[12345], 10);
}

TEST(SmallStacks, CallsNeedNoMore) {
  for (const Mode mode : AllModes)
    EXPECT_TRUE(endsWell([=] {
      const Engine engine;
      const auto kernel = engine.compile(numbered(2), in(mode));
      ASSERT_TRUE(kernel);
      for (const unsigned threads : {1, 0})
        onStackOf(Small, [&] { callAll(*kernel, onThreads(threads)); });
      engine.settle();
      onStackOf(Small, [&] { callAll(*kernel, onThreads(1)); });
    })) << nameOfMode(mode);
}

/// A call on a small stack, once loops of its shape have their code.
static void callOnSmallStack(const Engine &engine, const std::string &text,
                             const CompileOptions &options,
                             const Shape &shape) {
  const auto kernel = engine.compile(text, options);
  ASSERT_TRUE(kernel);
  const DType type = options.operandTypes[0];
  const std::vector<char> zeros(static_cast<std::size_t>(shape.elementCount()) *
                                sizeOf(type));
  std::vector<char> out(zeros.size());
  const TensorView x(zeros.data(), type, shape), two[] = {x, x};
  const Span<const TensorView> inputs(
      two, text.find("@1") == std::string::npos ? 1 : 2);
  const auto made = kernel->outputShape(inputs);
  ASSERT_TRUE(made);
  const auto run = [&] {
    EXPECT_TRUE(kernel->run(inputs, TensorView(out.data(), type, *made)));
  };
  run();
  engine.settle();
  onStackOf(Small, run);
}

// Loops over columns have what they keep on the stack, and leave alone what
// needs more.
TEST(SmallStacks, CallsOverColumnsNeedNoMore) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    for (const DType type : {DType::F32, DType::F16, DType::F64})
      for (const char *text :
           {"softmax(@0,0)", "sub(softmax(@0,0),softmax(@1,0))",
            "mul(sub(exp(@0),mean(exp(@0),0,True)),"
            "sub(sigmoid(@0),mean(sigmoid(@0),0,True)))"})
        for (const std::int64_t length : {32, 64, 150, 200, 256}) {
          const Shape shape{length, 300};
          CompileOptions options;
          options.operandTypes = {type, type};
          callOnSmallStack(engine, text, options, shape);
        }
  }));
}

/// Terms of @0 that all wait for the innermost one.
static std::string nestOf(const char *term, int terms) {
  std::string text = "@0";
  for (int i = 0; i < terms; ++i)
    text = std::string("add(").append(term) + "(add(@0," + std::to_string(i) +
           "))," + text + ')';
  return text;
}

TEST(SmallStacks, CallsOverColumnsNeedNoMoreWhateverIsComputed) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    for (const char *text :
         {"prod(mish(mish(softplus(sigmoid(@0)))),0)",
          "softmax(mish(softplus(sigmoid(@0))),0)", "softmax(gelu(erf(@0)),0)",
          "gelu(log_softmax(erf(@0),0))", "softmax(gelu(tanh(@0)),0)",
          "layer_norm(gelu(@0),0)", "var(gelu(silu(@0)),0,True)"})
      for (const DType type : {DType::F32, DType::F16, DType::F64})
        for (const Precision precision :
             {Precision::Default, Precision::Accurate})
          for (const Shape &shape : {Shape{30, 8}, Shape{62, 100}}) {
            CompileOptions options;
            options.operandTypes = {type};
            options.precision = precision;
            callOnSmallStack(engine, text, options, shape);
          }
  }));
}

TEST(SmallStacks, CallsOverShortRowsNeedNoMore) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    std::vector<std::string> texts;
    for (const auto &[term, terms] : std::vector<std::pair<const char *, int>>{
             {"abs", 4}, {"abs", 15}, {"abs", 60}, {"exp", 2}, {"exp", 20}}) {
      const std::string nest = nestOf(term, terms);
      texts.push_back("amax(" + nest + ",-1,True)");
      texts.push_back("mul(@0,mean(" + nest + ",-1,True))");
      texts.push_back("softmax(" + nest + ",-1)");
    }
    for (const DType type : {DType::F32, DType::F16, DType::F64})
      for (const std::string &text : texts) {
        CompileOptions options;
        options.operandTypes = {type};
        for (const std::int64_t length : {7, 15, 16, 23, 31, 48, 64})
          callOnSmallStack(engine, text, options, Shape{64, length});
      }
  }));
}

TEST(SmallStacks, CallsOverLongRowsNeedNoMore) {
  EXPECT_TRUE(endsWell([] {
    constexpr std::int64_t most = 300;
    const Engine engine;
    // What would be kept for an output that is stored later than another.
    for (const char *text :
         {"[where(logical_and(lt(@0,@1),lt(@2,@3)),@0,@1),"
          "where(logical_and(lt(@0,@1),lt(@2,@3)),amax(@0,-1,True),2.0)]",
          "[add(mul(@0,@1),mul(@2,@3)),"
          "mul(add(mul(@0,@1),mul(@2,@3)),amin(@3,-1,True))]"})
      for (const std::int64_t length : {512, 1024, 2000, 4096}) {
        const Shape shape{most, length};
        CompileOptions options;
        options.operandTypes.assign(4, DType::F64);
        const auto kernel = engine.compile(text, options);
        ASSERT_TRUE(kernel);
        const std::vector<double> zeros(
            static_cast<std::size_t>(shape.elementCount()));
        const std::vector<TensorView> inputs(
            4, TensorView(zeros.data(), DType::F64, shape));
        const std::size_t bytes = zeros.size() * sizeof(double), line = 64;
        std::vector<char> memory(2 * bytes + 2 * line);
        char *first = memory.data() + line -
                      reinterpret_cast<std::uintptr_t>(memory.data()) % line;
        const std::vector<TensorView> outputs = {
            TensorView(static_cast<void *>(first), DType::F64, shape),
            TensorView(static_cast<void *>(first + bytes), DType::F64, shape)};
        for (const Stores stores : {Stores::Cached, Stores::Streamed}) {
          RunOptions run;
          run.stores = stores;
          const auto call = [&] {
            EXPECT_TRUE(kernel->run(inputs, outputs, run));
          };
          for (int turn = 0; turn < 2; ++turn) {
            call();
            engine.settle();
          }
          onStackOf(Small, call);
        }
      }
  }));
}

TEST(SmallStacks, CompilationWorksOrSaysWhyNot) {
  for (const Mode mode : AllModes)
    for (const bool isLoaded : {false, true})
      EXPECT_TRUE(endsWell([=] {
        if (isLoaded)
          (void)Engine().vectorBits();
        onStackOf(Small, [=] {
          const Engine engine;
          for (const std::string &text :
               {numbered(2), slowText(3), "add(" + slowText(60) + ",@2)"}) {
            const auto kernel = engine.compile(text, in(mode));
            EXPECT_TRUE(kernel || !kernel.error().message().empty());
          }
          engine.settle();
        });
      })) << nameOfMode(mode);
}

TEST(SmallStacks, DeepTextsWorkOrSayWhyNot) {
  std::string text = "@0";
  for (int i = 0; i < 4000; ++i)
    text = "neg(" + text + ")";
  for (const Mode mode : AllModes)
    EXPECT_TRUE(endsWell([&] {
      onStackOf(Small, [&] {
        const Engine engine;
        const auto kernel = engine.compile(text, in(mode));
        EXPECT_TRUE(kernel || !kernel.error().message().empty());
        engine.settle();
        const auto expression = Expression::parse("size(@0,0)");
        const std::vector<Shape> shapes = {Shape{3}};
        EXPECT_TRUE(evaluate(*expression, shapes));
      });
    })) << nameOfMode(mode);
}

TEST(SmallStacks, EveryStageIsShown) {
  for (const Mode mode : {Mode::Optimized, Mode::Baseline, Mode::Tiered})
    EXPECT_TRUE(endsWell([=] {
      const Engine engine;
      const auto kernel = engine.compile(slowText(1), in(mode));
      ASSERT_TRUE(kernel);
      onStackOf(Small, [&] {
        for (std::size_t i = 0; i < StageCount; ++i) {
          const auto text = kernel->dump(static_cast<Stage>(i));
          EXPECT_TRUE(text || engine.vectorBits() == 0) << i;
        }
      });
      engine.settle();
    })) << nameOfMode(mode);
}

TEST(SmallStacks, AWalkThatACallNeedsIsCompiled) {
  EXPECT_TRUE(endsWell([] {
    const Engine engine;
    const auto kernel = engine.compile(slowText(1), in(Mode::Optimized));
    ASSERT_TRUE(kernel);
    const std::vector<float> a(600, 3), b(1, 4);
    std::vector<float> out(300);
    const TensorView x(a.data(), DType::F32, {300}, {2}), y(b.data(), {1});
    onStackOf(Small, [&] {
      EXPECT_TRUE(kernel->run({x, y}, TensorView(out.data(), {300})));
    });
  }));
}
