//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Aot/Objects.h"

#include "Runtime/Compiler.h"
#include "Runtime/Parameters.h"
#include "Support/Text.h"

#include <algorithm>

using namespace kexpr;
using namespace kexpr::tools;
using semantics::Access;
using semantics::AccessPattern;

static Error unsupported(std::string message) {
  return {ErrorCode::Unsupported, std::move(message)};
}

Expected<Objects> Objects::create(codegen::TargetOptions options) {
  const auto backend = backend::load();
  if (!backend)
    return backend.error();
  auto made = (*backend)->makeTarget(options);
  // Vectors of any length are for machines of one: only where asked for.
  if (made && made->scalableBits && options.vectorBits == 0) {
    options.vectorBits = 128;
    made = (*backend)->makeTarget(options);
  }
  if (!made)
    return made.error();
  if (Status status = runtime::checkFma(*made); !status)
    return status.error();
  made->isLinkedByOthers = true;
  return Objects(**backend, std::move(*made));
}

static bool isName(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
  });
}

/// The type of an element in C: bits where C has no such type.
static const char *typeInC(DType type) {
  switch (type) {
  case DType::F32:
    return "float";
  case DType::F64:
    return "double";
  case DType::F16:
  case DType::BF16:
  case DType::U16:
    return "uint16_t";
  case DType::I8:
    return "int8_t";
  case DType::I16:
    return "int16_t";
  case DType::I32:
    return "int32_t";
  case DType::I64:
    return "int64_t";
  case DType::U8:
  case DType::Bool:
    return "uint8_t";
  case DType::U32:
    return "uint32_t";
  case DType::U64:
    return "uint64_t";
  }
  return "void";
}

static Status checkPlan(const semantics::Plan &plan) {
  if (plan.graph.hasReductions())
    return unsupported("an expression that reduces is no single function");
  if (runtime::Parameters(plan.graph).dependOnShapes())
    return unsupported("a function knows no shapes");
  for (const auto *accesses : {&plan.inputs, &plan.outputs})
    for (const Access &access : *accesses)
      if (access.pattern == AccessPattern::Strided)
        return unsupported("operands of a function are contiguous or constant");
  return {};
}

/// The declaration of the loop, and the function that calls it.
static std::string functionOf(const std::string &name, const std::string &loop,
                              const Expression &expression,
                              const semantics::Plan &plan) {
  std::string comment(expression.text());
  for (std::size_t at; (at = comment.find("*/")) != std::string::npos;)
    comment.insert(at + 1, " ");
  std::string arguments = "int64_t count", pointers;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    arguments += concat(", ", typeInC(plan.outputs[i].type), " *out", i);
    pointers += concat(i ? ", " : "", "out", i);
  }
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const std::uint32_t operand = plan.graph.inputs[i];
    arguments +=
        concat(", const ", typeInC(plan.inputs[i].type), " *in", operand);
    pointers += concat(", (void *)in", operand);
  }
  const auto numbers = runtime::Parameters(plan.graph).literals();
  std::string literals;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    literals += concat(i ? ", " : "", "UINT64_C(", numbers[i], ")");
    pointers += concat(", (void *)&numbers[", i, "]");
  }
  std::string text =
      concat("void ", loop,
             "(int64_t count, void *const *pointers, const int64_t *strides);"
             "\n\n/* ",
             comment);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    if (plan.inputs[i].pattern == AccessPattern::Constant)
      text += concat("; in", plan.graph.inputs[i], " is one element");
  text +=
      concat(" */\nstatic inline void kexpr_", name, "(", arguments, ") {\n");
  if (!literals.empty())
    text += concat("  static const uint64_t numbers[] = {", literals, "};\n");
  return text + concat("  void *const pointers[] = {", pointers, "};\n  ", loop,
                       "(count, pointers, 0);\n}\n\n");
}

Status Objects::add(const std::string &name, const Expression &expression,
                    const Operands &operands, Precision precision) {
  if (!isName(name))
    return Error(ErrorCode::InvalidArgument,
                 concat("'", name, "' cannot be part of a name in C"));
  if (std::ranges::count(files, name + ".o", &File::name))
    return Error(ErrorCode::InvalidArgument,
                 concat("there are two expressions called '", name, "'"));
  auto plan = makePlan(expression, operands, precision);
  if (!plan)
    return plan.error();
  if (Status status = checkPlan(*plan); !status)
    return status;
  const auto level = runtime::lastLevel(*plan, Mode::Optimized);
  if (!level)
    return unsupported("the expression is too long for machine code");
  const std::string loop = concat("kexprloop_", name);
  auto object = backend->objectOf(*plan, target, *level, loop);
  if (!object)
    return object.error();
  files.push_back({name + ".o", std::move(*object)});
  functions += functionOf(name, loop, expression, *plan);
  return {};
}

Status Objects::write(const std::string &directory) const {
  std::string extensions;
  for (const std::string &each : target.extensions)
    extensions.append(extensions.empty() ? "" : ",").append(each);
  const unsigned bits = backend->aheadTargetOf(target).scalableBits;
  const std::string lengths =
      bits ? concat(", and vectors of ", bits, " bits") : std::string();
  std::vector<File> all = files;
  all.push_back(
      {"kernels.h",
       concat("/* Made by kexpr-aot for ", target.cpu, " (",
              target.architecture(), "), needs ",
              extensions.empty() ? "nothing more" : extensions, lengths,
              ".\n   `count` elements of each operand and output are in a row; "
              "an output is\n   exactly an operand of its type, or shares no "
              "memory with any. f16 and bf16\n   are their bits. The "
              "environment of floating point is the default one. */\n"
              "#ifndef KEXPR_KERNELS_H\n#define KEXPR_KERNELS_H\n\n"
              "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n"
              "#endif\n\n",
              functions, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n")});
  return writeFolder(directory, all);
}
