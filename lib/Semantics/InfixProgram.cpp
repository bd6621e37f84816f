//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Semantics/InfixFunctions.h"
#include "Semantics/InfixLowering.h"
#include "Support/DefaultFloats.h"
#include "Support/Guarded.h"
#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

using namespace kexpr;
using namespace kexpr::semantics;

using Built = InfixEmitter::Built;

Expected<Built> InfixEmitter::note(Expected<Built> built,
                                   std::vector<Built> children) {
  if (!built)
    return built;
  const auto place = static_cast<std::size_t>(*built);
  if (place >= emitted.size())
    emitted.resize(place + 1);
  emitted[place] = {current, std::move(children)};
  return built;
}

Expected<Built> InfixEmitter::operand(std::uint32_t index) {
  return note(builder.operand(index), {});
}
Expected<Built> InfixEmitter::integer(std::int64_t value) {
  return note(builder.integer(value), {});
}
Expected<Built> InfixEmitter::unsignedInteger(std::uint64_t value) {
  return note(builder.unsignedInteger(value), {});
}
Expected<Built> InfixEmitter::real(double value) {
  return note(builder.real(value), {});
}
Expected<Built> InfixEmitter::boolean(bool value) {
  return note(builder.boolean(value), {});
}
Expected<Built> InfixEmitter::none() { return note(builder.none(), {}); }
Expected<Built> InfixEmitter::list(const std::vector<Built> &elements) {
  return note(builder.list({elements.data(), elements.size()}), elements);
}
Expected<Built> InfixEmitter::call(std::string_view name,
                                   const std::vector<Built> &args) {
  return note(builder.call(name, {args.data(), args.size()}), args);
}

Expected<Expression>
InfixEmitter::finish(const std::vector<Built> &outputs) const {
  return builder.finish({outputs.data(), outputs.size()});
}

/// Both graphs have one structure: the printer makes equal values one and
/// changes nothing else.
std::vector<SourceRange>
InfixEmitter::rangesOf(const Expression &expression,
                       const std::vector<Built> &outputs) const {
  const auto nodes = expression.nodes();
  std::vector<SourceRange> ranges(nodes.size());
  std::vector<bool> isKnown(nodes.size());
  std::vector<std::pair<std::uint32_t, Built>> open;
  const auto root = static_cast<std::uint32_t>(nodes.size() - 1);
  if (outputs.size() == 1)
    open.emplace_back(root, outputs[0]);
  else
    for (std::size_t i = 0; i < outputs.size(); ++i)
      open.emplace_back(nodes[root].children[i], outputs[i]);
  while (!open.empty()) {
    const auto [node, value] = open.back();
    open.pop_back();
    if (isKnown[node])
      continue;
    const Emitted &from = emitted[static_cast<std::size_t>(value)];
    isKnown[node] = true;
    ranges[node] = from.range;
    for (std::size_t i = 0; i < from.children.size(); ++i)
      open.emplace_back(nodes[node].children[i], from.children[i]);
  }
  return ranges;
}

/// A message in which operands have their names: "operand @0" is "operand 'a'".
static std::string withNames(const std::string &message,
                             const std::vector<std::string> &names) {
  std::string result;
  for (std::size_t i = 0; i < message.size(); ++i) {
    std::size_t index = 0, end = i + 1;
    while (message[i] == '@' && end < message.size() && message[end] >= '0' &&
           message[end] <= '9' && index < names.size())
      index = 10 * index + static_cast<std::size_t>(message[end++] - '0');
    if (end == i + 1 || index >= names.size()) {
      result += message[i];
      continue;
    }
    result += quote(names[index]);
    i = end - 1;
  }
  return result;
}

