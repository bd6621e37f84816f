//===- Code/JitDump.h - Code, names and lines for perf --------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_CODE_JITDUMP_H
#define KEXPR_CODE_JITDUMP_H

#include "Code/Directory.h"
#include "Code/Listener.h"
#include "Support/Fork.h"

namespace kexpr::code {

/// The file jit-PID.dump of a directory, which `perf inject --jit` reads: every
/// function with its bytes, when it came, and which line of which file each
/// instruction is of. perf finds the file by a mapping of it that the process
/// makes. The file is this user's alone; one that an earlier process of the
/// same number left is replaced.
class JitDump final : public Listener {
public:
  /// The one of a directory; all that ask for one directory share it. It ends
  /// when the process does.
  static std::shared_ptr<JitDump>
  in(std::shared_ptr<const Directory> directory);

  explicit JitDump(std::shared_ptr<const Directory> directory);
  ~JitDump() override;

  std::unique_ptr<Announcement> announce(const NamedCode &code) override;
  /// Says that nothing comes after this.
  void close();

private:
  void open();
  void mark();
  void unmark();
  void append(std::string_view records);

  const std::shared_ptr<const Directory> directory;
  Mutex mutex;
  pid_t process = 0; ///< Whose file it is.
  Descriptor file;
  off_t size = 0;
  void *marker = nullptr;
  std::uint64_t functions = 0;
};

} // namespace kexpr::code

#endif // KEXPR_CODE_JITDUMP_H
