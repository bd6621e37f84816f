//===- Ulp/Study.h - The accuracy of an expression ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_STUDY_H
#define KEXPR_TOOLS_ULP_STUDY_H

#include "Ulp/Walk.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::tools {

/// Where operands without a range of their own are drawn from.
inline constexpr Range UsualRange{-10, 10};

struct StudyRequest {
  std::string expression;
  DType type = DType::F32;
  std::vector<Precision> precisions = {Precision::Default};
  /// Empty: each width this CPU has.
  std::vector<unsigned> widths = {};
  /// By operand.
  std::map<std::uint32_t, Range> ranges = {};
  std::uint64_t count = 1 << 18;
  /// All numbers of the range of the only operand, which is f32.
  bool exhaustive = false;
  bool checkWidths = true;
  WalkOptions walk = {};
};

struct Study {
  std::string text;
  DType type;
  std::size_t outputs;
  std::vector<KernelSet> sets;
  Tallies tallies;

  /// Whether all widths and the interpreter gave the same bits.
  bool isConsistent() const;
};

/// Reads `OPERAND=LOW:HIGH`, as `0=-10:10`, into `ranges`. Errors:
/// InvalidArgument for other text, for a range that holds nothing or does not
/// end, and for a second range of an operand.
Status addRange(std::string_view text, std::map<std::uint32_t, Range> &ranges);

/// Measures an expression through its compiled kernels. Errors: those of
/// Engine::compile and Kernel::run; InvalidArgument for ranges that do not fit
/// the expression or the type.
Expected<Study> study(const StudyRequest &request);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_STUDY_H
