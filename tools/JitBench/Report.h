//===- JitBench/Report.h - Findings as tables, JSON and a page -----------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_JITBENCH_REPORT_H
#define KEXPR_TOOLS_JITBENCH_REPORT_H

#include "Bench/Table.h"
#include "JitBench/Findings.h"

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

namespace kexpr::tools {

/// All findings as tables of text, each under a sentence that says what it
/// shows. What was filtered out or failed is left blank.
void printTables(std::ostream &out, const Findings &findings);

/// An object with `machine`, `date`, `peers`, `limits` (one for each number of
/// threads; bytes and multiply-adds a second), `runs` (one for each side, size
/// and number of threads; seconds), `latencies` (seconds) and `tolerance`, what
/// peers were held to.
nlohmann::json toJson(const Findings &findings);

/// A page that needs no other file: machine and limits, a roofline for each
/// number of threads, throughput against size with the peers, scaling, compile
/// times, the ways to a kernel, and all tables. It reads on a phone, and in the
/// dark. Its data are those of `toJson`, `caches`, `sides` with their titles,
/// and `tables` as text.
std::string renderPage(const Findings &findings);

/// Puts that object into Google Benchmark's file as `kexpr`. Errors: a file
/// that cannot be read as JSON or cannot be written.
Status addToFile(const std::string &path, const Findings &findings);

/// Adds the rows of a file that utils/expression_peers.py wrote: those of
/// expressions, sizes and threads that were measured here. Errors: a file that
/// is not one of these.
Status addPeers(const std::string &path, Findings &findings);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_JITBENCH_REPORT_H
