//===- TestUtil/Models.h - Models, and what is true of any ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_MODELS_H
#define KEXPR_TESTUTIL_MODELS_H

#include "TestUtil/Zip.h"
#include "kexpr/PnnxModel.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::test {

inline Span<const unsigned char> bytesOf(std::string_view text) {
  return {reinterpret_cast<const unsigned char *>(text.data()), text.size()};
}

inline Expected<PnnxModel> parseModel(std::string_view param,
                                      std::string_view bin = {}) {
  return PnnxModel::parse(param, bytesOf(bin), "m");
}

/// The `.param` of operators written without the two lines of counts.
inline std::string paramOf(const std::vector<std::string> &lines) {
  std::string text;
  int operands = 0;
  for (const std::string &line : lines) {
    char type[128], name[128];
    int inputs = 0, outputs = 0;
    std::sscanf(line.c_str(), "%127s %127s %d %d", type, name, &inputs,
                &outputs);
    operands += outputs;
    text += line + "\n";
  }
  return "7767517\n" + std::to_string(lines.size()) + " " +
         std::to_string(operands) + "\n" + text;
}

/// A model with a bit of everything.
inline constexpr std::string_view SampleParam =
    "7767517\n"
    "7 7\n"
    "pnnx.Input       in    0 1 0 #0=(1,?,4)f32\n"
    "pnnx.Attribute   scale 0 1 1 @data=(4)f32 #1=(4)f32\n"
    "pnnx.Attribute   index 0 1 2 @data=(2)i64 #2=(2)i64\n"
    "nn.Linear        fc    1 1 0 3 bias=True in_features=4 "
    "@bias=(2)f16 @weight=(2,4)f32 $input=0 #0=(1,?,4)f32 #3=(1,?,2)f32\n"
    "pnnx.Expression  e     3 1 3 1 3 4 expr=mul(add(@0,1.5),@2) "
    "#3=(1,?,2)f32 #1=(4)f32 #3=(1,?,2)f32 #4=(%batch,4)f64\n"
    "aten::unbind     u     1 2 2 5 6 dim=0 $x=2\n"
    "pnnx.Output      out   1 0 4\n";

/// The files of constants that go with it.
inline std::vector<ZipEntry> sampleEntries() {
  auto counted = [](std::size_t size) {
    std::string bytes(size, '\0');
    std::iota(bytes.begin(), bytes.end(), char(1));
    return bytes;
  };
  return {{"fc.bias", counted(4)},
          {"fc.weight", counted(32)},
          {"index.data", counted(16)},
          {"not.needed", counted(3)},
          {"scale.data", counted(16)}};
}

inline std::string sampleBin(bool zip64) {
  return ZipWriter(zip64).write(sampleEntries());
}

/// What is wrong with what was read: a model that is not as the header says, or
/// an error that names no place. Empty if nothing is.
inline std::string problemOf(const PnnxModel &model) {
  const auto operators = model.operators();
  const auto operands = model.operands();
  std::vector<bool> done(operators.size());
  for (std::uint32_t position : model.order()) {
    if (position >= operators.size() || done[position])
      return "the order is no permutation";
    for (std::uint32_t input : operators[position].inputs) {
      const auto &users = operands[input].consumers;
      if (!done[operands[input].producer] ||
          !std::binary_search(users.begin(), users.end(), position))
        return "an operator comes before what it needs";
    }
    for (std::uint32_t output : operators[position].outputs)
      if (operands[output].producer != position)
        return "an operand has another producer";
    done[position] = true;
  }
  if (std::find(done.begin(), done.end(), false) != done.end())
    return "the order misses an operator";
  unsigned sum = 0;
  for (const PnnxOperator &op : operators)
    for (const PnnxAttribute &attribute : op.attributes) {
      const TensorView &view = attribute.tensor;
      const auto *data = static_cast<const unsigned char *>(view.data());
      if (reinterpret_cast<std::uintptr_t>(data) % 64 != 0)
        return "an attribute is not aligned";
      if (!view.empty())
        sum = std::accumulate(
            data, data + view.shape().elementCount() * sizeOf(view.type()),
            sum);
    }
  return sum == ~0u ? "never" : "";
}

inline std::string problemOf(const Expected<PnnxModel> &model) {
  if (model)
    return problemOf(*model);
  const Error &error = model.error();
  for (const char *place : {"line ", "entry ", "m: "})
    if (error.message().find(place) != std::string::npos)
      return error.render().empty() ? "no message" : "";
  return "an error without a place: " + error.message();
}

} // namespace kexpr::test

#endif // KEXPR_TESTUTIL_MODELS_H
