//===- Runtime/ZeroDimCheck.h - Which operands are 0-d --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_ZERODIMCHECK_H
#define KEXPR_RUNTIME_ZERODIMCHECK_H

#include "Runtime/AppendList.h"
#include "Runtime/Requirements.h"
#include "kexpr/Engine.h"

namespace kexpr::runtime {

/// The types of results may depend on which operands are 0-d. Checks that those
/// of a call lead to the plan that its kernel has. All members may be called
/// from any thread.
class ZeroDimCheck {
public:
  /// Of the plan of `expression` with `options`. All must outlive this.
  ZeroDimCheck(const Expression &expression, const CompileOptions &options,
               const semantics::Plan &plan, const Requirements &requirements)
      : expression(expression), options(options), plan(plan),
        operands(requirements.operands) {}

  /// TypeMismatch where they lead to another plan.
  Status check(const semantics::Operands &inputs) const;

private:
  /// Whether the kernel serves calls in which just these operands are 0-d.
  struct Answer {
    std::vector<std::uint32_t> zeroDims; ///< Ascending.
    bool isServed;
  };
  /// More answers are found anew by each call.
  static constexpr std::size_t MaxAnswers = 64;

  bool match(const Answer &answer, const semantics::Operands &inputs) const;

  const Expression &expression;
  const CompileOptions &options;
  const semantics::Plan &plan;
  const std::vector<std::uint32_t> &operands;
  mutable AppendList<Answer> answers;
};

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_ZERODIMCHECK_H
