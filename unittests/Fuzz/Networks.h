//===- Fuzz/Networks.h - Random networks ------------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_NETWORKS_H
#define KEXPR_UNITTESTS_FUZZ_NETWORKS_H

#include "Fuzz/Choices.h"
#include "Fuzz/Verdict.h"
#include "kexpr/PnnxGraph.h"

#include <string>
#include <vector>

namespace kexpr::fuzz {

/// The text of a network: a random one or a seed, mostly damaged.
std::string makeNetwork(Choices &choices,
                        const std::vector<std::string> &seeds);

/// A network is refused, or gives the same bits whatever merges and wherever
/// values lie, also where what one run computed is given to the next. Constants
/// are made as the text asks for them.
Verdict checkNetwork(const Engine &engine, const std::string &param, Mode mode);

/// The `.bin` file that a text asks for, if its constants are small.
std::string weightsFor(const std::string &param);

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_NETWORKS_H
