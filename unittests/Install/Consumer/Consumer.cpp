//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host of kexpr that knows nothing of its source tree.
//
//===----------------------------------------------------------------------===//
#include <kexpr/kexpr.h>

#include <iostream>

static_assert(__cplusplus < 202002L, "hosts need no more than C++17");

int main() {
  const kexpr::Engine engine;
  const auto layer =
      kexpr::ExpressionLayer::create(engine, "mul(@0,add(@1,1))");
  if (!layer)
    return std::cerr << layer.error().render() << '\n', 1;
  const float a[] = {1, 2, 3}, b[] = {4, 5, 6};
  float out[3] = {};
  const auto status = layer->forward({{a, {3}}, {b, {3}}}, {{out, {3}}});
  if (!status)
    return std::cerr << status.error().render() << '\n', 1;
  const auto model = kexpr::PnnxModel::parse("7767517\n1 0\nt n 0 0 k=v\n");
  if (!model)
    return std::cerr << model.error().render() << '\n', 1;
  std::cout << KEXPR_VERSION << ": " << out[0] << ' ' << out[1] << ' ' << out[2]
            << '\n';
  return out[0] == 5 && out[1] == 12 && out[2] == 21 ? 0 : 1;
}
