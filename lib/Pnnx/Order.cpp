//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pnnx/Order.h"

#include <algorithm>
#include <functional>
#include <queue>

using namespace kexpr;
using namespace kexpr::pnnx;

std::vector<std::uint32_t> pnnx::orderOf(const Network &network) {
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>
      ready;
  std::vector<std::size_t> missing(network.operators.size());
  for (std::uint32_t i = 0; i < missing.size(); ++i) {
    missing[i] = network.operators[i].inputs.size();
    if (missing[i] == 0)
      ready.push(i);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (std::uint32_t output : network.operators[next].outputs)
      for (std::uint32_t consumer : network.operands[output].consumers)
        if (--missing[consumer] == 0)
          ready.push(consumer);
  }
  return order;
}

/// A producer of one of the inputs that is not `ordered`.
static std::uint32_t waitsFor(const Network &network,
                              const std::vector<bool> &ordered,
                              std::uint32_t position) {
  for (std::uint32_t input : network.operators[position].inputs)
    if (const auto from = network.operands[input].producer; !ordered[from])
      return from;
  return position;
}

std::vector<std::uint32_t> pnnx::cycleOf(const Network &network) {
  std::vector<bool> ordered(network.operators.size()), met(ordered);
  for (std::uint32_t position : network.order)
    ordered[position] = true;
  auto current = static_cast<std::uint32_t>(
      std::find(ordered.begin(), ordered.end(), false) - ordered.begin());
  // What is left out waits for another that is: backwards there is no end.
  std::vector<std::uint32_t> path;
  while (!met[current]) {
    met[current] = true;
    path.push_back(current);
    current = waitsFor(network, ordered, current);
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), current));
  std::reverse(path.begin(), path.end());
  return path;
}
