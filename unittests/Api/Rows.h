//===- Rows.h - Calls of kernels that reduce, in many ways ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_ROWS_H
#define KEXPR_UNITTESTS_API_ROWS_H

#include "TestUtil/Process.h"
#include "kexpr/kexpr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace kexpr::test::rows {

/// Bytes that a view of a type, a shape and strides lies in.
class Tensor {
public:
  Tensor() = default;
  Tensor(DType type, const Shape &shape)
      : Tensor(type, shape, contiguousStrides(shape)) {}
  Tensor(DType type, const Shape &shape, const Shape &strides)
      : type(type), shape(shape), strides(strides) {
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < shape.rank() && shape.elementCount();
         ++axis) {
      const std::int64_t reach = (shape[axis] - 1) * strides[axis];
      last += std::abs(reach);
      first -= std::min<std::int64_t>(reach, 0);
    }
    const std::int64_t count = shape.elementCount() ? last + 1 : 0;
    first *= static_cast<std::int64_t>(sizeOf(type));
    memory.resize(static_cast<std::size_t>(count) * sizeOf(type) + 1);
  }
  template <class T>
  Tensor(DType type, const Shape &shape, const std::vector<T> &values)
      : Tensor(type, shape) {
    if (!values.empty())
      std::memcpy(memory.data(), values.data(), values.size() * sizeof(T));
  }

  TensorView view() const {
    return {static_cast<const void *>(memory.data() + first), type, shape,
            strides};
  }
  TensorView view() {
    return {static_cast<void *>(memory.data() + first), type, shape, strides};
  }
  /// The element at a position of the shape in row-major order.
  const char *at(std::int64_t position) const {
    std::int64_t offset = 0;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
      offset += position % shape[axis] * strides[axis];
      position /= shape[axis];
    }
    return memory.data() + first +
           offset * static_cast<std::int64_t>(sizeOf(type));
  }
  template <class T> std::vector<T> values() const {
    std::vector<T> all(static_cast<std::size_t>(shape.elementCount()));
    for (std::size_t i = 0; i < all.size(); ++i)
      std::memcpy(&all[i], at(static_cast<std::int64_t>(i)), sizeof(T));
    return all;
  }
  /// The same elements with other strides.
  Tensor with(const Shape &steps) const {
    Tensor other(type, shape, steps);
    for (std::int64_t i = 0; i < shape.elementCount(); ++i)
      std::memcpy(const_cast<char *>(other.at(i)), at(i), sizeOf(type));
    return other;
  }
  /// Elements in row-major order, NaN being one.
  std::vector<char> bytes() const;

  DType type = DType::F32;
  Shape shape, strides;

private:
  std::int64_t first = 0; ///< Bytes before the first element.
  std::vector<char> memory;
};

template <class T> void makeNansOne(std::vector<char> &bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, &bytes[i], sizeof value);
    if (value != value) {
      value = std::numeric_limits<T>::quiet_NaN();
      std::memcpy(&bytes[i], &value, sizeof value);
    }
  }
}

inline std::vector<char> Tensor::bytes() const {
  std::vector<char> all;
  for (std::int64_t i = 0; i < shape.elementCount(); ++i)
    all.insert(all.end(), at(i), at(i) + sizeOf(type));
  if (type == DType::F32)
    makeNansOne<float>(all);
  if (type == DType::F64)
    makeNansOne<double>(all);
  return all;
}

/// Strides of axes that stand in the opposite order, or of every `step`-th
/// element of a larger tensor.
inline Shape transposed(const Shape &shape) {
  Shape strides = shape;
  std::int64_t step = 1;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    strides[axis] = step;
    step *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}
inline Shape sliced(const Shape &shape, std::int64_t step) {
  Shape strides = contiguousStrides(shape);
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    strides[axis] *= step;
  return strides;
}

