//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of parts, merged in any order, are the sum of the whole.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"

#include <algorithm>

namespace kexpr::test::rows::states {
namespace {

constexpr DType Types[] = {DType::F16, DType::BF16, DType::F32, DType::F64};

Way accurate(RunOptions options = {}) {
  return {Mode::Optimized, 0, options, Precision::Accurate};
}

Expected<SumState> stateOf(std::string_view text, const Tensors &inputs,
                           const Way &way = accurate()) {
  return compiled(text, typesOf(inputs), way)
      .sumState(viewsOf(inputs), way.options);
}

/// What a state comes to, in outputs of their own.
Tensors finished(const SumState &state) {
  Tensors outputs;
  for (std::size_t i = 0; i < state.outputCount(); ++i)
    outputs.emplace_back(state.outputType(i), state.outputShape(i));
  const auto status = state.finish(viewsOf(outputs));
  EXPECT_TRUE(status) << status.error().render();
  return outputs;
}

std::string bytesOf(const SumState &state) {
  auto bytes = state.bytes();
  EXPECT_TRUE(bytes);
  return *bytes;
}

/// The rows [begin, end) of a row-major tensor of two axes.
Tensor rowsOf(const Tensor &tensor, std::int64_t begin, std::int64_t end) {
  const std::int64_t width = tensor.shape[1];
  std::vector<char> bytes;
  if (begin < end)
    bytes.assign(tensor.at(begin * width),
                 tensor.at(end * width - 1) + sizeOf(tensor.type));
  return {tensor.type, {end - begin, width}, bytes};
}

void expectSame(const Tensors &a, const Tensors &b, const std::string &what) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].shape, b[i].shape) << what;
    EXPECT_EQ(a[i].bytes(), b[i].bytes()) << what << ", output " << i;
  }
}

constexpr const char *Text =
    "[sum(@0,0),mean(@0,0,True),sum(mul(@0,@0)),mean(@0)]";

TEST(SumStates, OfPartsAreThatOfTheWhole) {
  std::mt19937 random(1);
  for (DType type : Types) {
    const Tensor whole = randomTensor(type, {1000, 70}, 3);
    const Tensors expected = outputsOf(Text, {whole}, accurate());
    const std::string bytes = bytesOf(*stateOf(Text, {whole}));
    for (int round = 0; round < 8; ++round) {
      std::vector<std::int64_t> cuts = {0, 1000};
      for (int i = 0; i < round; ++i)
        cuts.push_back(random() % 1001);
      std::sort(cuts.begin(), cuts.end());
      std::vector<SumState> states;
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
        states.push_back(*stateOf(
            Text, {rowsOf(whole, cuts[i], cuts[i + 1])},
            accurate(runOptions(1 + random() % 16, 1 + random() % 5000))));
      std::shuffle(states.begin(), states.end(), random);
      SumState merged = states[0];
      for (std::size_t i = 1; i < states.size(); ++i)
        ASSERT_TRUE(merged.merge(*SumState::parse(bytesOf(states[i]))));
      expectSame(finished(merged), expected, std::string(nameOf(type)));
      EXPECT_EQ(bytesOf(merged), bytes);
    }
  }
}

TEST(SumStates, AreTheSameEveryWay) {
  for (DType type : {DType::F32, DType::F64}) {
    const Tensor whole = randomTensor(type, {37, 3000}, 4);
    const char *text = "[sum(@0,1),mean(@0,0),sum(@0),sum(@0,1)]";
    const std::string bytes = bytesOf(*stateOf(text, {whole}));
    for (Way way : allWays()) {
      way.precision = Precision::Accurate;
      for (const Shape &strides :
           {contiguousStrides(whole.shape), transposed(whole.shape)}) {
        auto state = stateOf(text, {whole.with(strides)}, way);
        ASSERT_TRUE(state) << state.error().render();
        ASSERT_EQ(bytesOf(*state), bytes) << way.str();
      }
    }
  }
}

