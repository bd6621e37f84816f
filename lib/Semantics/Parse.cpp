//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Expression.h"

#include "Ops/Table.h"
#include "Semantics/Promotion.h"
#include "Support/DefaultFloats.h"
#include "Support/Guarded.h"
#include "Syntax/Parser.h"

using namespace kexpr;

/// The arguments of a name in PNNX's prefix notation, 0 for an unknown one.
static unsigned arityOf(std::string_view name) {
  return semantics::castType(name) ? 1 : ops::arityOfName(name);
}

Expected<Expression> Expression::parse(std::string_view text,
                                       const ParseLimits &limits) {
  return guarded([&]() -> Expected<Expression> {
    const DefaultFloats floats;
    auto parsed = syntax::parse(text, limits, arityOf);
    if (!parsed)
      return parsed.error();
    return Expression(std::move(*parsed));
  });
}
