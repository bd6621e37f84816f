//===- kexpr/kexpr.h - Everything -------------------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_KEXPR_H
#define KEXPR_KEXPR_H

#include "kexpr/Engine.h"
#include "kexpr/Error.h"
#include "kexpr/Expression.h"
#include "kexpr/ExpressionBuilder.h"
#include "kexpr/Infix.h"
#include "kexpr/Kernel.h"
#include "kexpr/LayerRegistry.h"
#include "kexpr/Operators.h"
#include "kexpr/PnnxGraph.h"
#include "kexpr/PnnxLayer.h"
#include "kexpr/PnnxModel.h"
#include "kexpr/Regions.h"
#include "kexpr/Scalar.h"
#include "kexpr/Stage.h"
#include "kexpr/SumState.h"
#include "kexpr/Tensor.h"
#include "kexpr/Version.h"

#endif // KEXPR_KEXPR_H
