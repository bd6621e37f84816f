//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Syntax/Printer.h"

#include <charconv>
#include <cmath>
#include <vector>

using namespace kexpr;
using namespace kexpr::syntax;

static std::string printReal(double value) {
  if (std::isnan(value))
    return "nan";
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

std::string syntax::printFloat(double value) {
  std::string text = printReal(value);
  // Without one of these it would read as an integer.
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text;
}

static std::string printComplex(double real, double imaginary) {
  std::string text = printReal(imaginary);
  return printReal(real) + (text[0] == '-' ? "" : "+") + text + 'j';
}

std::string syntax::printLeaf(const Node &node) {
  switch (node.kind) {
  case NodeKind::Operand:
    return '@' + std::to_string(node.index);
  case NodeKind::Integer:
    return std::to_string(node.integer);
  case NodeKind::Float:
    return printFloat(node.number);
  case NodeKind::Complex:
    return printComplex(node.number, node.imaginary);
  case NodeKind::Bool:
    return node.integer ? "True" : "False";
  case NodeKind::None:
    return "None";
  default:
    return std::string(node.name);
  }
}

std::string syntax::print(Span<const Node> nodes) {
  struct Open {
    const Node *node;
    std::size_t next; ///< Child to print next.
  };
  std::string text;
  std::vector<Open> open{{&nodes[nodes.size() - 1], 0}};
  while (!open.empty()) {
    auto &[node, next] = open.back();
    const bool list = node->kind == NodeKind::List;
    if (!list && node->kind != NodeKind::Call) {
      text += printLeaf(*node);
      open.pop_back();
      continue;
    }
    if (next == 0) {
      text += node->name;
      text += list ? '[' : '(';
    }
    if (next == node->children.size()) {
      text += list ? ']' : ')';
      open.pop_back();
      continue;
    }
    if (next > 0)
      text += ',';
    const Node *child = &nodes[node->children[next++]];
    open.push_back({child, 0});
  }
  return text;
}
