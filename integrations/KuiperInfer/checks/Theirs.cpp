//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layer and the parser that were replaced, under other names, beside ours.
// They are read from the checkout; nothing of them is kept here.
//
//===----------------------------------------------------------------------===//
#include "layer/abstract/layer_factory.hpp"

namespace {
/// Takes a registration and does nothing: the type is ours.
struct NotRegistered {
  template <class... Any> explicit NotRegistered(const Any &...) {}
};
} // namespace

#define ExpressionLayer TheirExpressionLayer
#define ExpressionParser TheirExpressionParser
#define TokenNode TheirTokenNode
#define LayerRegistererWrapper static const NotRegistered
#include "source/layer/details/expression.cpp"
#include "source/parser/parse_expression.cpp"
#undef ExpressionLayer
#undef ExpressionParser
#undef TokenNode
#undef LayerRegistererWrapper

#include "Framework.h"

kexpr::kuiper::LayerPtr kexpr::kuiper::theirs(const std::string &expression) {
  return std::make_shared<TheirExpressionLayer>(expression);
}
