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
  kexpr::CompileOptions options;
  options.syntax = kexpr::Syntax::Infix;
  options.operandNames = {"x", "a", "b"};
  auto kernel = engine.compile("t = a*x + b; t if t > 0 else exp(t)", options);
  if (!kernel)
    return std::cerr << kernel.error().render() << '\n', 1;
  float x[] = {1, 2, 3}, a = 2, b = -3, out[3];
  auto status = kernel->run({{x, {3}}, {&a, {}}, {&b, {}}}, {{out, {3}}});
  if (!status)
    return std::cerr << status.error().render() << '\n', 1;
  std::cout << out[0] << ' ' << out[1] << ' ' << out[2] << '\n';
}
