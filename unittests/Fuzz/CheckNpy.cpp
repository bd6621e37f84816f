//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Npy.h"
#include "Fuzz/Fuzzers.h"

#include <cmath>
#include <sstream>

using namespace kexpr;
using namespace kexpr::fuzz;

/// A file is refused, or is an array that it has all elements of.
Verdict fuzz::checkNpyBytes(std::string_view bytes) {
  std::istringstream file{std::string(bytes)};
  const auto array = tools::readNpy(file);
  if (!array)
    return {false, array.error().message().empty() ? "no message" : ""};
  if (array->bytes() > bytes.size())
    return {false, "an array that is larger than its file"};
  double sum = 0;
  for (std::int64_t i = 0; i < array->count(); ++i)
    sum += std::fabs(array->at(i));
  return {true, sum < 0 ? "a negative sum" : ""};
}
