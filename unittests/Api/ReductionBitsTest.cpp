//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits of reductions are those of their definition, and depend on nothing
// that is not part of it.
//
//===----------------------------------------------------------------------===//
#include "Api/ReductionTree.h"
#include "Api/Rows.h"

namespace kexpr::test::rows::bits {
namespace {

template <class State, class T> State treeSum(const std::vector<T> &values) {
  return rootOf<State>(values, [](T value, auto) { return State{value}; });
}

float sumOf(const std::vector<float> &values) {
  return static_cast<float>(treeSum<double>(values));
}
double sumOf(const std::vector<double> &values) {
  const Pair sum = treeSum<Pair>(values);
  return sum.high + sum.lost;
}
std::int64_t sumOf(const std::vector<std::int64_t> &values) {
  return static_cast<std::int64_t>(treeSum<std::uint64_t>(
      std::vector<std::uint64_t>(values.begin(), values.end())));
}

template <class T> struct Sums : testing::Test {};
using Types = testing::Types<float, double, std::int64_t>;
TYPED_TEST_SUITE(Sums, Types);

template <class T>
void expectSums(std::string_view text, const Tensor &input,
                const std::vector<T> &sums, const Way &way) {
  const Tensors outputs = outputsOf(text, {input}, way);
  ASSERT_EQ(outputs[0].bytes(),
            Tensor(dtypeOf<T>, outputs[0].shape, sums).bytes())
      << text << " of " << input.shape.str() << ", strides "
      << input.strides.str() << ", " << way.str();
}

constexpr std::int64_t Counts[] = {0,    1,    2,    3,    31,   32,
                                   33,   63,   64,   65,   1000, 2047,
                                   2048, 2049, 4095, 4096, 6145, 14337};

TYPED_TEST(Sums, AreThoseOfTheTree) {
  for (const std::int64_t count : Counts) {
    const Tensor input = randomTensor(dtypeOf<TypeParam>, {count}, 7);
    const std::vector<TypeParam> sum = {
        sumOf(input.template values<TypeParam>())};
    for (const Way &way : allWays()) {
      expectSums("sum(@0)", input, sum, way);
      expectSums("sum(@0,0,True)", input.with({3}), sum, way);
    }
  }
}

TYPED_TEST(Sums, OfRowsAndOfColumnsAreTheSame) {
  for (const std::int64_t count : Counts) {
    const Tensor rows = randomTensor(dtypeOf<TypeParam>, {7, count}, 8);
    const auto all = rows.template values<TypeParam>();
    std::vector<TypeParam> sums;
    for (std::int64_t row = 0; row < 7; ++row)
      sums.push_back(sumOf(std::vector<TypeParam>(
          all.begin() + row * count, all.begin() + (row + 1) * count)));
    for (const Way &way : allWays()) {
      expectSums("sum(@0,-1)", rows, sums, way);
      expectSums("sum(@0,-1)", rows.with(transposed(rows.shape)), sums, way);
      expectSums("sum(@0,1,True)", rows.with(sliced(rows.shape, 2)), sums, way);
      expectSums("sum(@0,1)", rows.with(reversed(rows.shape)), sums, way);
    }
  }
}

TYPED_TEST(Sums, OfManyColumns) {
  // Loops over columns take several rows at once.
  for (const std::int64_t count :
       {127, 128, 255, 256, 257, 511, 2047, 2048, 2049, 2303, 2304, 4609})
    for (const std::int64_t columns : {16, 70}) {
      const Tensor x = randomTensor(dtypeOf<TypeParam>, {count, columns}, 8);
      const auto all = x.template values<TypeParam>();
      std::vector<TypeParam> sums;
      for (std::int64_t column = 0; column < columns; ++column) {
        std::vector<TypeParam> each;
        for (std::int64_t row = 0; row < count; ++row)
          each.push_back(all[row * columns + column]);
        sums.push_back(sumOf(each));
      }
      for (const Way &way : allWays()) {
        expectSums("sum(@0,0)", x, sums, way);
        expectSums("sum(@0,0)", x.with(transposed(x.shape)), sums, way);
        expectSums("sum(@0,0)", x.with(reversed(x.shape, 1)), sums, way);
      }
    }
}

TYPED_TEST(Sums, OfManyShortRows) {
  // Those with small odd factors are read where they are.
  for (const std::int64_t count :
       {1, 2, 3, 5, 6, 7, 8, 12, 16, 17, 20, 24, 28, 31, 32, 33})
    for (const std::int64_t rows : {16, 70, 301}) {
      const Tensor x = randomTensor(dtypeOf<TypeParam>, {rows, count}, 9);
      const auto all = x.template values<TypeParam>();
      std::vector<TypeParam> sums;
      for (auto row = all.begin(); row != all.end(); row += count)
        sums.push_back(sumOf(std::vector<TypeParam>(row, row + count)));
      for (const Way &way : allWays())
        expectSums("sum(@0,-1)", x, sums, way);
    }
}

TYPED_TEST(Sums, OfLongRowsThatThreadsShare) {
  const Tensor input = randomTensor(dtypeOf<TypeParam>, {(1 << 20) + 1}, 9);
  const std::vector<TypeParam> sum = {
      sumOf(input.template values<TypeParam>())};
  for (const unsigned threads : {1, 2, 3, 4, 16})
    for (const std::int64_t tile : {0, 1, 5000})
      for (Mode mode : {Mode::Optimized, Mode::Baseline, Mode::Interpret})
        expectSums("sum(@0)", input, sum, {mode, 0, runOptions(threads, tile)});
  const Tensor square = {dtypeOf<TypeParam>, {1025, 1023}, [&] {
                           auto values = input.template values<TypeParam>();
                           values.resize(1025 * 1023);
                           return values;
                         }()};
  const std::vector<TypeParam> all = {
      sumOf(square.template values<TypeParam>())};
  for (const unsigned threads : {1, 4}) {
    const Way way{Mode::Optimized, 0, runOptions(threads)};
    expectSums("sum(@0)", square, all, way);
    expectSums("sum(@0)", square.with(transposed(square.shape)), all, way);
    expectSums("sum(@0,[0,1])", square.with(sliced(square.shape, 2)), all, way);
    expectSums("sum(@0)", square.with(reversed(square.shape)), all, way);
  }
}

TYPED_TEST(Sums, OfOneElementThatIsBroadcast) {
  const Tensor one = randomTensor(dtypeOf<TypeParam>, {3, 1}, 10);
  Tensor wide(dtypeOf<TypeParam>, {3, 2049}, Shape{1, 0});
  std::memcpy(wide.view().data(), one.view().data(), 3 * sizeof(TypeParam));
  std::vector<TypeParam> sums;
  for (TypeParam each : one.template values<TypeParam>())
    sums.push_back(sumOf(std::vector<TypeParam>(2049, each)));
  for (const Way &way : allWays())
    expectSums("sum(@0,-1)", wide, sums, way);
}

/// Reductions and functions over the axes A of a tensor X.
constexpr const char *Texts[] = {
    "sum(X,A)",
    "mean(X,A,True)",
    "prod(X,A)",
    "[amax(X,A),amin(X,A),mean(X,A)]",
    "[any(X,A),all(X,A)]",
    "logsumexp(X,A)",
    "[var(X,A),std(X,A,True,0)]",
    "norm(X,2,A)",
    "norm(X,3,A)",
    "layer_norm(X,A,None,None,1e-05)",
    "rms_norm(X,A)",
    "normalize(X,2,A)",
    "add(mul(X,2),amax(exp(X),A,True))",
    "sub(exp(X),sum(exp(X)))",
    "[sum(mul(X,X),A),sigmoid(X)]",
    // Of one axis.
    "softmax(X,1)",
    "log_softmax(X,1)",
    "softmin(X,-1)",
    "argmax(X,0)",
    "[argmin(X,-1),argmax(X)]",
    "[cumsum(X,1),cumprod(X,0)]",
    "sub(cumsum(exp(X),-1),amax(X,1,True))",
};

/// Elements of a list, in an irregular order.
Tensor filled(DType type, const Shape &shape,
              const std::vector<double> &values) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < shape.elementCount(); ++i)
    all.push_back(values[static_cast<std::size_t>(i * i / 3) % values.size()]);
  if (type == DType::F64)
    return {type, shape, all};
  return {type, shape, std::vector<float>(all.begin(), all.end())};
}

