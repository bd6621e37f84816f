//===- Dump/PageCost.h - Figures and tables of what a step takes ----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_PAGECOST_H
#define KEXPR_TOOLS_DUMP_PAGECOST_H

#include "Dump/PageData.h"

namespace kexpr::tools {

// All are HTML.

/// One row a part: what a step spends on it.
std::string costTable(const PageData &data);

/// The least times that a step can take, beside what is predicted and measured;
/// nothing without a prediction.
std::string boundBars(const PageData &data);

/// What keeps the units busy; nothing without a prediction.
std::string unitBars(const PageData &data);

/// How many vector registers hold something from instruction to instruction.
std::string registerChart(const PageData &data);

/// "Zn4FP0 and Zn4FP1": the units of the limit.
std::string unitNames(const PageData &data);

/// Tenths, hundredths below ten: as precise as is of use.
std::string cyclesText(double cycles);
std::string percentText(double share);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_PAGECOST_H
