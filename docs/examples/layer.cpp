//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <kexpr/kexpr.h>

#include <iostream>
#include <vector>

int main() {
  // One engine for a program: layers of equal expressions share their kernel.
  kexpr::Engine engine;
  auto layer = kexpr::ExpressionLayer::create(engine, "add(@0,mul(@1,2))");
  if (!layer)
    return std::cerr << layer.error().render() << '\n', 1;

  // Two batch items: operand 0's tensors, then operand 1's.
  const kexpr::Shape chw = {2, 1, 3};
  std::vector<float> x(12, 1), y(12, 2), out(12);
  auto status =
      layer->forward({{&x[0], chw}, {&x[6], chw}, {&y[0], chw}, {&y[6], chw}},
                     {{&out[0], chw}, {&out[6], chw}});
  if (!status)
    return std::cerr << status.error().render() << '\n', 1;
  std::cout << out.front() << ' ' << out.back() << '\n';
}
