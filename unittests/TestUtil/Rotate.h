//===- TestUtil/Rotate.h - A layer of the host ------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_ROTATE_H
#define KEXPR_TESTUTIL_ROTATE_H

#include "kexpr/LayerRegistry.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace kexpr::test {

/// What the layers of a registry have done.
struct Counts {
  std::map<std::string, int> runs; ///< By operator.
};

/// Its f32 input, all elements one place further: no elementwise operator.
class Rotate : public Layer {
public:
  Rotate(const PnnxModel &model, const PnnxOperator &op, Counts *counts)
      : Layer(model, op), counts(counts), outputs(op.outputs.size()) {}

  Expected<std::vector<TensorType>>
  outputTypes(Span<const TensorType> inputs) const override {
    if (inputs.size() != 1)
      return Error(ErrorCode::WrongArity, "it must have one input");
    return std::vector<TensorType>(outputs, inputs[0]);
  }

  Status forward(Span<const TensorView> inputs, Span<const TensorView> outputs,
                 const RunOptions &) override {
    ++counts->runs[name()];
    const std::size_t size = sizeOf(inputs[0].type());
    const auto bytes =
        static_cast<std::size_t>(inputs[0].shape().elementCount()) * size;
    for (const TensorView &output : outputs) {
      auto *to = static_cast<char *>(output.data());
      const auto *from = static_cast<const char *>(inputs[0].data());
      if (bytes == 0)
        continue;
      std::memcpy(to, from + bytes - size, size);
      std::memcpy(to + size, from, bytes - size);
    }
    return {};
  }

private:
  Counts *counts;
  std::size_t outputs;
};

} // namespace kexpr::test

#endif // KEXPR_TESTUTIL_ROTATE_H
