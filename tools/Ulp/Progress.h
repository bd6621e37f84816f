//===- Ulp/Progress.h - How far a long run has come ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_PROGRESS_H
#define KEXPR_TOOLS_ULP_PROGRESS_H

#include <chrono>
#include <string>

namespace kexpr::tools {

/// A bar with the time that is left, on stderr; nothing where that is no
/// terminal. It is gone when this is.
class Progress {
public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// `part`, of 1, is done.
  void show(double part) const;

private:
  std::string label;
  bool isTerminal;
  std::chrono::steady_clock::time_point start;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_PROGRESS_H
