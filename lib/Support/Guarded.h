//===- Support/Guarded.h - Exceptions turned into errors ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_GUARDED_H
#define KEXPR_SUPPORT_GUARDED_H

#include "Support/Uncancelled.h"
#include "kexpr/Error.h"

#include <exception>
#include <new>
#include <utility>

namespace kexpr {

/// The error for std::bad_alloc. Its sentence is short enough to be stored in
/// the string itself: a handler must not allocate again.
inline Error outOfMemory() { return {ErrorCode::OutOfMemory, "out of memory"}; }

/// The error for the exception that is being handled.
inline Error errorOfException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::exception &exception) {
    try {
      return {ErrorCode::OutOfMemory,
              std::string("resources ran out: ") + exception.what()};
    } catch (...) {
      return outOfMemory();
    }
  } catch (...) {
    return outOfMemory();
  }
}

/// The result of `work`, which is an Expected; an exception becomes an error.
/// For calls on tensors, which may take less time than `Uncancelled`: where
/// they read, write or wait, they have one of their own.
template <class F> auto guardedCall(F work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return errorOfException();
  }
}

/// The same for all other public functions: nothing throws across the API, and
/// a cancellation of the thread waits for their end.
template <class F> auto guarded(F work) noexcept -> decltype(work()) {
  const Uncancelled whole;
  return guardedCall(std::move(work));
}

/// The same for functions without errors: `otherwise`, a small value, where
/// resources ran out.
template <class T, class F> T guardedOr(T otherwise, F work) noexcept {
  const Uncancelled whole;
  try {
    return work();
  } catch (...) {
    return otherwise;
  }
}

} // namespace kexpr

#endif // KEXPR_SUPPORT_GUARDED_H
