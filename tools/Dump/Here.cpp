//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/Here.h"

#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;

/// Of operands and outputs that a loop is timed over.
static constexpr std::int64_t mostBytes = std::int64_t{1} << 30;

Measured tools::measureHere(const backend::Backend &backend,
                            const semantics::Plan &plan,
                            const codegen::Target &target,
                            codegen::OptLevel level, std::int64_t elements) {
  const auto host = backend.makeTarget({});
  if (!host || target.triple != host->triple || target.cpu != host->cpu ||
      !backend.checkRunsHere(target))
    return {{},
            concat(target.cpu, " is not this machine",
                   host ? ", which is " + host->cpu : "")};
  const auto compiled = backend.compile(plan, target, level);
  if (!compiled)
    return {{}, compiled.error().message()};
  const auto bytes = static_cast<std::int64_t>(plan.bytesPerElement());
  const std::int64_t last = std::min(elements, mostBytes / bytes);
  std::vector<std::int64_t> sizes = {1000, 32000, last};
  std::erase_if(sizes, [&](auto size) { return size > last; });
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  auto times = measureLoop(plan, compiled->image, sizes);
  if (!times)
    return {{}, times.error().message()};
  return {std::move(*times), {}};
}