std::string replaced(std::string text, char what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos;
       at += with.size())
    text.replace(at, 1, with);
  return text;
}

/// All ways of a call, and all layouts of its operand, give the same bytes.
void expectOneResult(const std::string &text, const Tensor &input) {
  SCOPED_TRACE(text + " of " + input.shape.str() + ' ' +
               std::string(nameOf(input.type)));
  std::vector<std::vector<char>> expected;
  for (const Tensor &output :
       outputsOf(text, {input}, {Mode::Interpret, 0, runOptions(1)}))
    expected.push_back(output.bytes());
  std::vector layouts = {input, input.with(transposed(input.shape))};
  if (!IsSanitized) // ReductionTest and ScanTest have these as well.
    for (const Shape &steps : {sliced(input.shape, 3), reversed(input.shape),
                               reversed(input.shape, 1)})
      layouts.push_back(input.with(steps));
  for (const Way &way : allWays())
    for (const Tensor &layout : layouts) {
      const Tensors outputs = outputsOf(text, {layout}, way);
      ASSERT_EQ(outputs.size(), expected.size());
      for (std::size_t i = 0; i < outputs.size(); ++i)
        ASSERT_EQ(outputs[i].bytes(), expected[i])
            << "output " << i << ", " << way.str() << ", strides "
            << layout.strides.str();
    }
}

