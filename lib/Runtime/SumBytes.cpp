//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// States of sums as bytes. All numbers are little-endian:
///
///   8 bytes  "kexprsum"
///   u32      the version, 1
///   u32      outputs
///   u64      all bytes, the check included
///   of each output:
///     u8     0 for sums, 1 for means
///     u8     the type of the results, as in `DType`
///     u8     axes; five bytes of 0
///     i64    elements of each result
///     i64    the extent of each axis of the results
///     of each result, in row-major order:
///       u32  1 for NaN, 2 for inf, 4 for -inf among the elements
///       u32  each digit of the sum; the last is signed. See ops::ExactSums
///   u64      the check: FNV-1a of all bytes before
///
/// A changed byte always changes this hash: each of its steps is one-to-one.
///
//===----------------------------------------------------------------------===//
#include "Runtime/SumStateImpl.h"
#include "Semantics/Promotion.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::runtime;

static constexpr std::string_view Magic = "kexprsum";
static constexpr std::uint32_t Version = 1;
static constexpr std::size_t HeadBytes = 24, CheckBytes = 8;

static std::uint64_t checkOf(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char byte : bytes)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

static void put(std::string &bytes, std::uint64_t number, unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    bytes += static_cast<char>(number >> 8 * i & 0xff);
}

std::string SumStateImpl::bytes() const {
  std::size_t size = HeadBytes + CheckBytes;
  for (const OutputSums &sums : outputs)
    size += 16 + 8 * sums.shape.rank() + 4 * sums.states.size();
  std::string bytes;
  bytes.reserve(size);
  bytes += Magic;
  put(bytes, Version, 4);
  put(bytes, outputs.size(), 4);
  put(bytes, size, 8);
  for (const OutputSums &sums : outputs) {
    put(bytes, sums.isMean, 1);
    put(bytes, static_cast<std::uint64_t>(sums.type), 1);
    put(bytes, sums.shape.rank(), 6);
    put(bytes, static_cast<std::uint64_t>(sums.count), 8);
    for (std::int64_t extent : sums.shape)
      put(bytes, static_cast<std::uint64_t>(extent), 8);
    for (std::int64_t word : sums.states)
      put(bytes, static_cast<std::uint64_t>(word), 4);
  }
  put(bytes, checkOf(bytes), 8);
  return bytes;
}

namespace {
/// Takes numbers off bytes. Past the end, and for what can be no such number,
/// it gives 0 and has failed.
class SumReader {
public:
  explicit SumReader(std::string_view bytes) : left(bytes) {}
  std::uint64_t take(unsigned size) {
    if (left.size() < size) {
      hasFailed = true;
      return 0;
    }
    std::uint64_t number = 0;
    for (unsigned i = 0; i < size; ++i)
      number |= std::uint64_t{static_cast<unsigned char>(left[i])} << 8 * i;
    left.remove_prefix(size);
    return number;
  }
  std::uint64_t take(unsigned size, std::uint64_t most) {
    const std::uint64_t number = take(size);
    hasFailed |= number > most;
    return hasFailed ? 0 : number;
  }
  OutputSums output();
  bool isWhole() const { return !hasFailed && left.empty(); }

  std::string_view left;
  bool hasFailed = false;
};
} // namespace

OutputSums SumReader::output() {
  constexpr std::uint64_t most = INT64_MAX;
  OutputSums sums;
  sums.isMean = take(1, 1) != 0;
  sums.type = static_cast<DType>(take(1));
  hasFailed |= !semantics::isFloatingPoint(sums.type);
  const std::uint64_t rank = take(6, MaxRank);
  sums.count = static_cast<std::int64_t>(take(8, most));
  std::int64_t extents[MaxRank] = {};
  for (std::uint64_t axis = 0; axis < rank; ++axis)
    extents[axis] = static_cast<std::int64_t>(take(8, most));
  sums.shape = Shape(extents, rank);
  const std::int64_t results = sums.shape.elementCount();
  const std::size_t words = sums.exact().words;
  // Before there is memory for them: are there so many?
  hasFailed |= results < 0 ||
               static_cast<std::uint64_t>(results) > left.size() / (4 * words);
  if (hasFailed)
    return sums;
  sums.states.reserve(static_cast<std::size_t>(results) * words);
  for (std::int64_t i = 0; i < results; ++i) {
    constexpr std::uint64_t flags = 7;
    sums.states.push_back(static_cast<std::int64_t>(take(4, flags)));
    for (std::size_t word = 2; word < words; ++word)
      sums.states.push_back(static_cast<std::int64_t>(take(4)));
    sums.states.push_back(static_cast<std::int32_t>(take(4)));
  }
  return sums;
}

Expected<SumStateImpl> SumStateImpl::parse(std::string_view bytes) {
  const auto refused = [](std::string_view what) {
    return Error(ErrorCode::InvalidArgument, std::string(what));
  };
  SumReader head(bytes);
  if (!bytes.starts_with(Magic))
    return refused("the bytes are no state of sums");
  head.left.remove_prefix(Magic.size());
  const std::uint64_t version = head.take(4), count = head.take(4);
  const std::uint64_t size = head.take(8);
  if (head.hasFailed)
    return refused("the state of sums is cut off");
  if (version != Version)
    return Error(ErrorCode::Unsupported,
                 concat("the state of sums is of version ", version,
                        ", and not ", Version));
  if (size != bytes.size() || size < HeadBytes + CheckBytes)
    return refused(concat("the state of sums has ", bytes.size(),
                          " bytes instead of ", size));
  SumReader check(bytes.substr(bytes.size() - CheckBytes));
  bytes.remove_suffix(CheckBytes);
  if (check.take(8) != checkOf(bytes))
    return refused("the state of sums is damaged");
  SumReader reader(bytes.substr(HeadBytes));
  SumStateImpl state;
  for (std::uint64_t i = 0; i < count && !reader.hasFailed; ++i)
    state.outputs.push_back(reader.output());
  if (!reader.isWhole())
    return refused("the state of sums has impossible contents");
  return state;
}
