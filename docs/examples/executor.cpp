//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls on threads of the host, here OpenMP's, for buffers that move.
//
//===----------------------------------------------------------------------===//
#include <kexpr/kexpr.h>

#include <cstdio>
#include <iostream>
#include <vector>

static void runOnOpenMp(void *, std::int64_t count,
                        kexpr::Executor::Tasks tasks, void *call) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
  for (std::int64_t i = 0; i < count; ++i)
    tasks(i, i + 1, call);
}

int main() {
  kexpr::EngineOptions options;
  options.executor.run = runOnOpenMp;
  kexpr::Engine engine(options);
  auto kernel = engine.compile("add(mul(@0,2),1)");
  if (!kernel)
    return std::cerr << kernel.error().render() << '\n', 1;
  // Both tensors are alike; where they are does not matter yet.
  std::vector<float> x(1 << 20, 3), y(1 << 20);
  const kexpr::TensorView form(x.data(), {1 << 20});
  auto call = kernel->prepare(form, form);
  if (!call)
    return std::cerr << call.error().render() << '\n', 1;
  for (int step = 0; step < 3; ++step, x.swap(y))
    if (auto status = call->run({x.data()}, {y.data()}); !status)
      return std::cerr << status.error().render() << '\n', 1;
  std::printf("%g %g\n", x.front(), x.back());
}