void expectOneResultOf(const Shape &shape, std::string_view axes,
                       std::initializer_list<DType> types) {
  for (DType type : types)
    for (std::string text : Texts) {
      // Their operands would not fit the type.
      text = replaced(replaced(text, 'X', "@0"), 'A', axes);
      expectOneResult(text, randomTensor(type, shape, 11));
    }
}

TEST(ReductionBits, OfShortRows) {
  expectOneResultOf({40, 7}, "-1", {DType::F32, DType::F64});
}
TEST(ReductionBits, OfLongRows) {
  expectOneResultOf({3, 4133}, "1", {DType::F32});
}
TEST(ReductionBits, OfColumns) {
  expectOneResultOf({70, 65}, "0", {DType::F32, DType::F64});
}
TEST(ReductionBits, OfFewColumns) {
  expectOneResultOf({2085, 3}, "0", {DType::F32});
  expectOneResultOf({2, 130, 17}, "1", {DType::F32, DType::F64});
}
TEST(ReductionBits, OfColumnsThatAreTakenWhole) {
  for (const Shape &shape : {Shape{27, 70}, Shape{60, 70}, Shape{127, 300}})
    for (const char *text : {"[sum(@0,0),amax(@0,0)]", "softmax(@0,0)"})
      expectOneResult(text, randomTensor(DType::F32, shape, 21));
  expectOneResult("argmax(@0,0)", randomTensor(DType::F32, {127, 70}, 21));
  for (const char *text : {"sum(@0,0)", "[argmax(@0,0),argmin(@0,0)]"})
    expectOneResult(text, randomTensor(DType::F64, {60, 70}, 21));
}
TEST(ReductionBits, OfSpecialElements) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (DType type : {DType::F32, DType::F64})
    for (const Shape &shape : {Shape{20, 60}, Shape{300, 18}})
      for (const Tensor &x :
           {filled(type, shape, {-0.0}),
            filled(type, shape, {1, -0.0, infinity, 0x1p-149, -3, 0x1p127}),
            filled(type, shape, {1, -infinity, 0, infinity, std::nan(""), 7})})
        for (const char *axis : {"0", "1"})
          for (const char *text :
               {"[sum(@0,A),prod(@0,A)]", "[logsumexp(@0,A),argmax(@0,A)]"})
            expectOneResult(replaced(text, 'A', axis), x);
}
TEST(ReductionBits, OfAMiddleAxis) {
  expectOneResultOf({3, 33, 37}, "1", {DType::F32});
}
TEST(ReductionBits, OfAllAxes) {
  expectOneResultOf({5, 1, 9, 50}, "None", {DType::F32});
}
TEST(ReductionBits, OfAxesThatDoNotMerge) {
  expectOneResultOf({3, 5, 4, 6, 7}, "[0,-3,4]", {DType::F32});
  // Runs of whole blocks.
  expectOneResultOf({3, 2, 4096}, "[0,-1]", {DType::F32});
}
TEST(ReductionBits, OfShortTypes) {
  expectOneResultOf({9, 71}, "-1", {DType::F16, DType::BF16});
}

