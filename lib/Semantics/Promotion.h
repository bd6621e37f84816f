//===- Semantics/Promotion.h - PyTorch's rules of types -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_PROMOTION_H
#define KEXPR_SEMANTICS_PROMOTION_H

#include "Ops/Operator.h"
#include "kexpr/Tensor.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kexpr::semantics {

/// How much an argument weighs in promotion: the type of a lighter one counts
/// only if it is of a higher category (bool, integers, floating point).
enum class Weight : std::uint8_t { Number, ZeroDim, Tensor };

struct ArgumentType {
  DType type;
  Weight weight;
};

bool isFloatingPoint(DType type);
/// u8, u16, u32 or u64.
bool isUnsigned(DType type);
/// The smallest type that both can be converted to, as PyTorch has it: none of
/// u16, u32 or u64 and another integer or bool.
std::optional<DType> promote(DType a, DType b);
/// The type that these arguments promote to, if there is one. A number's type
/// is Bool, I64, or F32 for a real one.
std::optional<DType> resultType(std::span<const ArgumentType> arguments);
/// What is wrong with arguments that have none: "its arguments are u16 and i32,
/// of which ...".
std::string unpromoted(std::span<const ArgumentType> arguments);
/// The type that an operator of a rule computes in where its arguments promote
/// to `promoted`; none if the rule refuses that.
std::optional<DType> computedType(ops::TypeRule rule, DType promoted);
/// The type that values of `type` have inside a loop: f32 for f16 and bf16.
DType heldType(DType type);
/// Whether conversion from `from` to `to` keeps every value.
bool isExact(DType from, DType to);
/// The type that a cast of that name gives: `int`, `torch.float`...
std::optional<DType> castType(std::string_view name);
/// The name of the cast to `type`, as `torch.float`.
std::string_view castName(DType type);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_PROMOTION_H
