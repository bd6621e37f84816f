//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <kexpr/kexpr.h>

#include <iostream>

int main() {
  kexpr::Engine engine;
  auto kernel = engine.compile("add(mul(@0,@1),@2)");
  if (!kernel)
    return std::cerr << kernel.error().render() << '\n', 1;
  float a[] = {1, 2, 3}, b[] = {4, 5, 6}, bias = 10, out[3];
  auto status = kernel->run({{a, {3}}, {b, {3}}, {&bias, {}}}, {{out, {3}}});
  if (!status)
    return std::cerr << status.error().render() << '\n', 1;
  std::cout << out[0] << ' ' << out[1] << ' ' << out[2] << '\n';
}
