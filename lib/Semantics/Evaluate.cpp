//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Scalar.h"

#include "Semantics/Check.h"
#include "Semantics/Promotion.h"
#include "Support/DefaultFloats.h"
#include "Support/Guarded.h"
#include "Support/Quote.h"
#include "Support/Text.h"
#include "Syntax/Printer.h"

using namespace kexpr;
using semantics::Number;

namespace {

/// Visits the nodes once, in post-order; no recursion, whatever the depth.
class Evaluator {
public:
  Evaluator(const Expression &expression, std::uint32_t root,
            Span<const Shape> shapes, std::span<const Scalar *const> operands)
      : expression(expression), root(root), shapes(shapes), operands(operands) {
    findNeeded();
  }

  /// The first operand whose elements are needed; null if there is none.
  const Node *firstElement() const;
  Expected<Scalar> run();

private:
  Expected<Scalar> value(const Node &node);
  Expected<Scalar> scalar(const Node &node, const Number &number) const;
  void findNeeded();
  Scalar &valueOf(std::uint32_t node) { return values[node - first]; }
  const Scalar *known(const Node &operand) const {
    return operand.index < operands.size() ? operands[operand.index] : nullptr;
  }
  Expected<Scalar> call(const Node &node);
  Expected<Scalar> size(const Node &node);
  /// The arguments of a call as numbers.
  Expected<std::vector<Number>> numbers(const Node &node);
  Error fault(ErrorCode code, const Node &node, std::string message) const {
    return {code, std::move(message), std::string(expression.text()),
            node.range};
  }
  Error fault(const Node &node, const Error &error) const {
    return fault(error.code(), node, error.message());
  }
  semantics::Shapes source() const {
    return {shapes.data(), shapes.size(),
            [](const void *all, std::size_t operand) -> const Shape & {
              return static_cast<const Shape *>(all)[operand];
            }};
  }

  const Expression &expression;
  const std::uint32_t root;
  Span<const Shape> shapes;
  std::span<const Scalar *const> operands;
  /// By node: whether the root needs its value. The operand of a `size` is not
  /// needed.
  std::vector<bool> isNeeded;
  std::uint32_t first = 0;    ///< The first node that is needed.
  std::vector<Scalar> values; ///< By node, from `first` on.
};

} // namespace

/// Kinds of scalars from this one on are those of numbers, in order.
static constexpr int FirstNumber = static_cast<int>(Scalar::Kind::Bool);
static_assert(static_cast<int>(Scalar::Kind::Float) ==
              FirstNumber + static_cast<int>(Number::Kind::Real));

static Scalar scalarOf(const Number &number) {
  Scalar result;
  result.kind =
      static_cast<Scalar::Kind>(FirstNumber + static_cast<int>(number.kind));
  result.integer = number.integer;
  result.number = number.real;
  return result;
}

/// Scalars have the integers of i64.
Expected<Scalar> Evaluator::scalar(const Node &node,
                                   const Number &number) const {
  if (number.kind != Number::Kind::Unsigned)
    return scalarOf(number);
  return fault(ErrorCode::InvalidArgument, node,
               concat(number.str(), " is an integer of u64 alone"));
}

Expected<std::vector<Number>> Evaluator::numbers(const Node &node) {
  std::vector<Number> result;
  for (std::uint32_t child : node.children) {
    const Scalar &scalar = valueOf(child);
    const Node &argument = expression.nodes()[child];
    if (scalar.kind < Scalar::Kind::Bool || scalar.kind > Scalar::Kind::Float)
      return fault(
          ErrorCode::TypeMismatch, argument,
          concat(quote(node.name), " takes numbers, not ",
                 argument.kind == NodeKind::Operand
                     ? concat("the elements of operand @", argument.index)
                     : scalar.str()));
    result.push_back(
        {static_cast<Number::Kind>(static_cast<int>(scalar.kind) - FirstNumber),
         scalar.integer, scalar.number});
  }
  return result;
}

Expected<Scalar> Evaluator::size(const Node &node) {
  const auto nodes = expression.nodes();
  const bool isAxis = node.children.size() == 2;
  const bool isWhole = node.children.size() == 1;
  if ((!isAxis && !isWhole) ||
      nodes[node.children[0]].kind != NodeKind::Operand)
    return fault(ErrorCode::WrongArity, node,
                 "'size' takes an operand and an axis, or an operand alone");
  const std::uint32_t operand = nodes[node.children[0]].index;
  if (isAxis) {
    Node axis = node;
    axis.children = {node.children.data() + 1, 1};
    auto number = numbers(axis);
    if (!number)
      return number.error();
    auto size = semantics::sizeNumber(source(), operand, number->front());
    return size ? Expected<Scalar>(scalarOf(*size)) : fault(node, size.error());
  }
  if (operand >= shapes.size())
    return fault(ErrorCode::MissingOperand, node,
                 concat("the shape of operand @", operand,
                        " is needed, but only ", shapes.size(), " were given"));
  Scalar whole;
  whole.kind = Scalar::Kind::List;
  for (std::int64_t extent : shapes[operand])
    whole.elements.push_back(scalarOf({.integer = extent}));
  return whole;
}