Error semantics::placeInInfix(const Error &error,
                              const detail::InfixData &program,
                              const LoweredInfix &lowered) {
  const std::string &text = program.tree.text;
  std::string message = withNames(error.message(), program.tree.operands);
  const SourceRange whole = {0, text.size()};
  if (!error.hasRange())
    return {error.code(), std::move(message)};
  const auto ranges =
      lowered.emitter.rangesOf(lowered.expression, lowered.outputs);
  const auto nodes = lowered.expression.nodes();
  SourceRange best = whole;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const SourceRange range = nodes[i].range;
    const bool holds = range.begin <= error.range().begin &&
                       error.range().end <= range.end && !ranges[i].empty();
    if (holds && range.end - range.begin < least) {
      least = range.end - range.begin;
      best = ranges[i];
    }
  }
  return {error.code(), std::move(message), text, best};
}

/// "did you mean", where a name is close to that of an operand.
static Error withSuggestion(const Error &error,
                            std::span<const std::string> operands) {
  const SourceRange range = error.range();
  const std::string word =
      error.source().substr(range.begin, range.end - range.begin);
  const std::vector<std::string_view> names(operands.begin(), operands.end());
  const std::string_view closest = ops::closestOf(word, names);
  return {error.code(),
          concat(error.message(),
                 closest.empty()
                     ? ""
                     : concat("; did you mean ", quote(closest), "?")),
          error.source(), range};
}

Expected<InfixPtr> semantics::readInfix(std::string_view text,
                                        std::span<const std::string> operands,
                                        const ParseLimits &limits) {
  std::set<std::string_view> names;
  for (const std::string &name : operands) {
    if (!syntax::isInfixName(name))
      return Error(ErrorCode::InvalidArgument,
                   concat(quote(name), " cannot be the name of an operand"));
    if (!names.insert(name).second)
      return Error(ErrorCode::InvalidArgument,
                   concat("two operands are called ", quote(name)));
  }
  auto data = std::make_shared<detail::InfixData>();
  data->limits = limits;
  const Status status =
      syntax::parseInfix(text, {limits, operands, kindOfName}, data->tree);
  if (!status && status.error().code() == ErrorCode::UnknownOperator)
    return withSuggestion(status.error(), operands);
  if (!status)
    return status.error();
  return InfixPtr(std::move(data));
}

Expected<InfixProgram> InfixProgram::parse(std::string_view text,
                                           const InfixOptions &options) {
  return guarded([&]() -> Expected<InfixProgram> {
    auto data = readInfix(text, options.operands, options.limits);
    if (!data)
      return data.error();
    return InfixProgram(std::move(*data));
  });
}

std::string_view InfixProgram::text() const { return data->tree.text; }
Span<const std::string> InfixProgram::operands() const {
  return {data->tree.operands.data(), data->tree.operands.size()};
}
std::size_t InfixProgram::outputCount() const {
  return data->tree.outputs.size();
}
bool InfixProgram::isList() const { return data->tree.isList; }

Expected<Expression> InfixProgram::lower(Span<const InfixOperand> operands,
                                         Semantics semantics) const {
  return guarded([&]() -> Expected<Expression> {
    const DefaultFloats floats;
    auto lowered = lowerInfix(*data, operands, semantics);
    if (!lowered)
      return lowered.error();
    return std::move(lowered->expression);
  });
}

Expected<std::vector<IntegerRange>>
InfixProgram::numberRanges(Span<const InfixOperand> operands,
                           Semantics semantics) const {
  return guarded([&]() -> Expected<std::vector<IntegerRange>> {
    const DefaultFloats floats;
    auto lowered = lowerInfix(*data, operands, semantics);
    if (!lowered)
      return lowered.error();
    return std::move(lowered->ranges);
  });
}

Error InfixProgram::placed(const Error &error,
                           Span<const InfixOperand> operands,
                           Semantics semantics) const {
  return guardedOr(error, [&] {
    const DefaultFloats floats;
    auto lowered = lowerInfix(*data, operands, semantics);
    const bool isOwn =
        lowered &&
        (!error.hasRange() || error.source() == lowered->expression.text());
    return isOwn ? placeInInfix(error, *data, *lowered) : error;
  });
}
