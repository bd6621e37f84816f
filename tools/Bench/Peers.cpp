//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench/Peers.h"

#include "Bench/ExpressionFile.h"
#include "Bench/PlainLoops.h"
#include "Bench/Suite.h"
#include "Support/Text.h"

#include <cmath>

using namespace kexpr;
using namespace kexpr::tools;

bool tools::plainLoopsRunHere() {
#if defined(__x86_64__)
  const bool has[] = {__builtin_cpu_supports("avx2") != 0,
                      __builtin_cpu_supports("fma") != 0,
                      __builtin_cpu_supports("avx512f") != 0};
  for (int i = 0; i < 3; ++i)
    if (plainLoopsUse[i] && !has[i])
      return false;
#endif
  return true;
}

Status tools::isClose(const float *results, const float *expected,
                      std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    if (!(std::fabs(results[i] - expected[i]) <=
          peerTolerance * (1 + std::fabs(expected[i]))))
      return Error(ErrorCode::CompileFailed,
                   concat("a peer's result differs: element ", i, " is ",
                          results[i], " and the kernel's ", expected[i]));
  return {};
}

std::vector<const PlainLoops *> tools::plainPeers() {
  if (!plainLoopsRunHere())
    return {};
  std::vector<const PlainLoops *> peers = {&handWrittenLoops()};
  for (const PlainLoops *more : {streamingLoops(), eigenLoops()})
    if (more)
      peers.push_back(more);
  return peers;
}

int tools::plainIndexOf(std::string_view expression) {
  const auto &cases = workset();
  for (int i = 0; i < plainLoopCount; ++i)
    if (cases[static_cast<std::size_t>(i)].expression == expression)
      return i;
  return -1;
}

/// Runs the kernel, into its own output, and the loop, into another; compares
/// the two.
static Status verify(Pool &pool, const Workload &work, PlainLoop loop,
                     const float *const *inputs) {
  auto other = pool.output(1, work.count());
  if (!other)
    return other.error();
  if (auto status = work.run({.maxThreads = 1}); !status)
    return status;
  loop(work.count(), *other, inputs);
  return isClose(*other,
                 static_cast<const float *>(work.outputViews()[0].data()),
                 work.count());
}

void tools::timePlain(benchmark::State &state, const Engine &engine, Pool &pool,
                      Workload &work, PlainLoop loop) {
  if (!succeeded(state, work.prepare(engine, pool, {.maxThreads = 1})))
    return;
  std::vector<const float *> inputs;
  for (const TensorView &view : work.inputViews())
    inputs.push_back(static_cast<const float *>(view.data()));
  if (!succeeded(state, verify(pool, work, loop, inputs.data())))
    return;
  auto *out = static_cast<float *>(work.outputViews()[0].data());
  for (auto _ : state) {
    loop(work.count(), out, inputs.data());
    benchmark::ClobberMemory();
  }
  state.counters["verified"] = 1;
  state.SetItemsProcessed(state.iterations() * work.elements());
  state.SetBytesProcessed(state.iterations() * work.bytes());
}