Expected<Scalar> Evaluator::call(const Node &node) {
  if (node.name == "size")
    return size(node);
  const auto type = semantics::castType(node.name);
  const auto op = ops::find(node.name);
  if (!type && !op)
    return fault(ErrorCode::UnknownOperator, node,
                 concat("unknown operator ", quote(node.name)));
  const unsigned arity = type ? 1 : ops::table()[*op].arity;
  const unsigned longer = type ? 0 : ops::table()[*op].info.overload.arity;
  const std::size_t count = node.children.size();
  if (count != arity && (longer == 0 || count != longer))
    return fault(ErrorCode::WrongArity, node,
                 concat(quote(node.name), " of numbers takes ", arity,
                        " arguments, not ", node.children.size()));
  auto args = numbers(node);
  if (!args)
    return args.error();
  auto result = type ? semantics::callCast(*type, args->front())
                     : semantics::callNumber(*op, *args);
  return result ? scalar(node, *result) : fault(node, result.error());
}

Expected<Scalar> Evaluator::value(const Node &node) {
  Scalar result;
  switch (node.kind) {
  case NodeKind::Integer:
  case NodeKind::Unsigned:
  case NodeKind::Float:
  case NodeKind::Bool:
    return scalar(node, semantics::numberOf(node));
  case NodeKind::Complex:
    result.kind = Scalar::Kind::Complex;
    result.number = node.number;
    result.imaginary = node.imaginary;
    return result;
  case NodeKind::List:
    result.kind = Scalar::Kind::List;
    for (std::uint32_t child : node.children) {
      const Node &element = expression.nodes()[child];
      // Lists of lists of other expressions could grow without bound.
      if (element.kind == NodeKind::Operand &&
          valueOf(child).kind == Scalar::Kind::List)
        return fault(ErrorCode::Unsupported, element,
                     concat("operand @", element.index,
                            " is a list, which no other holds"));
      // Calls may be used again; lists have one use.
      result.elements.push_back(element.kind == NodeKind::List
                                    ? std::move(valueOf(child))
                                    : valueOf(child));
    }
    return result;
  case NodeKind::Call:
    return call(node);
  case NodeKind::Word:
    return fault(ErrorCode::UnknownOperator, node,
                 concat(quote(node.name), " is not a value"));
  case NodeKind::Operand:
    if (const Scalar *number = known(node))
      return *number;
    [[fallthrough]]; // `size` needs its shape alone.
  default:
    return result; // None
  }
}

void Evaluator::findNeeded() {
  const auto nodes = expression.nodes();
  isNeeded.resize(root + std::size_t{1});
  isNeeded[root] = true;
  // Ends with the last node that is needed: a list may have many elements.
  std::size_t open = 1;
  for (first = root + 1; open > 0;) {
    const Node &node = nodes[--first];
    if (!isNeeded[first])
      continue;
    --open;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      const std::uint32_t child = node.children[k];
      const bool isShape = k == 0 && node.kind == NodeKind::Call &&
                           node.name == "size" &&
                           nodes[child].kind == NodeKind::Operand;
      if (isShape || isNeeded[child])
        continue;
      isNeeded[child] = true;
      ++open;
    }
  }
}

const Node *Evaluator::firstElement() const {
  const auto nodes = expression.nodes();
  for (std::size_t i = first; i <= root; ++i)
    if (isNeeded[i] && nodes[i].kind == NodeKind::Operand && !known(nodes[i]))
      return &nodes[i];
  return nullptr;
}

Expected<Scalar> Evaluator::run() {
  if (const Node *operand = firstElement())
    return fault(ErrorCode::InvalidArgument, *operand,
                 concat("operand @", operand->index,
                        " has elements; only its sizes can be evaluated"));
  const auto nodes = expression.nodes();
  for (std::size_t i = first; i <= root; ++i) {
    auto result = isNeeded[i] ? value(nodes[i]) : Scalar();
    if (!result)
      return result;
    values.push_back(std::move(*result));
  }
  return std::move(values.back());
}

Expected<Scalar> semantics::evaluate(const Expression &expression,
                                     std::uint32_t root,
                                     Span<const Shape> shapes,
                                     std::span<const Scalar *const> operands) {
  return Evaluator(expression, root, shapes, operands).run();
}

static std::uint32_t rootOf(const Expression &expression) {
  return static_cast<std::uint32_t>(expression.nodes().size() - 1);
}

bool kexpr::isScalar(const Expression &expression) {
  return guardedOr(false, [&] {
    return !Evaluator(expression, rootOf(expression), {}, {}).firstElement();
  });
}

Expected<Scalar> kexpr::evaluate(const Expression &expression,
                                 Span<const Shape> shapes) {
  return guarded([&] {
    const DefaultFloats floats;
    return semantics::evaluate(expression, rootOf(expression), shapes, {});
  });
}

/// The text of a value that is no list.
static std::string leaf(const Scalar &scalar) {
  Node node;
  node.integer = scalar.integer;
  node.number = scalar.number;
  node.imaginary = scalar.imaginary;
  constexpr NodeKind kinds[] = {NodeKind::None, NodeKind::Bool,
                                NodeKind::Integer, NodeKind::Float,
                                NodeKind::Complex};
  const auto kind = static_cast<std::size_t>(scalar.kind);
  node.kind = kinds[kind < std::size(kinds) ? kind : 0];
  return syntax::printLeaf(node);
}

std::string Scalar::str() const {
  const DefaultFloats floats;
  return guardedOr(std::string("?"), [this] {
    if (kind != Kind::List)
      return leaf(*this);
    std::string text = "[";
    for (const Scalar &element : elements)
      text += (&element == elements.data() ? "" : ",") + element.str();
    return text + "]";
  });
}
