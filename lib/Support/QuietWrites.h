//===- Support/QuietWrites.h - Failed writes without signals --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_QUIETWRITES_H
#define KEXPR_SUPPORT_QUIETWRITES_H

#include "Support/Uncancelled.h"

#include <csignal>

namespace kexpr {

/// While one exists, writes of its thread past a limit of the size of files, or
/// to a pipe without a reader, fail with EFBIG or EPIPE alone: the signal,
/// which would end most processes, is taken back. Signals that the host sent,
/// its mask and its handlers stay as they were. Keeps `errno`.
class QuietWrites {
public:
  QuietWrites();
  ~QuietWrites();
  QuietWrites(const QuietWrites &) = delete;
  QuietWrites &operator=(const QuietWrites &) = delete;

private:
  Uncancelled whole; ///< To take a signal back may end a cancelled thread.
  sigset_t before;   ///< The mask.
  sigset_t ours;     ///< Signals that were not pending before.
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_QUIETWRITES_H
