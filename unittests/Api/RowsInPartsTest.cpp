//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops along long rows that sweep over each in parts give what sweeps give,
// whatever their length, and wherever they are stored.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"

namespace kexpr::test::rows::in_parts {
namespace {

constexpr std::int64_t Rows = 17;
constexpr std::int64_t Lengths[] = {129,  144,  160,  255,  256,  600,
                                    1000, 1024, 2047, 2048, 2049, 2100,
                                    4096, 4097, 6000, 8191, 8192, 8193};

TEST(RowsInParts, OfEachLength) {
  for (const std::int64_t length : Lengths)
    for (const char *text :
         {"rms_norm(@0,-1)", "div(@0,amax(@0,-1,True))", "layer_norm(@0,-1)",
          "var(@0,-1)", "sub(@0,mean(@0,-1,True))"})
      expectSame(text, {randomTensor(DType::F32, {Rows, length}, 1)});
}

TEST(RowsInParts, HaveALoop) {
  const Kernel kernel = compiled("div(@0,amax(@0,-1,True))", {DType::F32});
  const auto sizeAfter = [&](const Shape &shape) {
    const Tensor x = randomTensor(DType::F32, shape, 2);
    Tensor out(DType::F32, shape);
    EXPECT_TRUE(kernel.run(viewsOf({x}), {{out.view()}}));
    engineOf(0).settle();
    return kernel.codeSize();
  };
  // So few, or so long and off lines, that sweeps take them, which have their
  // code then.
  std::size_t size = sizeAfter({2, 1000});
  for (const Shape &shape : {Shape{15, 8191}, {Rows, 9001}}) {
    EXPECT_EQ(sizeAfter(shape), size) << shape.str();
    size = kernel.codeSize();
  }
  for (const Shape &shape : {Shape{Rows, 1000}, {Rows, 2048}, {Rows, 8192}}) {
    EXPECT_GT(sizeAfter(shape), size) << shape.str();
    size = kernel.codeSize();
  }
}

TEST(RowsInParts, OfEachType) {
  for (DType type : OtherTypes)
    for (const std::int64_t length : {513, 2500, 4096})
      for (const char *text :
           {"mul(@0,sum(@0,-1,True))", "where(any(gt(@0,0),-1,True),@0,2)",
            "maximum(@0,amin(@0,-1,True))", "sub(@0,prod(@0,-1,True))"})
        if (type != DType::Bool || text[0] == 'w')
          expectSame(text, {randomTensor(type, {Rows, length}, 3)});
}

TEST(RowsInParts, BesideOtherOperands) {
  for (const std::int64_t length : {300, 1024, 2050, 4100}) {
    const Tensor x = randomTensor(DType::F32, {3, Rows, length}, 4),
                 y = randomTensor(DType::F64, {3, Rows, length}, 5),
                 weight = randomTensor(DType::F32, {length}, 6),
                 ofRow = randomTensor(DType::F32, {3, Rows, 1}, 7),
                 mask = randomTensor(DType::Bool, {3, Rows, length}, 8),
                 one = randomTensor(DType::F32, {1}, 9);
    expectSame("rms_norm(@0,-1,@1)", {x, weight});
    expectSame("layer_norm(@0,-1,@1,@1)", {x, weight});
    expectSame("mul(sub(mul(@0,@1),mean(mul(@0,@1),-1,True)),@1)", {x, ofRow});
    expectSame("mul(where(@1,@0,0),sum(where(@1,@0,@2),-1,True))",
               {x, mask, one});
    expectSame("div(@0,add(sum(abs(@1),-1,True),1))", {x, y});
    expectSame("sub(@0,mean(@1,-1,True))", {x, y});
    // Stored by several sweeps, and results of rows beside.
    expectSame("[mul(@0,2),sub(@0,amax(@0,-1,True)),sum(@0,-1)]", {x});
    expectSame("[sub(@0,amax(@0,-1,True)),add(@0,amin(@0,-1,True))]", {x});
    expectSame("[sub(@0,mean(@0,-1,True)),var(@0,-1)]", {x});
    // Truths that are kept.
    expectSame("[where(logical_and(lt(@0,0.5),lt(mul(@0,@0),2)),@0,1),"
               "where(logical_and(lt(@0,0.5),lt(mul(@0,@0),2)),"
               "amax(@0,-1,True),2)]",
               {x});
    expectSame("[mul(@0,2),where(@1,@0,sum(where(@1,@0,0),-1,True))]",
               {x, mask});
    // Rows that have no elements of their own, or lie otherwise.
    expectSame("sub(@0,mean(@0,-1,True))", {x.with({0, 0, 1})});
    expectSame("sub(@0,mean(@0,-1,True))", {x.with(reversed(x.shape, 2))});
    expectSame("add(sub(@0,mean(@0,-1,True)),@1)",
               {x, y.with(reversed(y.shape, 1))});
    expectSame("mul(@0,amax(mul(@0,mean(@1,-1,True)),-1,True))", {x, y});
  }
}

TEST(RowsInParts, OfSpecialElements) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float special[] = {-inf, 0, 1e-42f, -1, 1e38f, -0.0f, NAN, inf};
  for (const std::int64_t length : {200, 1000, 3000})
    for (const std::size_t apart : {1, 7, 400, 3001}) {
      std::vector<float> values;
      for (std::int64_t i = 0; i < Rows * length; ++i)
        values.push_back(i % apart == 0
                             ? special[i / apart % std::size(special)]
                             : 0.01f * static_cast<float>(i % 97));
      const Tensor x(DType::F32, {Rows, length}, values);
      for (const char *text : {"rms_norm(@0,-1)", "div(@0,amax(@0,-1,True))",
                               "layer_norm(@0,-1)", "mul(@0,sum(@0,-1,True))"})
        expectSame(text, {x});
    }
}

TEST(RowsInParts, MayBeStoredOverTheirOperand) {
  for (const char *text :
       {"rms_norm(@0,-1)", "layer_norm(@0,-1)", "div(@0,amax(@0,-1,True))"})
    for (const std::int64_t length : {129, 512, 1024, 2048, 4099})
      for (int way = 0; way < 2; ++way)
        expectSameInPlace(text, randomTensor(DType::F32, {40, length}, 10));
}

/// Stores rows past the caches from each of some places of a line on, and finds
/// what is expected there and nothing around it.
void expectStreamed(const char *text, DType type, std::int64_t length) {
  constexpr std::int64_t bytes = 5 << 20, line = 64;
  const auto size = static_cast<std::int64_t>(sizeOf(type));
  const std::int64_t rows = bytes / 2 / size / length + 1;
  const Tensor x = randomTensor(type, {rows, length}, 11);
  const Kernel kernel = compiled(text, {type});
  const Tensors expected = outputsOf(text, {x});
  const auto count = static_cast<std::size_t>(rows * length * size);
  std::vector<char> memory(count + 4 * line, 7);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  for (const std::int64_t off :
       {std::int64_t{0}, size, 3 * size, line - size}) {
    char *first = memory.data() + 2 * line - begin % line + off;
    RunOptions options = runOptions(2);
    options.stores = Stores::Streamed;
    for (int turn = 0; turn < 3; ++turn) {
      std::fill(memory.begin(), memory.end(), 7);
      ASSERT_TRUE(kernel.run(viewsOf({x}), {{TensorView(first, type, x.shape)}},
                             options));
      engineOf(0).settle();
      ASSERT_EQ(std::memcmp(first, expected[0].view().data(), count), 0)
          << text << ' ' << length << ' ' << off << ' ' << turn;
      ASSERT_EQ(std::count(memory.data(), first, 7), first - memory.data());
      ASSERT_EQ(std::count(first + count, &memory.back(), 7),
                &memory.back() - (first + count));
    }
  }
}

TEST(RowsInParts, ArePastTheCachesWhereverTheyBegin) {
  for (const std::int64_t length : {129, 160, 1000, 1024, 2050, 4096})
    for (const char *text :
         {"mul(rms_norm(@0,-1),2)", "mul(layer_norm(@0,-1),2)"})
      expectStreamed(text, DType::F32, length);
  for (const std::int64_t length : {2100, 4096}) {
    expectStreamed("sub(@0,mean(@0,-1,True))", DType::F64, length);
    expectStreamed("sub(@0,amax(@0,-1,True))", DType::I16, length);
  }
}

} // namespace
} // namespace kexpr::test::rows::in_parts
