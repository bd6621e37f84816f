//===- Code/Debugger.h - Names and lines of code for debuggers ------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_DEBUGGER_H
#define KEXPR_CODE_DEBUGGER_H

#include "Code/Listener.h"

namespace kexpr::code {

/// GDB's JIT interface, which LLDB knows too: a list of object files in memory,
/// and a function that the debugger stops in when it changes.
class Debugger final : public Listener {
public:
  /// The one that this process shares.
  static const std::shared_ptr<Debugger> &ofProcess();

  std::unique_ptr<Announcement> announce(const NamedCode &code) override;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_DEBUGGER_H
