//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Fuzz/Caller.h"

using namespace kexpr;
using namespace kexpr::fuzz;

void Caller::expectError(kexpr_code code, kexpr_error *error) {
  if ((code == KEXPR_OK) != (error == nullptr))
    fail("code " + std::to_string(code) + (error ? " with" : " without") +
         " an error");
  std::size_t begin = 0, end = 0;
  if (error && kexpr_error_code(error) != code)
    fail("an error of another code");
  if (error && (!*kexpr_error_message(error) || !*kexpr_error_render(error)))
    fail("an error that says nothing");
  if (kexpr_error_range(error, &begin, &end) &&
      (begin > end || end > std::strlen(kexpr_error_source(error))))
    fail("an error outside its text");
  kexpr_error_free(error);
}

/// Every byte of a text that the library hands out can be read.
static void read(const char *text) {
  volatile std::size_t size = text ? std::strlen(text) : 0;
  static_cast<void>(size);
}

static void read(const kexpr_scalar *scalar, unsigned depth = 0) {
  char buffer[12];
  kexpr_scalar_write(scalar, buffer, sizeof buffer);
  read(buffer);
  kexpr_scalar_write(scalar, nullptr, 0);
  kexpr_scalar_kind(scalar);
  kexpr_scalar_int(scalar);
  kexpr_scalar_float(scalar);
  kexpr_scalar_imaginary(scalar);
  for (std::size_t i = 0; i <= kexpr_scalar_count(scalar) && depth < 8; ++i)
    if (const kexpr_scalar *element = kexpr_scalar_at(scalar, i))
      read(element, depth + 1);
}

void Caller::evaluate() {
  make(scalars, kexpr_scalar_free, [&](auto **scalar, kexpr_error **error) {
    const kexpr_expression *expression = anyExpression();
    std::size_t count = kexpr_expression_operand_count(expression);
    const kexpr_tensor *operands = arguments.tensors(count);
    return kexpr_expression_evaluate(expression, operands, count, scalar,
                                     error);
  });
  read(any(scalars));
  const kexpr_expression *expression = anyExpression();
  std::size_t count = 0;
  read(kexpr_expression_text(expression));
  read(kexpr_expression_canonical(expression));
  kexpr_expression_is_scalar(expression);
  kexpr_expression_used_operands(expression,
                                 choices.below(8) ? &count : nullptr);
}

void Caller::inspectKernel() {
  const kexpr_kernel *kernel = anyKernel();
  // Code of a kernel takes milliseconds.
  const std::int32_t most = choices.below(16) == 15 ? 14 : 6;
  const std::int32_t stage =
      static_cast<std::int32_t>(choices.below(most + 2)) - 1;
  read(kexpr_stage_name(stage));
  make(texts, kexpr_text_free, [&](auto **text, kexpr_error **error) {
    return kexpr_kernel_dump(kernel, stage, text, error);
  });
  const kexpr_text *text = any(texts);
  if (std::strlen(kexpr_text_data(text)) > kexpr_text_size(text))
    fail("a text without an end");
  read(kexpr_tier_name(kexpr_kernel_tier(kernel)));
  kexpr_kernel_output_type(kernel, choices.below(4));
  kexpr_kernel_output_count(kernel);
  kexpr_kernel_precision(kernel);
  kexpr_kernel_code_address(kernel);
  kexpr_kernel_vector_bits(kernel);
  kexpr_kernel_code_size(kernel);
  kexpr_kernel_operations_per_element(kernel);
  attempt([&](kexpr_error **error) {
    return kexpr_kernel_get_compile_times(
        kernel, arguments.record<kexpr_compile_times>(), error);
  });
}

void Caller::inspectEngine() {
  const kexpr_engine *engine = any(engines);
  attempt([&](kexpr_error **error) {
    return kexpr_engine_get_stats(engine, arguments.record<kexpr_stats>(),
                                  error);
  });
  read(kexpr_engine_target_cpu(engine));
  kexpr_engine_vector_bits(engine);
  kexpr_engine_settle(engine);
  for (const auto status : {kexpr_engine_code_status, kexpr_engine_cache_status,
                            kexpr_engine_listener_status,
                            kexpr_engine_dump_status, kexpr_engine_log_status})
    attempt([&](kexpr_error **error) { return status(engine, error); });
}

void Caller::inspectModel() {
  const kexpr_model *model = any(models);
  for (std::size_t i = 0; i <= kexpr_model_node_count(model); ++i) {
    const kexpr_node *node = kexpr_model_node(model, i);
    read(kexpr_node_type(node));
    read(kexpr_node_name(node));
    read(kexpr_node_parameter(node, arguments.name()));
    kexpr_tensor tensor;
    attempt([&](kexpr_error **error) {
      return kexpr_node_attribute(node, arguments.name(),
                                  choices.below(8) ? &tensor : nullptr, error);
    });
  }
}

static void readAll(const char *const *words, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    read(words[i]);
}

void Caller::inspectGraph() {
  kexpr_graph *graph = any(graphs);
  for (std::size_t i = 0; i <= kexpr_graph_input_count(graph); ++i)
    if (const kexpr_port *port = kexpr_graph_input(graph, i))
      read(port->name);
  std::size_t values = 0, arena = 0;
  kexpr_graph_memory(graph, choices.below(8) ? &values : nullptr,
                     choices.below(8) ? &arena : nullptr);
  make(steps, kexpr_steps_free, [&](auto **made, kexpr_error **error) {
    return kexpr_graph_steps(graph, made, error);
  });
  const kexpr_steps *some = any(steps);
  for (std::size_t i = 0; i <= kexpr_steps_count(some); ++i) {
    const kexpr_step *step = kexpr_steps_at(some, i);
    if (!step)
      continue;
    read(step->expression);
    readAll(step->operators, step->operator_count);
    readAll(step->types, step->operator_count);
    readAll(step->inputs, step->input_count);
    readAll(step->outputs, step->output_count);
  }
}

void Caller::parseNames() {
  std::int32_t stage = 0;
  kexpr_dtype type = 0;
  attempt([&](kexpr_error **error) {
    return kexpr_stage_parse(arguments.name(),
                             choices.below(8) ? &stage : nullptr, error);
  });
  attempt([&](kexpr_error **error) {
    return kexpr_dtype_parse(arguments.name(),
                             choices.below(8) ? &type : nullptr, error);
  });
  read(kexpr_dtype_name(type + static_cast<int>(choices.below(30)) - 9));
  const std::size_t index = choices.below(2) ? choices.below(200) : ~0u;
  if (const kexpr_operator *op = kexpr_operator_at(index))
    read(op->name);
}
