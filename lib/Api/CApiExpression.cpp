//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApi.h"

using namespace kexpr;
using namespace kexpr::capi;

struct kexpr_expression_builder {
  ExpressionBuilder object;
};

kexpr_code kexpr_expression_parse(const char *text,
                                  const kexpr_parse_limits *limits,
                                  kexpr_expression **expression,
                                  kexpr_error **error) {
  return make(expression, error, {{text, "the text"}},
              [&]() -> Expected<Expression> {
                auto read = optionsOf(limits);
                if (!read)
                  return read.error();
                return Expression::parse(text, *read);
              });
}

void kexpr_expression_free(kexpr_expression *expression) { delete expression; }

const char *kexpr_expression_text(const kexpr_expression *expression) {
  return expression ? expression->object.text().data() : "";
}

const char *kexpr_expression_canonical(const kexpr_expression *expression) {
  return expression ? expression->object.canonical().c_str() : "";
}

uint32_t kexpr_expression_operand_count(const kexpr_expression *expression) {
  return expression ? expression->object.operandCount() : 0;
}

const uint32_t *
kexpr_expression_used_operands(const kexpr_expression *expression,
                               size_t *count) {
  const auto used = expression ? expression->object.usedOperands()
                               : Span<const std::uint32_t>();
  if (count)
    *count = used.size();
  return used.data();
}

kexpr_code kexpr_expression_builder_create(const kexpr_parse_limits *limits,
                                           kexpr_expression_builder **builder,
                                           kexpr_error **error) {
  return make(builder, error, {}, [&]() -> Expected<ExpressionBuilder> {
    auto read = optionsOf(limits);
    if (!read)
      return read.error();
    return ExpressionBuilder(*read);
  });
}

void kexpr_expression_builder_free(kexpr_expression_builder *builder) {
  delete builder;
}

/// Stores what `add` gives to a builder in `*value`.
template <class F>
static kexpr_code addValue(kexpr_expression_builder *builder, uint32_t *value,
                           kexpr_error **error, F add) noexcept {
  return give(value, "the place for the value", error,
              {{builder, "the builder"}}, [&] { return add(builder->object); });
}

/// Values from their numbers.
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

kexpr_code kexpr_expression_builder_none(kexpr_expression_builder *builder,
                                         uint32_t *value, kexpr_error **error) {
  return addValue(builder, value, error,
                  [](ExpressionBuilder &to) { return to.none(); });
}

kexpr_code kexpr_expression_builder_list(kexpr_expression_builder *builder,
                                         const uint32_t *elements, size_t count,
                                         uint32_t *value, kexpr_error **error) {
  return addValue(
      builder, value, error,
      [&](ExpressionBuilder &to) -> Expected<ExpressionBuilder::Value> {
        if (!elements && count > 0)
          return isNull("the list of elements");
        return to.list(valuesOf(elements, count));
      });
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
  return make(expression, error, {{builder, "the builder"}},
              [&]() -> Expected<Expression> {
                if (!outputs && count > 0)
                  return isNull("the list of outputs");
                return builder->object.finish(valuesOf(outputs, count));
              });
}

bool kexpr_expression_is_scalar(const kexpr_expression *expression) {
  return ask(expression, false, isScalar);
}

// To C a scalar is the address of one here; there is no other type.

static constinit NeverDestroyed<Scalar> noScalar;

static const Scalar &scalarOf(const kexpr_scalar *scalar) {
  return scalar ? *reinterpret_cast<const Scalar *>(scalar) : noScalar.value;
}

kexpr_code kexpr_expression_evaluate(const kexpr_expression *expression,
                                     const kexpr_tensor *operands,
                                     size_t operand_count,
                                     kexpr_scalar **scalar,
                                     kexpr_error **error) {
  return make(
      scalar, error, {{expression, "the expression"}},
      [&]() -> Expected<kexpr_scalar *> {
        Tensors<TensorView> tensors;
        if (auto status = tensors.read(operands, operand_count, "operand");
            !status)
          return status.error();
        std::vector<Shape> shapes;
        for (const TensorView &view : tensors.views())
          shapes.push_back(view.shape());
        auto value = evaluate(expression->object, shapes);
        if (!value)
          return value.error();
        return reinterpret_cast<kexpr_scalar *>(new Scalar(std::move(*value)));
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
  return guardedOr(std::size_t{0}, [&] {
    const std::string text = scalarOf(scalar).str();
    if (buffer && room > 0)
      buffer[text.copy(buffer, room - 1)] = '\0';
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