/// Strides of a tensor that was turned around along the axes of a mask.
inline Shape reversed(const Shape &shape, unsigned axes = ~0u) {
  Shape strides = contiguousStrides(shape);
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    strides[axis] *= axes >> axis & 1 ? -1 : 1;
  return strides;
}

/// How a kernel is made and called.
struct Way {
  Mode mode = Mode::Optimized;
  unsigned bits = 0;
  RunOptions options = {};
  Precision precision = Precision::Default;
  std::string str() const {
    return "mode " + std::to_string(static_cast<int>(mode)) + ", " +
           std::to_string(bits) + " bits, " +
           std::to_string(options.maxThreads) + " threads, tiles of " +
           std::to_string(options.tileElements);
  }
};

inline RunOptions runOptions(unsigned threads, std::int64_t tile = 0) {
  return {.maxThreads = threads, .tileElements = tile};
}

/// The widths of vectors that this machine has.
inline const std::vector<unsigned> &widths() {
  static const std::vector<unsigned> all = [] {
    std::vector<unsigned> found;
    for (const unsigned bits : {128, 256, 512}) {
      EngineOptions options;
      options.vectorBits = bits;
      CompileOptions optimized;
      optimized.mode = Mode::Optimized;
      if (Engine(options).compile("neg(@0)", optimized))
        found.push_back(bits);
    }
    return found;
  }();
  return all;
}

/// Every mode and vector width, with threads and tiles; under a sanitizer,
/// which does not see into loops, one width.
inline std::vector<Way> allWays() {
  std::vector<Way> ways = {{Mode::Interpret, 0, runOptions(1)},
                           {Mode::Interpret, 0, runOptions(4, 64)},
                           {Mode::Tiered, 0, runOptions(2, 1)}};
  for (Mode mode : {Mode::Baseline, Mode::Optimized})
    for (const unsigned bits :
         IsSanitized ? std::vector{widths().back()} : widths()) {
      ways.push_back({mode, bits, runOptions(1)});
      ways.push_back({mode, bits, runOptions(2, 1)});
      ways.push_back({mode, bits, runOptions(4, 64)});
      ways.push_back({mode, bits, runOptions(16, 1000)});
    }
  return ways;
}

/// One engine for each width serves all kernels.
inline const Engine &engineOf(unsigned bits) {
  static std::map<unsigned, Engine> engines;
  auto found = engines.find(bits);
  if (found == engines.end()) {
    EngineOptions options;
    options.vectorBits = bits;
    found = engines.emplace(bits, Engine(options)).first;
  }
  return found->second;
}

/// The kernel of a text.
inline Kernel compiled(std::string_view text, const std::vector<DType> &types,
                       const Way &way = {}) {
  CompileOptions options;
  options.mode = way.mode;
  options.precision = way.precision;
  options.operandTypes = types;
  const Engine &engine = engineOf(way.bits);
  auto kernel = engine.compile(text, options);
  EXPECT_TRUE(kernel) << kernel.error().render();
  if (way.mode == Mode::Tiered)
    engine.settle();
  return *kernel;
}

using Tensors = std::vector<Tensor>;

inline std::vector<TensorView> viewsOf(const Tensors &tensors) {
  std::vector<TensorView> views;
  for (const Tensor &tensor : tensors)
    views.push_back(tensor.view());
  return views;
}

inline std::vector<DType> typesOf(const Tensors &tensors) {
  std::vector<DType> types;
  for (const Tensor &tensor : tensors)
    types.push_back(tensor.type);
  return types;
}

