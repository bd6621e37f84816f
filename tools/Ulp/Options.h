//===- Ulp/Options.h - The command line of kexpr-ulp --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_OPTIONS_H
#define KEXPR_TOOLS_ULP_OPTIONS_H

#include "Common/CommandLine.h"
#include "Ops/Table.h"
#include "kexpr/Tensor.h"

#include <string>
#include <vector>

namespace kexpr::tools {

struct Options {
  std::vector<std::string> names;
  std::string expression;
  std::vector<std::string> ranges;
  std::vector<DType> types;
  std::vector<Precision> precisions;
  std::vector<unsigned> widths;
  std::string step = "1";
  std::string count = "262144";
  unsigned threads = 0;
  bool exhaustive = false;
  bool checkWidths = true;
  std::string json;
  std::string markdown;
  std::vector<std::string> resume;
};

void addOptions(CLI::App &app, Options &options);

/// The operators of those names, in the order of the table, each once; all that
/// have an error to measure if there is no name. Errors: UnknownOperator,
/// Unsupported.
Expected<std::vector<ops::OpId>>
operatorsOf(const std::vector<std::string> &names);

/// `--step` and `--count` as numbers. Errors: InvalidArgument.
Expected<std::uint32_t> stepOf(const Options &options);
Expected<std::uint64_t> countOf(const Options &options);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_OPTIONS_H
