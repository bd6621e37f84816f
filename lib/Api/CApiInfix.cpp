//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Api/CApi.h"
#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::capi;

struct kexpr_infix {
  InfixProgram object;
};

kexpr_code kexpr_infix_parse(const char *text, const kexpr_parse_limits *limits,
                             const char *const *names, size_t name_count,
                             kexpr_infix **program, kexpr_error **error) {
  return make(program, error, {{text, "the text"}},
              [&]() -> Expected<InfixProgram> {
                auto read = optionsOf(limits);
                if (!read)
                  return read.error();
                auto operands = namesOf(names, name_count, "the list of names");
                if (!operands)
                  return operands.error();
                return InfixProgram::parse(text, {*read, std::move(*operands)});
              });
}

void kexpr_infix_free(kexpr_infix *program) { delete program; }

const char *kexpr_infix_text(const kexpr_infix *program) {
  return program ? program->object.text().data() : "";
}

size_t kexpr_infix_operand_count(const kexpr_infix *program) {
  return program ? program->object.operands().size() : 0;
}

const char *kexpr_infix_operand_name(const kexpr_infix *program, size_t index) {
  return index < kexpr_infix_operand_count(program)
             ? program->object.operands()[index].c_str()
             : "";
}

size_t kexpr_infix_output_count(const kexpr_infix *program) {
  return program ? program->object.outputCount() : 0;
}

bool kexpr_infix_is_list(const kexpr_infix *program) {
  return program && program->object.isList();
}

namespace {
/// What an expression is lowered for.
struct Lowering {
  std::vector<InfixOperand> operands;
  Semantics semantics;
};
} // namespace

static Expected<Lowering> loweringOf(const kexpr_infix_operand *operands,
                                     std::size_t count,
                                     std::int32_t semantics) {
  if (!operands && count > 0)
    return isNull("the list of operands");
  Lowering result;
  for (std::size_t i = 0; i < count; ++i) {
    const auto &[type, kind] = operands[i];
    if (kexpr_dtype_size(type) == 0 || kind < 0 || kind > KEXPR_OPERAND_NUMBER)
      return Error(ErrorCode::InvalidArgument,
                   concat("operand ", i, " has the type ", type,
                          " and the kind ", kind, ", of which one is none"));
    result.operands.push_back(
        {static_cast<DType>(type), static_cast<OperandKind>(kind)});
  }
  if (semantics < 0 || semantics > KEXPR_SEMANTICS_NUMPY)
    return Error(ErrorCode::InvalidArgument,
                 concat(semantics, " is no semantics"));
  result.semantics = static_cast<Semantics>(semantics);
  return result;
}

kexpr_code kexpr_infix_lower(const kexpr_infix *program,
                             const kexpr_infix_operand *operands,
                             size_t operand_count, int32_t semantics,
                             kexpr_expression **expression,
                             kexpr_error **error) {
  return make(expression, error, {{program, "the program"}},
              [&]() -> Expected<Expression> {
                auto known = loweringOf(operands, operand_count, semantics);
                if (!known)
                  return known.error();
                return program->object.lower(known->operands, known->semantics);
              });
}

kexpr_code kexpr_infix_number_ranges(const kexpr_infix *program,
                                     const kexpr_infix_operand *operands,
                                     size_t operand_count, int32_t semantics,
                                     int64_t *least, int64_t *greatest,
                                     kexpr_error **error) {
  return attempt(error,
                 {{program, "the program"},
                  {least, "the array of least integers"},
                  {greatest, "the array of greatest integers"}},
                 [&]() -> Status {
                   auto known = loweringOf(operands, operand_count, semantics);
                   if (!known)
                     return known.error();
                   auto ranges = program->object.numberRanges(known->operands,
                                                              known->semantics);
                   if (!ranges)
                     return ranges.error();
                   for (std::size_t i = 0; i < ranges->size(); ++i) {
                     least[i] = (*ranges)[i].least;
                     greatest[i] = (*ranges)[i].greatest;
                   }
                   return {};
                 });
}

static Error errorOf(const kexpr_error *error) {
  const auto code = static_cast<ErrorCode>(kexpr_error_code(error));
  const char *message = kexpr_error_message(error);
  SourceRange range;
  return kexpr_error_range(error, &range.begin, &range.end)
             ? Error(code, message, kexpr_error_source(error), range)
             : Error(code, message);
}

kexpr_code kexpr_infix_place(const kexpr_infix *program,
                             const kexpr_error *error,
                             const kexpr_infix_operand *operands,
                             size_t operand_count, int32_t semantics,
                             kexpr_error **placed) {
  return attempt(placed, {{program, "the program"}, {error, "the error"}},
                 [&]() -> Status {
                   auto known = loweringOf(operands, operand_count, semantics);
                   return known ? program->object.placed(errorOf(error),
                                                         known->operands,
                                                         known->semantics)
                                : known.error();
                 });
}
