//===- Fuzz/Properties.h - What must hold for any input ---------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_PROPERTIES_H
#define KEXPR_UNITTESTS_FUZZ_PROPERTIES_H

#include "Fuzz/Programs.h"
#include "Fuzz/Verdict.h"
#include "kexpr/Engine.h"

namespace kexpr::fuzz {

/// Any text is parsed and compiled, or refused with an error that points into
/// it; what was parsed reads the same when printed and parsed again.
Verdict checkText(const Engine &engine, const std::string &text);

/// A file of a model is read, or refused with a place: the sample's constants
/// if it begins as an archive does, else the text of a network.
Verdict checkModel(const std::string &file);

/// Interpreter and machine code of both tiers compute the same bits, NaN being
/// equal to NaN.
Verdict checkProgram(const Engine &engine, const Program &program);

/// An element as a double; only what is no NaN must be exact.
double valueOf(DType type, const char *element);

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_PROPERTIES_H
