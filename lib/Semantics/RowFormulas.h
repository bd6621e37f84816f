//===- Semantics/RowFormulas.h - What functions over axes compute ---------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The formulas behind the table of functions over axes: each adds its call to
/// the graph, as reductions and operators. Results between are f64, and at
/// `Precision::Accurate` all is computed as for f64 and rounded once.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SEMANTICS_ROWFORMULAS_H
#define KEXPR_SEMANTICS_ROWFORMULAS_H

#include "Semantics/RowFunctions.h"

namespace kexpr::semantics {

using Made = Expected<TypedValue>;

Made makeReduction(Simplifier &simplify, const RowSettings &settings);
Made makeScan(Simplifier &simplify, const RowSettings &settings);
Made makeSoftmax(Simplifier &simplify, const RowSettings &settings);
Made makeSoftmin(Simplifier &simplify, const RowSettings &settings);
Made makeLogSoftmax(Simplifier &simplify, const RowSettings &settings);
Made makeLogSumExp(Simplifier &simplify, const RowSettings &settings);
Made makeVar(Simplifier &simplify, const RowSettings &settings);
Made makeStd(Simplifier &simplify, const RowSettings &settings);
Made makeNorm(Simplifier &simplify, const RowSettings &settings);
Made makeNormalize(Simplifier &simplify, const RowSettings &settings);
Made makeLayerNorm(Simplifier &simplify, const RowSettings &settings);
Made makeInstanceNorm(Simplifier &simplify, const RowSettings &settings);
Made makeGroupNorm(Simplifier &simplify, const RowSettings &settings);
Made makeRmsNorm(Simplifier &simplify, const RowSettings &settings);
Made makeCosineSimilarity(Simplifier &simplify, const RowSettings &settings);
Made makeMseLoss(Simplifier &simplify, const RowSettings &settings);
Made makeL1Loss(Simplifier &simplify, const RowSettings &settings);
Made makeSmoothL1Loss(Simplifier &simplify, const RowSettings &settings);
Made makeHuberLoss(Simplifier &simplify, const RowSettings &settings);
Made makeNllLoss(Simplifier &simplify, const RowSettings &settings);
Made makeCrossEntropy(Simplifier &simplify, const RowSettings &settings);
Made makeIota(Simplifier &simplify, const RowSettings &settings);

} // namespace kexpr::semantics

#endif // KEXPR_SEMANTICS_ROWFORMULAS_H