TEST(SumStates, OfWhatIsNotFiniteAndOfNothing) {
  const auto of = [](const std::vector<float> &values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return *stateOf("[sum(@0),mean(@0)]",
                    {Tensor(DType::F32, {count}, values)});
  };
  const auto value = [](const SumState &state, std::size_t output) {
    return finished(state)[output].values<float>()[0];
  };
  constexpr float inf = std::numeric_limits<float>::infinity();
  SumState none = of({});
  EXPECT_EQ(value(none, 0), 0);
  EXPECT_TRUE(std::isnan(value(none, 1)));
  ASSERT_TRUE(none.merge(of({1, 2, 6})));
  EXPECT_EQ(value(none, 1), 3);
  ASSERT_TRUE(none.merge(of({})));
  EXPECT_EQ(value(none, 1), 3);
  ASSERT_TRUE(none.merge(of({inf})));
  const SumState before = none;
  ASSERT_TRUE(none.merge(of({-inf})));
  EXPECT_TRUE(std::isnan(value(none, 0)));
  EXPECT_EQ(value(before, 0), inf);
  SumState large = of({3e38F, 3e38F});
  EXPECT_EQ(value(large, 0), inf);
  ASSERT_TRUE(large.merge(of({-3e38F})));
  EXPECT_EQ(value(large, 0), 3e38F);
  EXPECT_EQ(value(large, 1), 1e38F);
}

TEST(SumStates, AreFinishedInAnyStrides) {
  const Tensor x = randomTensor(DType::F16, {6, 5, 40}, 5);
  const SumState state = *stateOf("mean(@0,-1)", {x});
  const Tensors expected = outputsOf("mean(@0,-1)", {x}, accurate());
  for (const Shape &strides : {Shape{1, 6}, Shape{-5, 1}, Shape{1, -6}}) {
    Tensor output(DType::F16, {6, 5}, strides);
    ASSERT_TRUE(state.finish(output.view()));
    EXPECT_EQ(output.bytes(), expected[0].bytes()) << strides.str();
  }
}

TEST(SumStates, ThatAreDamagedAreErrors) {
  const Tensor x = randomTensor(DType::F32, {50, 3}, 6);
  const std::string bytes = bytesOf(*stateOf("[sum(@0,0),mean(@0)]", {x}));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int flip : {1, 0x10, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      EXPECT_FALSE(SumState::parse(damaged)) << i;
      EXPECT_FALSE(SumState::parse(bytes.substr(0, i))) << i;
    }
  EXPECT_FALSE(SumState::parse(bytes + '\0'));
  EXPECT_FALSE(SumState::parse(bytes + bytes));
  EXPECT_TRUE(SumState::parse(bytes));
}

std::uint64_t hashOf(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char byte : bytes)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

/// With the check that it would have.
std::string forged(std::string bytes, std::size_t at, std::string_view by) {
  bytes.replace(at, by.size(), by);
  bytes.resize(bytes.size() - 8);
  const std::uint64_t hash = hashOf(bytes);
  for (int i = 0; i < 8; ++i)
    bytes += static_cast<char>(hash >> 8 * i);
  return bytes;
}

TEST(SumStates, ThatAreForgedAreErrorsOrStates) {
  const Tensor x = randomTensor(DType::F32, {50, 3}, 7);
  const std::string bytes = bytesOf(*stateOf("[sum(@0,0),mean(@0)]", {x}));
  const auto later = SumState::parse(forged(bytes, 8, "\2"));
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code(), ErrorCode::Unsupported);
  // Outputs, kind, type, axes, count and extent.
  for (std::size_t at : {12, 24, 25, 26, 27, 39, 40, 47}) {
    const auto parsed = SumState::parse(forged(bytes, at, "\x99"));
    ASSERT_FALSE(parsed) << at;
    EXPECT_EQ(parsed.error().code(), ErrorCode::InvalidArgument);
  }
  // Any words are some sum, and merging them ends in an error.
  const std::string most(44, '\x7f');
  auto large = SumState::parse(forged(bytes, 52, most));
  ASSERT_TRUE(large) << large.error().message();
  finished(*large);
  auto status = large->merge(*large);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::InvalidArgument);
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const char byte = static_cast<char>(random());
    auto state = SumState::parse(
        forged(bytes, 8 + random() % (bytes.size() - 16), {&byte, 1}));
    if (!state)
      continue;
    finished(*state);
    const SumState copy = *state;
    static_cast<void>(state->merge(copy));
    finished(*state);
  }
}

std::string refusal(const Expected<SumState> &state, ErrorCode code) {
  if (state)
    return "";
  EXPECT_EQ(state.error().code(), code);
  return state.error().message();
}

