//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where LLVM is linked into a library of its own, nothing of it is destroyed
// when the process ends: threads may still compile, and a process that exits
// has no time to wait for them. Static objects of that library, LLVM's above
// all, register their destructors here.
//
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("hidden"))) int
__cxa_atexit(void (*)(void *), void *, void *) noexcept {
  return 0;
}