TEST(ReductionBits, OfRowsTooLongToKeepTheirElements) {
  const Tensor input = randomTensor(DType::F32, {2, 70001}, 16);
  for (const char *text : {"softmax(@0,-1)", "log_softmax(@0,1)",
                           "softmin(@0,1)", "layer_norm(@0,-1)"})
    expectOneResult(text, input);
}

TEST(ReductionBits, OfLongColumnsInTilesOfThreadsAndPastTheCaches) {
  constexpr std::size_t line = 64;
  const Tensor x = randomTensor(DType::F32, {300, 2100}, 21);
  for (const char *text :
       {"softmax(@0,0)", "sub(@0,mean(@0,0,True))",
        "mul(@0,rsqrt(mean(mul(@0,@0),0,True)))",
        "sub(softmax(@0,0),div(tanh(@0),sum(tanh(@0),0,True)))"}) {
    const auto expected =
        outputsOf(text, {x}, {.mode = Mode::Interpret})[0].bytes();
    const Kernel kernel = compiled(text, {DType::F32});
    std::vector<float> memory(expected.size() / 4 + line);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    // From a cache line on, and not.
    for (std::size_t off : {0, 3})
      for (Stores stores : {Stores::Cached, Stores::Streamed})
        for (unsigned threads : {1, 2, 5}) {
          float *first = memory.data() + (line - begin % line) / 4 + off;
          std::fill(memory.begin(), memory.end(), 0.0f);
          RunOptions options = runOptions(threads, 1);
          options.stores = stores;
          ASSERT_TRUE(kernel.run(viewsOf({x}), {{TensorView(first, x.shape)}},
                                 options));
          ASSERT_EQ(std::memcmp(first, expected.data(), expected.size()), 0)
              << text << ", from " << off << ", threads " << threads;
          engineOf(0).settle();
        }
  }
}

/// Sums and products of an operand's multiples, of which no two are the same.
std::string treeOf(char operand, int depth, int &multiple) {
  if (depth == 0)
    return std::string("mul(@") + operand + "," + std::to_string(++multiple) +
           ")";
  const std::string left = treeOf(operand, depth - 1, multiple);
  return (depth % 2 ? "add(" : "mul(") + left + "," +
         treeOf(operand, depth - 1, multiple) + ")";
}

// A long chain from one operand ends after the other one's loads.
TEST(ReductionBits, OfElementsThatAreKeptOverAnotherOperand) {
  int multiple = 1;
  const std::string kept = treeOf('0', 3, multiple),
                    more = treeOf('1', 5, multiple),
                    text = "sub(" + kept + ",amax(mul(" + kept + "," + more +
                           "),0,True))";
  for (std::int64_t length : {3, 4, 5, 8})
    for (unsigned bits : widths()) {
      const Way way{.bits = bits};
      const Tensors inputs = {randomTensor(DType::I32, {length, 1000}, 22),
                              randomTensor(DType::I32, {length, 1000}, 23)};
      const auto apart = outputsOf(text, inputs, way)[0].bytes();
      Tensor both = inputs[1];
      ASSERT_TRUE(compiled(text, typesOf(inputs), way)
                      .run({{inputs[0].view(), both.view()}}, {{both.view()}}));
      ASSERT_EQ(both.bytes(), apart) << length << ", " << bits << " bits";
    }
}

TEST(ReductionBits, OfElementsThatReductionsOverOtherAxesNeed) {
  for (const Shape &shape : {Shape{4, 5}, Shape{130, 70}})
    for (const char *text :
         {"sum(add(softmax(@0,1),@0),0)", "amax(exp(amax(@0,1,True)),0)",
          "softmax(softmax(@0,0),1)", "layer_norm(softmax(@0,0),1)",
          "[softmax(@0,0),softmax(@0,1),sum(softmax(@0,1))]"})
      expectOneResult(text, randomTensor(DType::F32, shape, 17));
}

TEST(ReductionBits, OfPlacesBesideOthersOfTheirRows) {
  for (std::int64_t count : {25, 33, 64, 100})
    for (const char *text :
         {"argmax(@0,-1)", "[argmax(sub(@0,amax(@0,-1,True)),-1),std(@0,-1)]",
          "[argmin(layer_norm(@0,-1),-1),softmax(@0,-1)]"})
      expectOneResult(text, randomTensor(DType::F32, {20, count}, 20));
}

