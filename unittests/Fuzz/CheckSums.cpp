//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Fuzzers.h"
#include "kexpr/SumState.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace kexpr;
using namespace kexpr::fuzz;

static void put(std::string &bytes, std::size_t at, std::uint64_t number) {
  for (unsigned i = 0; i < 8; ++i)
    bytes[at + i] = static_cast<char>(number >> 8 * i & 0xff);
}

/// The bytes with the size that they have, and with the right check, which
/// hardly any change would get past.
static std::string repaired(std::string bytes) {
  constexpr std::size_t size = 16, head = 24, check = 8;
  if (bytes.size() < head + check)
    return bytes;
  put(bytes, size, bytes.size());
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < bytes.size() - check; ++i)
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3;
  put(bytes, bytes.size() - check, hash);
  return bytes;
}

/// Rounds every sum; the problem if there is one. Shapes may be none that an
/// output can have.
static std::string finished(const SumState &state) {
  std::vector<std::vector<char>> memory;
  std::vector<TensorView> outputs;
  for (std::size_t i = 0; i < state.outputCount(); ++i) {
    const Shape shape = state.outputShape(i);
    auto &bytes =
        memory.emplace_back(static_cast<std::size_t>(shape.elementCount()) *
                                sizeOf(state.outputType(i)) +
                            1);
    outputs.emplace_back(static_cast<void *>(bytes.data()), state.outputType(i),
                         shape);
  }
  const Status status = state.finish(outputs);
  return status || !status.error().message().empty() ? "" : "no message";
}

/// Bytes are refused, or are a state that is written as it was read, rounded,
/// and merged.
static Verdict checkState(const std::string &bytes) {
  auto state = SumState::parse(bytes);
  if (!state)
    return {false, state.error().message().empty() ? "no message" : ""};
  const auto written = state->bytes();
  if (!written || *written != bytes)
    return {true, "a state that is written otherwise than it was read"};
  if (auto problem = finished(*state); !problem.empty())
    return {true, problem};
  const auto other = SumState::parse(bytes);
  if (const Status status = state->merge(*other); !status)
    return {true, status.error().message().empty() ? "no message" : ""};
  const auto merged = state->bytes();
  if (!merged || !SumState::parse(*merged))
    return {true, "a merged state that cannot be read"};
  return {true, finished(*state)};
}

Verdict fuzz::checkSumBytes(std::string_view bytes) {
  const std::string given(bytes), right = repaired(given);
  Verdict first = checkState(given);
  if (!first.problem.empty() || right == given)
    return first;
  Verdict second = checkState(right);
  second.valid |= first.valid;
  return second;
}
