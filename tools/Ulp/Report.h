//===- Ulp/Report.h - What was measured, for reading --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_REPORT_H
#define KEXPR_TOOLS_ULP_REPORT_H

#include "Ulp/Measure.h"
#include "Ulp/Study.h"

#include <iosfwd>

namespace kexpr::tools {

/// A line for each kernel of one operator and type, and the table of special
/// numbers; what differs from the reference in kind or sign has a star.
void printMeasured(std::ostream &out, const Measured &measured);

/// What a study found: for each precision and output, the largest errors, the
/// mean, and how the errors are spread.
void printStudy(std::ostream &out, const Study &study);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_REPORT_H