TEST(ReductionBits, OfIntegersAndBools) {
  for (DType type :
       {DType::I64, DType::I32, DType::I16, DType::I8, DType::U8, DType::Bool})
    for (const char *text :
         {"sum(@0,1)", "prod(@0,0)", "[amax(@0,-1),amin(@0)]",
          "[any(@0,0),all(@0,1)]", "sum(mul(@0,@0))"})
      for (const Shape &shape : {Shape{33, 130}, Shape{70, 12}})
        expectOneResult(text, randomTensor(type, shape, 12));
  for (DType type : {DType::I64, DType::I8, DType::U8})
    expectOneResult("[argmax(@0,1),argmin(@0,0),argmax(@0)]",
                    randomTensor(type, {33, 130}, 13));
}

TEST(ReductionBits, OfNumbersOfRowsThatAreMadeAfterOtherRows) {
  const Tensors inputs = {randomTensor(DType::F32, {5, 7}, 18),
                          randomTensor(DType::F32, {5, 7}, 19)};
  const auto expectLike = [&](const char *text, const char *first) {
    EXPECT_EQ(outputsOf(text, inputs)[0].bytes(),
              outputsOf(first, inputs)[0].bytes())
        << text;
  };
  expectLike("[softmax(@0,1),amax(amax(@1,-1),0)]", "softmax(@0,1)");
  expectLike("[softmax(@0,0),amax(amax(@1,-1),0)]", "softmax(@0,0)");
  expectLike("[softmax(@0,1),amax(sum(@1,0,True),1),softmax(@1,0)]",
             "softmax(@0,1)");
  // The wide one of two results that are used beside each other.
  const Tensors sums = {inputs[0], outputsOf("amax(@0,[0,1],True)", inputs)[0],
                        outputsOf("sum(@0,0,True)", inputs)[0]};
  EXPECT_EQ(
      outputsOf("sub(exp(amax(@0,[0,1],True)),exp(sum(@0,0,True)))", inputs)[0]
          .bytes(),
      outputsOf("sub(exp(@1),exp(@2))", sums)[0].bytes());
  EXPECT_EQ(
      outputsOf("lt(div(@1,exp(amax(@0,[0,1],True))),exp(sum(@0,0,True)))",
                inputs)[0]
          .bytes(),
      outputsOf("lt(div(@3,exp(@1)),exp(@2))",
                {sums[0], sums[1], sums[2], inputs[1]})[0]
          .bytes());
}

/// A text with the inner part computed in its own kernel, as another operand.
void expectFusionDoesNotShow(const std::string &outer, const std::string &inner,
                             const Tensors &inputs) {
  const std::string text = replaced(outer, 'X', inner);
  Tensors stored = inputs;
  const Tensors inside = outputsOf(inner, inputs);
  stored.push_back(inside[0]);
  const std::string operand = '@' + std::to_string(inputs.size());
  const Tensors fused = outputsOf(text, inputs),
                apart = outputsOf(replaced(outer, 'X', operand), stored);
  EXPECT_EQ(fused[0].bytes(), apart[0].bytes())
      << text << ' ' << nameOf(inputs[0].type);
}

TEST(ReductionBits, FusionDoesNotShow) {
  for (DType type : {DType::F32, DType::F64})
    for (const Shape &shape : {Shape{77, 130}, Shape{3, 5000}}) {
      const Tensors inputs = {randomTensor(type, shape, 14),
                              randomTensor(type, shape, 15)};
      for (const char *outer :
           {"sum(X)", "sum(X,0)", "mean(X,1)", "amax(X,-1)", "softmax(X,1)",
            "layer_norm(X,-1)", "var(X,0)", "norm(X,2,1)", "argmax(X,0)"})
        for (const char *inner : {"mul(@0,@1)", "sigmoid(@0)", "sub(@0,@1)"})
          expectFusionDoesNotShow(outer, inner, inputs);
      // A reduction that something else uses.
      for (const char *inner : {"sum(@0,-1,True)", "mean(@0,0)", "amax(@0)",
                                "std(@0,1,True)", "softmax(@1,1)"})
        for (const char *outer : {"sub(@0,X)", "exp(X)", "sum(add(X,@1),0)"})
          expectFusionDoesNotShow(outer, inner, inputs);
    }
}

} // namespace
} // namespace kexpr::test::rows::bits
