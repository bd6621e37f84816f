//===- Code/Vtune.h - Names and lines of code for VTune -------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_VTUNE_H
#define KEXPR_CODE_VTUNE_H

#include "Code/Listener.h"

namespace kexpr::code {

/// The JIT profiling API of Intel's VTune: functions of a library that VTune
/// names in the environment of programs it starts. Without VTune it does
/// nothing.
class Vtune final : public Listener {
public:
  /// The one that this process shares, with the library that the variable
  /// INTEL_JIT_PROFILER64 names.
  static const std::shared_ptr<Vtune> &ofProcess();

  /// A library by its path; empty for none.
  explicit Vtune(const std::string &library);

  std::unique_ptr<Announcement> announce(const NamedCode &code) override;

private:
  using NotifyFunction = int(unsigned event, void *data);

  NotifyFunction *notify = nullptr;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_VTUNE_H