/// The outputs of a call, of the shapes and types that the kernel says. Those
/// of another one are the same, in which rows may be taken whole: the code for
/// that is made in the background.
inline Tensors outputsOf(std::string_view text, const Tensors &inputs,
                         const Way &way = {}) {
  const Kernel kernel = compiled(text, typesOf(inputs), way);
  const auto views = viewsOf(inputs);
  Tensors outputs;
  for (std::size_t i = 0; i < kernel.outputCount(); ++i) {
    auto shape = kernel.outputShape(views, i);
    EXPECT_TRUE(shape) << shape.error().render();
    if (!shape)
      return outputs;
    outputs.emplace_back(kernel.outputType(i), *shape);
  }
  Tensors later = outputs;
  for (Tensors *each : {&outputs, &later}) {
    const auto status = kernel.run(views, viewsOf(*each), way.options);
    EXPECT_TRUE(status) << status.error().render();
    if (way.mode == Mode::Interpret || way.mode == Mode::Baseline)
      return outputs;
    engineOf(way.bits).settle();
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    EXPECT_EQ(outputs[i].bytes(), later[i].bytes())
        << text << ", output " << i << ", " << way.str();
  return outputs;
}

/// One of each kind and size beside f32, but unsigned words.
inline constexpr DType OtherTypes[] = {DType::F64, DType::F16, DType::BF16,
                                       DType::I64, DType::I32, DType::I16,
                                       DType::U8,  DType::Bool};

/// Of any type: numbers that cancel, many of one size and some far larger.
inline Tensor randomTensor(DType type, const Shape &shape, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<char> bytes;
  auto put = [&bytes](auto value) {
    const char *first = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  };
  for (std::int64_t i = 0; i < shape.elementCount(); ++i) {
    const double value = normal(random) * (random() % 8   ? 1
                                           : random() % 2 ? 1e6
                                                          : 1e-6);
    const std::uint32_t bits = random();
    switch (type) {
    case DType::F32:
      put(static_cast<float>(value));
      break;
    case DType::F64:
      put(value);
      break;
    case DType::I64:
      put(static_cast<std::int64_t>(bits) << (bits % 31));
      break;
    case DType::I32:
      put(static_cast<std::int32_t>(bits));
      break;
    case DType::I16:
      put(static_cast<std::int16_t>(bits));
      break;
    case DType::Bool:
      put(static_cast<char>(bits % 2));
      break;
    case DType::F16: // Neither infinite nor NaN.
      put(static_cast<std::uint16_t>(bits & 0xbbff));
      break;
    case DType::BF16:
      put(static_cast<std::uint16_t>((bits & 0x83ff) | 0x3c00));
      break;
    default:
      put(static_cast<std::int8_t>(bits));
      break;
    }
  }
  return {type, shape, bytes};
}

/// A way in which several sweeps may be one loop: one width after the other.
inline Way nextWay(unsigned threads = 1) {
  static std::size_t turn = 0;
  return {Mode::Optimized, widths()[turn++ % widths().size()],
          runOptions(threads)};
}

/// `outputsOf` compares that loop with sweeps; the interpreter has no other.
inline void expectSame(const std::string &text, const Tensors &inputs) {
  const Way way = nextWay();
  const Tensors expected =
      outputsOf(text, inputs, {Mode::Interpret, 0, runOptions(1)});
  const Tensors outputs = outputsOf(text, inputs, way);
  ASSERT_EQ(outputs.size(), expected.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    ASSERT_EQ(outputs[i].bytes(), expected[i].bytes())
        << text << " of " << inputs[0].shape.str() << ", output " << i << ", "
        << way.str();
}

/// The same where the output is the operand, before its loop has code and
/// after.
inline void expectSameInPlace(const std::string &text, const Tensor &x) {
  const Way way = nextWay();
  const Kernel kernel = compiled(text, {x.type}, way);
  const Tensors apart = outputsOf(text, {x}, way);
  for (int turn = 0; turn < 2; ++turn) {
    Tensor both = x;
    ASSERT_TRUE(kernel.run(viewsOf({both}), {{both.view()}}, way.options));
    ASSERT_EQ(both.bytes(), apart[0].bytes())
        << text << " of " << x.shape.str() << ", " << way.str();
    engineOf(0).settle();
  }
}

} // namespace kexpr::test::rows

#endif // KEXPR_UNITTESTS_API_ROWS_H
