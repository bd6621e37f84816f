//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Graph/Draft.h"

#include <cstring>

using namespace kexpr;
using namespace kexpr::graph;

/// As PyTorch would make a tensor of them, but that floats keep all digits.
static std::optional<DType> elementType(const Scalar &scalar) {
  switch (scalar.kind) {
  case Scalar::Kind::Bool:
    return DType::Bool;
  case Scalar::Kind::Int:
    return DType::I64;
  case Scalar::Kind::Float:
    return DType::F64;
  default:
    return std::nullopt;
  }
}

Expected<TensorType> graph::tensorTypeOf(const Scalar &scalar) {
  const Error fault(ErrorCode::Unsupported,
                    "value " + scalar.str() +
                        " is no number and no list of numbers");
  if (scalar.kind != Scalar::Kind::List) {
    const auto type = elementType(scalar);
    if (!type)
      return fault;
    return TensorType{*type, {}};
  }
  DType type = DType::I64;
  for (const Scalar &element : scalar.elements) {
    const auto own = elementType(element);
    if (!own)
      return fault;
    if (own == DType::F64)
      type = DType::F64;
  }
  return TensorType{type, {static_cast<std::int64_t>(scalar.elements.size())}};
}

/// One element in the first bytes of a word.
static std::int64_t wordOf(const Scalar &scalar, DType type) {
  std::int64_t word = 0;
  if (type == DType::F64) {
    const double number = scalar.kind == Scalar::Kind::Float
                              ? scalar.number
                              : static_cast<double>(scalar.integer);
    std::memcpy(&word, &number, sizeof word);
  } else if (type == DType::Bool) {
    const bool truth = scalar.integer != 0;
    std::memcpy(&word, &truth, sizeof truth);
  } else {
    word = scalar.integer;
  }
  return word;
}

std::vector<std::int64_t> graph::bytesOf(const Scalar &scalar, DType type) {
  if (scalar.kind != Scalar::Kind::List)
    return {wordOf(scalar, type)};
  std::vector<std::int64_t> words;
  for (const Scalar &element : scalar.elements)
    words.push_back(wordOf(element, type));
  return words;
}