TEST(SumStates, AreThoseOfSumsAndMeansThatAreOutputs) {
  const Tensor x = randomTensor(DType::F32, {5, 4}, 8);
  constexpr const char *only =
      "; only a sum or mean of floating point that is an output itself has one";
  constexpr const char *others[][2] = {
      {"amax(@0)", "'amax'"},
      {"var(@0,0)", "'var'"},
      {"softmax(@0,0)", "'softmax'"},
      {"add(sum(@0),1)", "'add'"},
      {"torch.double(sum(@0))", "'torch.double'"},
      {"[sum(@0),prod(@0,1)]", "'prod'"},
      {"[sum(@0),@0]", "output 1"},
      {"sum(torch.int(@0))", "'sum' of i64"},
      {"mul(@0,2)", "'mul'"},
  };
  for (const auto &[text, subject] : others) {
    const auto state = stateOf(text, {x});
    EXPECT_EQ(refusal(state, ErrorCode::Unsupported),
              std::string(subject) + " has no state" + only);
    EXPECT_TRUE(state.error().hasRange());
  }
  const auto state = stateOf("[sum(@0),amax(@0,1)]", {x});
  EXPECT_EQ(state.error().render(),
            std::string("error: 'amax' has no state") + only +
                "\n  [sum(@0),amax(@0,1)]\n           ^~~~~~~~~~");
  EXPECT_EQ(refusal(stateOf("sum(@0)", {x}, {}), ErrorCode::Unsupported),
            "only kernels of the accurate precision have states of sums");
}

TEST(SumStates, OfWrongInputsAreErrors) {
  const Kernel kernel = compiled("sum(@0,1)", {DType::F32}, accurate());
  const Tensor flat = randomTensor(DType::F32, {5}, 1);
  const Tensor wide = randomTensor(DType::F64, {5, 2}, 1);
  refusal(kernel.sumState({}), ErrorCode::MissingOperand);
  EXPECT_FALSE(kernel.sumState({}));
  EXPECT_NE(refusal(kernel.sumState(wide.view()), ErrorCode::TypeMismatch), "");
  EXPECT_FALSE(kernel.sumState(flat.view()));
  const TensorView null(static_cast<const float *>(nullptr), {5, 2});
  EXPECT_NE(refusal(kernel.sumState(null), ErrorCode::InvalidArgument), "");
}

TEST(SumStates, ThatDifferAreNotMerged) {
  const Tensor x = randomTensor(DType::F32, {5, 4}, 9);
  const Tensor wide = randomTensor(DType::F64, {5, 4}, 9);
  SumState state = *stateOf("sum(@0,0)", {x});
  const std::string before = bytesOf(state);
  const auto merge = [&](const Expected<SumState> &other, ErrorCode code) {
    const auto status = state.merge(*other);
    EXPECT_EQ(bytesOf(state), before);
    if (status)
      return std::string();
    EXPECT_EQ(status.error().code(), code);
    return status.error().message();
  };
  EXPECT_EQ(merge(stateOf("sum(@0,1)", {x}), ErrorCode::ShapeMismatch),
            "output 0 is sums of f32, of shape [4], and not sums of f32, of "
            "shape [5]");
  EXPECT_EQ(merge(stateOf("sum(@0,0)", {wide}), ErrorCode::TypeMismatch),
            "output 0 is sums of f32, of shape [4], and not sums of f64, of "
            "shape [4]");
  EXPECT_EQ(merge(stateOf("mean(@0,0)", {x}), ErrorCode::InvalidArgument),
            "output 0 is sums of f32, of shape [4], and not means of f32, of "
            "shape [4]");
  EXPECT_EQ(
      merge(stateOf("[sum(@0,0),sum(@0,0)]", {x}), ErrorCode::InvalidArgument),
      "a state of 1 output and one of 2");
}

TEST(SumStates, AreFinishedInRightOutputs) {
  const Tensor x = randomTensor(DType::F32, {5, 4}, 10);
  const SumState state = *stateOf("[sum(@0,0),mean(@0,0)]", {x});
  float a[4] = {1, 2, 3, 4}, b[8] = {};
  const auto finish = [&](const TensorView &first, const TensorView &second) {
    const TensorView outputs[] = {first, second};
    const auto status = state.finish(outputs);
    EXPECT_FALSE(status);
    EXPECT_EQ(a[0], 1);
    return status ? ErrorCode::Io : status.error().code();
  };
  const TensorView to(a, {4});
  EXPECT_EQ(finish(to, {b, {5}}), ErrorCode::ShapeMismatch);
  EXPECT_EQ(finish(to, {b, DType::F64, {4}}), ErrorCode::TypeMismatch);
  EXPECT_EQ(finish(to, {a, {4}}), ErrorCode::OverlappingOutput);
  EXPECT_EQ(finish(to, {b, DType::F32, {4}, {0}}),
            ErrorCode::OverlappingOutput);
  EXPECT_EQ(finish(to, {static_cast<float *>(nullptr), {4}}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(finish(to, {}), ErrorCode::MissingOperand);
  const auto few = state.finish(to);
  EXPECT_EQ(few.error().message(), "the state has 2 outputs, but 1 were given");
}

} // namespace
} // namespace kexpr::test::rows::states
