//===- Ulp/References.h - References in wide precision ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_REFERENCES_H
#define KEXPR_TOOLS_ULP_REFERENCES_H

#include "Ops/Table.h"
#include "Ulp/Real.h"

#include <functional>
#include <span>

namespace kexpr::tools {

using RealReference = Real (*)(const Real *arguments);

/// The reference of an operator over an array of arguments, at the thread's
/// precision; a comparison gives 0 or 1. Null for operators on integers.
RealReference realReference(ops::OpId op);

/// Results that are right to far more digits than an f64 has. `evaluate` writes
/// them at the thread's precision. It is asked at 128, 256, 1024 and 4096 bits
/// until it was exact or two answers in a row agree to 90 bits; what cancels
/// more than that of 4096 bits stays as it is.
void settle(const std::function<void(std::span<Real>)> &evaluate,
            std::span<Real> results);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_REFERENCES_H
