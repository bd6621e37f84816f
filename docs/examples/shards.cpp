//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include <kexpr/kexpr.h>

#include <iostream>
#include <vector>

/// What one process sends of its rows.
static kexpr::Expected<std::string>
stateOf(const kexpr::Kernel &kernel, const float *rows, std::int64_t count) {
  auto state = kernel.sumState({{rows, {count, 2}}});
  if (!state)
    return state.error();
  return state->bytes();
}

/// What comes of all of them, whichever arrives first.
static kexpr::Status collect(const std::vector<std::string> &received,
                             const kexpr::TensorView &mean) {
  auto all = kexpr::SumState::parse(received[0]);
  if (!all)
    return all.error();
  for (std::size_t i = 1; i < received.size(); ++i) {
    auto state = kexpr::SumState::parse(received[i]);
    if (!state)
      return state.error();
    if (auto status = all->merge(*state); !status)
      return status;
  }
  return all->finish({mean});
}

static kexpr::Status run() {
  kexpr::Engine engine;
  kexpr::CompileOptions options;
  options.precision = kexpr::Precision::Accurate;
  auto kernel = engine.compile("mean(mul(@0,@0),0)", options);
  if (!kernel)
    return kernel.error();
  const float rows[] = {1e10F, 1, 2, 3, 4, 5};
  float mean[2];
  std::vector<std::string> received;
  for (int first : {0, 1}) {
    auto bytes = stateOf(*kernel, rows + 2 * first, first == 0 ? 1 : 2);
    if (!bytes)
      return bytes.error();
    received.push_back(*bytes);
  }
  if (auto status = collect(received, {mean, {2}}); !status)
    return status;
  std::cout << mean[0] << ' ' << mean[1] << '\n';
  return {};
}

int main() {
  if (auto status = run(); !status)
    return std::cerr << status.error().render() << '\n', 1;
}
