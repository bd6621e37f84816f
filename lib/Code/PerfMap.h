//===- Code/PerfMap.h - Names of code for perf ----------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_PERFMAP_H
#define KEXPR_CODE_PERFMAP_H

#include "Code/Descriptor.h"
#include "Code/Listener.h"
#include "Support/Fork.h"

#include <string>

namespace kexpr::code {

/// The file /tmp/perf-PID.map, which perf looks for when it meets code that no
/// file holds: a line for each function, with address, size and name. It only
/// ever grows, and other code generators of the process may write to it, too:
/// of two functions at one address, one after the other, perf takes either. The
/// file is this user's alone.
class PerfMap final : public Listener {
public:
  /// The one that this process shares.
  static const std::shared_ptr<PerfMap> &ofProcess();

  /// Elsewhere, for tests.
  explicit PerfMap(std::string directory);

  std::unique_ptr<Announcement> announce(const NamedCode &code) override;

private:
  void open();

  const std::string directory;
  Mutex mutex;
  pid_t process = 0; ///< Whose file it is.
  Descriptor file;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_PERFMAP_H
