//===- JitBench/Page.h - Findings as one page of HTML ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_JITBENCH_PAGE_H
#define KEXPR_TOOLS_JITBENCH_PAGE_H

#include "JitBench/Findings.h"

#include <string>

namespace kexpr::tools {

/// A page that needs no other file and no script, and is well-formed XML as
/// well: machine and limits, a roofline for each number of threads, throughput
/// against size with the peers, scaling, compile times, the ways to a kernel,
/// and all tables. It reads on a phone, and in the dark.
std::string renderPage(const Findings &findings);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_JITBENCH_PAGE_H
