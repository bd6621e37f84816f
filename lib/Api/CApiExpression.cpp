//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApiOptions.h"
#include "Api/CApiTensors.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace kexpr;
using namespace kexpr::capi;

kexpr_code kexpr_expression_parse(const char *text,
                                  const kexpr_parse_limits *limits,
                                  kexpr_expression **expression,
                                  kexpr_error **error) {
  return make(expression, error, [&]() -> Expected<Expression> {
    if (!text)
      return isNull("the text");
    auto read = limitsOf(limits);
    if (!read)
      return read.error();
    return Expression::parse(text, *read);
  });
}

void kexpr_expression_free(kexpr_expression *expression) { delete expression; }

const char *kexpr_expression_text(const kexpr_expression *expression) {
  return expression ? expression->expression.text().data() : "";
}

const char *kexpr_expression_canonical(const kexpr_expression *expression) {
  return expression ? expression->expression.canonical().c_str() : "";
}

uint32_t kexpr_expression_operand_count(const kexpr_expression *expression) {
  return expression ? expression->expression.operandCount() : 0;
}

const uint32_t *
kexpr_expression_used_operands(const kexpr_expression *expression,
                               size_t *count) {
  const auto used = expression ? expression->expression.usedOperands()
                               : Span<const std::uint32_t>();
  if (count)
    *count = used.size();
  return used.data();
}

kexpr_code kexpr_expression_builder_create(const kexpr_parse_limits *limits,
                                           kexpr_expression_builder **builder,
                                           kexpr_error **error) {
  return make(builder, error, [&]() -> Expected<ExpressionBuilder> {
    auto read = limitsOf(limits);
    if (!read)
      return read.error();
    return ExpressionBuilder(*read);
  });
}

void kexpr_expression_builder_free(kexpr_expression_builder *builder) {
  delete builder;
}

/// Tells `*value` what `add` gives to a builder.
template <class F>
static kexpr_code addValue(kexpr_expression_builder *builder, uint32_t *value,
                           kexpr_error **error, F add) noexcept {
  return attempt(error, [&]() -> Status {
    if (!builder || !value)
      return isNull(builder ? "the place for the value" : "the builder");
    const auto made = add(builder->builder);
    if (!made)
      return made.error();
    *value = static_cast<uint32_t>(*made);
    return {};
  });
}

/// Numbers of values as C++ has them.
static std::vector<ExpressionBuilder::Value> valuesOf(const uint32_t *values,
                                                      size_t count) {
  std::vector<ExpressionBuilder::Value> all;
  for (size_t i = 0; i < count; ++i)
    all.push_back(ExpressionBuilder::Value(values[i]));
  return all;
}

kexpr_code kexpr_expression_builder_operand(kexpr_expression_builder *builder,
                                            uint32_t index, uint32_t *value,
                                            kexpr_error **error) {
  return addValue(builder, value, error,
                  [&](ExpressionBuilder &to) { return to.operand(index); });
}

kexpr_code kexpr_expression_builder_integer(kexpr_expression_builder *builder,
                                            int64_t literal, uint32_t *value,
                                            kexpr_error **error) {
  return addValue(builder, value, error,
                  [&](ExpressionBuilder &to) { return to.integer(literal); });
}

kexpr_code kexpr_expression_builder_real(kexpr_expression_builder *builder,
                                         double literal, uint32_t *value,
                                         kexpr_error **error) {
  return addValue(builder, value, error,
                  [&](ExpressionBuilder &to) { return to.real(literal); });
}

kexpr_code kexpr_expression_builder_boolean(kexpr_expression_builder *builder,
                                            bool literal, uint32_t *value,
                                            kexpr_error **error) {
  return addValue(builder, value, error,
                  [&](ExpressionBuilder &to) { return to.boolean(literal); });
}

