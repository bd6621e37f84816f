//===- Backend/Use.h - Who uses LLVM while the process ends ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_BACKEND_USE_H
#define KEXPR_BACKEND_USE_H

#include <unistd.h>

namespace kexpr::backend {

/// The one whose end, by `exit` or from `main`, is most often the process's.
inline bool isMainThread() { return gettid() == getpid(); }

/// While one exists, and says so, its thread may use LLVM. Where LLVM's objects
/// are destroyed when the process ends, that waits for threads that use them,
/// but for one that ends the process itself, and no other may begin.
class Use {
public:
  Use() noexcept;
  ~Use();
  Use(const Use &) = delete;
  Use &operator=(const Use &) = delete;

  explicit operator bool() const { return isGranted; }

  /// Has the end of the process wait before it destroys what LLVM has made so
  /// far.
  static void waitAtExit();
  /// Waits at the end of the main thread's own objects, and lets no other
  /// thread begin: what LLVM makes meanwhile is destroyed before the other
  /// wait. Objects of the host, whose end comes in between, may still use it.
  static void waitAtEndOfMain();

private:
  bool isGranted = true;
};

} // namespace kexpr::backend

#endif // KEXPR_BACKEND_USE_H
