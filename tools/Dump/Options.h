//===- Dump/Options.h - The command line of kexpr-dump ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_DUMP_OPTIONS_H
#define KEXPR_TOOLS_DUMP_OPTIONS_H

#include "CodeGen/CodeGen.h"
#include "Common/CommandLine.h"

namespace kexpr::tools {

struct Options {
  std::string expression;
  /// A stage's name, `json`, `html` or `all`.
  std::string stage = "graph";
  /// Of `--print-after`; empty without it.
  std::string pass;
  std::string types;
  std::vector<std::uint32_t> zeroDims;
  std::string outputs;
  bool streams = false;
  codegen::TargetOptions target;
  bool baseline = false;
  bool measure = true;
  std::int64_t elements = 4000000;
  Precision precision = Precision::Default;
  /// Where the result goes: a file, or a directory for `all`; standard output
  /// if empty or `-`.
  std::string path;

  codegen::OptLevel level() const {
    return baseline ? codegen::OptLevel::Baseline
                    : codegen::OptLevel::Optimized;
  }
  /// Of a comparison: as `diff -u` prints it.
  bool isUnified = false;
  /// Whether `--diff` stands without two words behind it.
  bool lacksSides = false;

  bool isForStdout() const { return path.empty() || path == "-"; }
};

/// Has `app` read all of them.
void addOptions(CLI::App &app, Options &options);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_DUMP_OPTIONS_H
