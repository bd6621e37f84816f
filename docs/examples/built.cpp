//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <kexpr/kexpr.h>

#include <iostream>

/// Two of Newton's steps to 1 / a: x * (2 - a * x).
static kexpr::Expected<kexpr::Expression> newton() {
  kexpr::ExpressionBuilder builder;
  const auto a = builder.operand(0), two = builder.integer(2);
  auto x = builder.operand(1);
  for (int step = 0; step < 2 && a && two && x; ++step) {
    const auto product = builder.call("mul", {*a, *x});
    if (!product)
      return product.error();
    const auto rest = builder.call("sub", {*two, *product});
    if (!rest)
      return rest.error();
    x = builder.call("mul", {*x, *rest});
  }
  if (!a || !two || !x)
    return (!a ? a : !two ? two : x).error();
  return builder.finish(*x);
}

int main() {
  const auto expression = newton();
  if (!expression)
    return std::cerr << expression.error().render() << '\n', 1;
  const auto kernel = kexpr::Engine().compile(*expression);
  if (!kernel)
    return std::cerr << kernel.error().render() << '\n', 1;
  const float a = 4, x = 0.2f;
  float out = 0;
  const kexpr::TensorView inputs[] = {{&a, {}}, {&x, {}}};
  if (auto status = kernel->run(inputs, kexpr::TensorView(&out, {})); !status)
    return std::cerr << status.error().render() << '\n', 1;
  std::cout << kernel->expression().text() << '\n' << out << '\n';
}
