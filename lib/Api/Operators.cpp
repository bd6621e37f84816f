//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Operators.h"

#include "Ops/Table.h"
#include "Semantics/RowFunctions.h"
#include "Support/Fork.h"
#include "Support/Guarded.h"

#include <string>
#include <vector>

using namespace kexpr;

static OperatorInfo describe(const ops::OpEntry &entry) {
  constexpr std::string_view types[] = {
      "float",    "floating", "numeric", "number", "counting",
      "integral", "integer",  "truth",   "single", "composed"};
  // PNNX knows at most one other spelling of an operator.
  const ops::OpInfo &info = entry.info;
  const auto arithmetic =
      entry.works(ops::Arithmetic::F32)   ? ops::Arithmetic::F32
      : entry.works(ops::Arithmetic::I64) ? ops::Arithmetic::I64
                                          : ops::Arithmetic::Bool;
  return {.name = info.name,
          .aliases = info.aliases[0],
          .arity = entry.arity,
          .overloadArity = info.overload.arity,
          .doc = info.doc,
          .types = types[static_cast<int>(info.types)],
          .maxUlp = info.ulp.f32,
          .maxUlpAccurate = info.ulp.accurate,
          .maxUlpF64 = info.ulp.f64,
          .maxUlpFast = info.ulp.fast,
          .operations = entry.workIn(arithmetic).operations,
          .pnnx = info.pnnx,
          .defaults = info.defaults.count};
}

static constinit Once<const std::vector<OperatorInfo>> all;

static std::vector<OperatorInfo> describeAll() {
  std::vector<OperatorInfo> result;
  for (const ops::OpEntry &entry : ops::table())
    result.push_back(describe(entry));
  return result;
}

Span<const OperatorInfo> kexpr::operators() {
  return guardedOr(Span<const OperatorInfo>(), [] {
    const auto &made = all.get(describeAll);
    return Span<const OperatorInfo>(made.data(), made.size());
  });
}

static constinit Once<const std::vector<RowFunctionInfo>> functions;

static std::vector<RowFunctionInfo> describeFunctions() {
  std::vector<RowFunctionInfo> result;
  for (const semantics::RowFunction &each : semantics::rowFunctions())
    result.push_back({.name = each.name,
                      .signature = each.signature,
                      .doc = each.doc,
                      .isReduction = ops::findReduction(each.name).has_value(),
                      .maxUlp = each.ulp.f32,
                      .maxUlpF64 = each.ulp.f64});
  return result;
}

Span<const RowFunctionInfo> kexpr::rowFunctions() {
  return guardedOr(Span<const RowFunctionInfo>(), [] {
    const auto &made = functions.get(describeFunctions);
    return Span<const RowFunctionInfo>(made.data(), made.size());
  });
}