kexpr_code kexpr_expression_builder_call(kexpr_expression_builder *builder,
                                         const char *name,
                                         const uint32_t *arguments,
                                         size_t count, uint32_t *value,
                                         kexpr_error **error) {
  return addValue(
      builder, value, error,
      [&](ExpressionBuilder &to) -> Expected<ExpressionBuilder::Value> {
        if (!name || (!arguments && count > 0))
          return isNull(name ? "the list of arguments" : "the name");
        return to.call(name, valuesOf(arguments, count));
      });
}

kexpr_code kexpr_expression_builder_finish(
    const kexpr_expression_builder *builder, const uint32_t *outputs,
    size_t count, kexpr_expression **expression, kexpr_error **error) {
  return make(expression, error, [&]() -> Expected<Expression> {
    if (!builder || (!outputs && count > 0))
      return isNull(builder ? "the list of outputs" : "the builder");
    return builder->builder.finish(valuesOf(outputs, count));
  });
}

bool kexpr_expression_is_scalar(const kexpr_expression *expression) {
  return ask(expression, false, [](const kexpr_expression &asked) {
    return isScalar(asked.expression);
  });
}

// To C a scalar is the address of one here; there is no other type.

static constinit capi::NeverDestroyed<Scalar> noScalar;

static const Scalar &scalarOf(const kexpr_scalar *scalar) {
  return scalar ? *reinterpret_cast<const Scalar *>(scalar) : noScalar.value;
}

static Expected<Scalar> evaluate(const kexpr_expression *expression,
                                 const kexpr_tensor *operands,
                                 std::size_t count) {
  if (!expression)
    return isNull("the expression");
  Tensors tensors;
  if (auto status = tensors.read(operands, count, "operand"); !status)
    return status.error();
  std::vector<Shape> shapes;
  for (const TensorView &view : tensors.views())
    shapes.push_back(view.shape());
  return kexpr::evaluate(expression->expression, shapes);
}

kexpr_code kexpr_expression_evaluate(const kexpr_expression *expression,
                                     const kexpr_tensor *operands,
                                     size_t operand_count,
                                     kexpr_scalar **scalar,
                                     kexpr_error **error) {
  if (scalar)
    *scalar = nullptr;
  return attempt(error, [&]() -> Status {
    if (!scalar)
      return isNull("the place for the result");
    auto value = evaluate(expression, operands, operand_count);
    if (!value)
      return value.error();
    *scalar = reinterpret_cast<kexpr_scalar *>(new Scalar(std::move(*value)));
    return {};
  });
}

void kexpr_scalar_free(kexpr_scalar *scalar) {
  delete reinterpret_cast<Scalar *>(scalar);
}

int32_t kexpr_scalar_kind(const kexpr_scalar *scalar) {
  return static_cast<int32_t>(scalarOf(scalar).kind);
}

int64_t kexpr_scalar_int(const kexpr_scalar *scalar) {
  return scalarOf(scalar).integer;
}

double kexpr_scalar_float(const kexpr_scalar *scalar) {
  return scalarOf(scalar).number;
}

double kexpr_scalar_imaginary(const kexpr_scalar *scalar) {
  return scalarOf(scalar).imaginary;
}

size_t kexpr_scalar_write(const kexpr_scalar *scalar, char *buffer,
                          size_t room) {
  return ask(&scalarOf(scalar), std::size_t{0}, [&](const Scalar &value) {
    const std::string text = value.str();
    if (buffer && room > 0) {
      const std::size_t size = std::min(text.size(), room - 1);
      std::memcpy(buffer, text.data(), size);
      buffer[size] = '\0';
    }
    return text.size();
  });
}

size_t kexpr_scalar_count(const kexpr_scalar *scalar) {
  return scalarOf(scalar).elements.size();
}

const kexpr_scalar *kexpr_scalar_at(const kexpr_scalar *scalar, size_t index) {
  const auto &elements = scalarOf(scalar).elements;
  return index < elements.size()
             ? reinterpret_cast<const kexpr_scalar *>(&elements[index])
             : nullptr;
}
