//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In place of source/parser/parse_expression.cpp of the newest version.
//
//===----------------------------------------------------------------------===//
#include "../Tokens.h"

namespace kuiper_infer {

static constexpr kexpr::kuiper::Function functions[] = {
    {"add", 2, TokenType::TokenAdd},
    {"mul", 2, TokenType::TokenMul},
};
static constexpr kexpr::kuiper::Functions known(functions,
                                                std::size(functions));

void ExpressionParser::Tokenizer(bool retokenize) {
  if (retokenize || tokens_.empty())
    kexpr::kuiper::tokenize(statement_, tokens_, token_strs_, known);
}

const std::vector<Token> &ExpressionParser::tokens() const { return tokens_; }

const std::vector<std::string> &ExpressionParser::token_str_array() const {
  return token_strs_;
}

std::shared_ptr<TokenNode> ExpressionParser::Generate_(int32_t &index) {
  return kexpr::kuiper::generateAt(statement_, index, known);
}

std::vector<std::shared_ptr<TokenNode>> ExpressionParser::Generate() {
  Tokenizer();
  return kexpr::kuiper::generate(statement_, known);
}

TokenNode::TokenNode(int32_t num_index, std::shared_ptr<TokenNode> left,
                     std::shared_ptr<TokenNode> right)
    : num_index(num_index), left(std::move(left)), right(std::move(right)) {}

} // namespace kuiper_infer
