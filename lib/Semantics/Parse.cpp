//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Expression.h"

#include "Ops/Table.h"
#include "Syntax/Parser.h"

#include <new>

using namespace kexpr;

Expected<Expression> Expression::parse(std::string_view text,
                                       const ParseLimits &limits) {
  try {
    auto parsed = syntax::parse(text, limits, ops::arityOfName);
    if (!parsed)
      return parsed.error();
    return Expression(std::move(*parsed));
  } catch (const std::bad_alloc &) {
    return Error(ErrorCode::OutOfMemory, "out of memory while parsing");
  }
}
