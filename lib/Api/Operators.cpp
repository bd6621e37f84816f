//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Operators.h"

#include "Ops/Table.h"

#include <string>
#include <vector>

using namespace kexpr;

static OperatorInfo describe(const ops::OpEntry &entry) {
  constexpr std::string_view types[] = {"float", "numeric", "integral"};
  // PNNX knows at most one other spelling of an operator.
  return {entry.info.name,   entry.info.aliases[0],
          entry.arity,       entry.info.overload.arity,
          entry.info.doc,    types[static_cast<int>(entry.info.types)],
          entry.info.maxUlp, entry.work.operations,
          entry.info.pnnx};
}

Span<const OperatorInfo> kexpr::operators() {
  static const std::vector<OperatorInfo> all = [] {
    std::vector<OperatorInfo> result;
    for (const ops::OpEntry &entry : ops::table())
      result.push_back(describe(entry));
    return result;
  }();
  return {all.data(), all.size()};
}
