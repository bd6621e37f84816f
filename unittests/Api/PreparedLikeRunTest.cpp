//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prepared calls against `Kernel::run`, over random layouts in one piece of
// memory, where much overlaps: the same errors, or the same bytes.
//
//===----------------------------------------------------------------------===//
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace kexpr;

namespace {
/// A tensor's layout, and where it is in memory; nowhere if negative.
struct Placed {
  Shape shape, strides;
  std::int64_t at;

  float *in(std::vector<float> &memory) const {
    return at < 0 ? nullptr : memory.data() + at;
  }
  TensorView over(float *first) const {
    return {static_cast<void *>(first), DType::F32, shape, strides};
  }
};

class Calls {
public:
  explicit Calls(unsigned seed) : random(seed) {}

  /// Operands of shapes that broadcast.
  std::vector<Placed> inputs(std::size_t count) {
    const Shape full = oneOf<Shape>({{6}, {4, 6}, {2, 3, 4}, {0}, {3, 0}, {}});
    std::vector<Placed> result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(place(below(3) ? full : partOf(full)));
    return result;
  }
  /// Somewhere; often where an input is.
  std::vector<Placed> outputs(const Kernel &kernel,
                              const std::vector<Placed> &inputs) {
    std::vector<TensorView> views;
    for (const Placed &input : inputs)
      views.push_back(input.over(nullptr));
    std::vector<Placed> result;
    for (std::size_t i = 0; i < kernel.outputCount(); ++i) {
      const auto shape = kernel.outputShape(views, i);
      EXPECT_TRUE(shape) << shape.error().render();
      result.push_back(place(*shape));
      const Placed &input = inputs[below(inputs.size())];
      if (below(2))
        result.back().at = input.at;
      if (below(2) && input.shape == *shape)
        result.back().strides = input.strides;
    }
    return result;
  }
  std::size_t below(std::size_t bound) { return random() % bound; }

private:
  template <class T> T oneOf(const std::vector<T> &all) {
    return all[below(all.size())];
  }
  /// A shape that broadcasts to `full`.
  Shape partOf(const Shape &full) {
    Shape part = full;
    for (std::size_t axis = 0; axis < part.rank(); ++axis)
      if (below(2))
        part[axis] = 1;
    return part;
  }
  Placed place(const Shape &shape) {
    Placed result{shape, contiguousStrides(shape), -1};
    if (below(40))
      result.at = static_cast<std::int64_t>(32 + 4 * below(40));
    if (shape.rank() == 2 && below(3) == 0)
      result.strides = {1, shape[0]};
    if (shape.rank() == 1 && below(3) == 0)
      result.strides = {2};
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
      if (below(6) == 0)
        result.strides[axis] *= -1;
    return result;
  }

  std::mt19937 random;
};
} // namespace

/// 0, or what was wrong with a call.
static int codeOf(const Status &status) {
  return status ? 0 : static_cast<int>(status.error().code());
}

static bool lacksMemory(const std::vector<Placed> &places) {
  return std::any_of(places.begin(), places.end(),
                     [](const Placed &place) { return place.at < 0; });
}

static Status runPrepared(const Kernel &kernel,
                          const std::vector<Placed> &inputs,
                          const std::vector<Placed> &outputs,
                          std::vector<float> &memory) {
  std::vector<TensorView> in, out;
  std::vector<const void *> from;
  std::vector<void *> to;
  for (const Placed &input : inputs) {
    in.push_back(input.over(nullptr));
    from.push_back(input.in(memory));
  }
  for (const Placed &output : outputs) {
    out.push_back(output.over(nullptr));
    to.push_back(output.in(memory));
  }
  const auto call = kernel.prepare(in, out);
  return call ? call->run(from, to) : Status(call.error());
}

static Status runDirectly(const Kernel &kernel,
                          const std::vector<Placed> &inputs,
                          const std::vector<Placed> &outputs,
                          std::vector<float> &memory) {
  std::vector<TensorView> in, out;
  for (const Placed &input : inputs)
    in.push_back(input.over(input.in(memory)));
  for (const Placed &output : outputs)
    out.push_back(output.over(output.in(memory)));
  return kernel.run(in, out);
}

TEST(PreparedLikeRun, OverRandomLayouts) {
  const Engine engine;
  constexpr std::pair<const char *, std::size_t> texts[] = {
      {"add(@0,@1)", 2},          {"[add(@0,@1),mul(@0,2)]", 2},
      {"[neg(@0),abs(@1)]", 2},   {"[add(@0,1),add(@1,@2),mul(@0,3)]", 3},
      {"mul(@0,size(@1,-1))", 2}, {"add(@0,@2)", 3},
      {"[size(@0,0),neg(@1)]", 2}};
  unsigned successes = 0, refusals = 0;
  for (const auto &[text, operands] : texts) {
    const auto kernel = engine.compile(text, {Mode::Interpret, {}});
    if (!kernel)
      continue;
    for (unsigned seed = 0; seed < 3000; ++seed) {
      Calls calls(seed);
      const auto inputs = calls.inputs(operands);
      const auto outputs = calls.outputs(*kernel, inputs);
      std::vector<float> memory(400);
      for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<float>(i);
      std::vector<float> other = memory;
      const Status direct = runDirectly(*kernel, inputs, outputs, memory);
      const Status prepared = runPrepared(*kernel, inputs, outputs, other);
      // Of several errors, that of a shape is found when a call is prepared.
      ASSERT_EQ(bool(prepared), bool(direct)) << text << ' ' << seed;
      ASSERT_TRUE(codeOf(prepared) == codeOf(direct) || lacksMemory(inputs) ||
                  lacksMemory(outputs))
          << text << ' ' << seed;
      ASSERT_EQ(other, memory) << text << ' ' << seed;
      ++(direct ? successes : refusals);
    }
  }
  EXPECT_GT(successes, 1000u);
  EXPECT_GT(refusals, 1000u);
}
