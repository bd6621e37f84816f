//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/SumStateImpl.h"

#include "Ops/Table.h"
#include "Runtime/Requirements.h"
#include "Support/Text.h"

#include <cstring>

using namespace kexpr;
using namespace kexpr::runtime;

std::string OutputSums::str() const {
  return concat(isMean ? "means of " : "sums of ", nameOf(type), ", of shape ",
                shape.str());
}

static Status mergeOutput(OutputSums &sums, const OutputSums &other,
                          std::size_t index) {
  const auto differ = [&](ErrorCode code) {
    return Error(code, concat("output ", index, " is ", sums.str(),
                              ", and not ", other.str()));
  };
  if (sums.isMean != other.isMean)
    return differ(ErrorCode::InvalidArgument);
  if (sums.type != other.type)
    return differ(ErrorCode::TypeMismatch);
  if (sums.shape != other.shape)
    return differ(ErrorCode::ShapeMismatch);
  const Error tooMany(ErrorCode::InvalidArgument,
                      concat("output ", index, " has too many elements"));
  if (__builtin_add_overflow(sums.count, other.count, &sums.count))
    return tooMany;
  const ops::ExactSums &exact = sums.exact();
  for (std::size_t at = 0; at < sums.states.size(); at += exact.words)
    if (!exact.merge(&sums.states[at], &other.states[at]))
      return tooMany;
  return {};
}

Status SumStateImpl::merge(const SumStateImpl &other) {
  if (outputs.size() != other.outputs.size())
    return Error(ErrorCode::InvalidArgument,
                 concat("a state of ", counted(outputs.size(), "output"),
                        " and one of ", other.outputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (auto status = mergeOutput(outputs[i], other.outputs[i], i); !status)
      return status;
  return {};
}

/// The results, row-major.
static std::vector<std::byte> resultsOf(const OutputSums &sums) {
  const ops::ExactSums &exact = sums.exact();
  const std::size_t count = sums.states.size() / exact.words;
  const std::size_t size = sizeOf(exact.element);
  std::vector<std::byte> rounded(count * size);
  for (std::size_t i = 0; i < count; ++i)
    exact.round(&sums.states[i * exact.words], sums.isMean ? sums.count : 1,
                sums.type, &rounded[i * size]);
  if (sums.type == exact.element)
    return rounded;
  std::vector<std::byte> narrow(count * sizeOf(sums.type));
  const void *from = rounded.data();
  ops::conversion(exact.element, sums.type)(count, &from, narrow.data());
  return narrow;
}

static void store(const std::vector<std::byte> &results, const TensorView &to) {
  const std::size_t size = sizeOf(to.type());
  auto *first = static_cast<char *>(to.data());
  for (std::size_t i = 0; i * size < results.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t offset = 0;
    for (std::size_t axis = to.shape().rank(); axis-- > 0;) {
      offset += rest % to.shape()[axis] * to.strides()[axis];
      rest /= to.shape()[axis];
    }
    std::memcpy(first + offset * static_cast<std::int64_t>(size),
                &results[i * size], size);
  }
}

Status SumStateImpl::finish(std::span<const TensorView> to) const {
  if (to.size() != outputs.size())
    return Error(ErrorCode::InvalidArgument,
                 concat("the state has ", outputs.size(), " outputs, but ",
                        to.size(), " were given"));
  std::vector<ByteRange> written;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (auto status = checkOutput(to[i], i, outputs[i].type); !status)
      return status;
    if (to[i].shape() != outputs[i].shape)
      return Error(ErrorCode::ShapeMismatch,
                   concat("output ", i, " has shape ", to[i].shape().str(),
                          "; its state has ", outputs[i].shape.str()));
    written.push_back(ByteRange::of(to[i]));
  }
  if (const auto overlap = findOverlap(
          written, {}, [](std::size_t, std::size_t) { return false; }))
    return Error(ErrorCode::OverlappingOutput,
                 concat("output ", overlap->output, " overlaps output ",
                        overlap->other));
  std::vector<std::vector<std::byte>> results;
  for (const OutputSums &sums : outputs)
    results.push_back(resultsOf(sums));
  for (std::size_t i = 0; i < to.size(); ++i)
    store(results[i], to[i]);
  return {};
}
