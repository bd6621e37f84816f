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

/// What std::bad_alloc is turned into. The sentence is short enough to lie in
/// the string itself, as a handler must not ask for memory again.
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

/// What `work`, which returns an Expected, returns; what it throws as an error.
/// For calls on tensors, which may take less time than `Uncancelled`: what they
/// read, write or wait for has one of its own.
template <class F> auto guardedCall(F work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return errorOfException();
  }
}

/// The same for all else. Public functions do their work in here: nothing
/// throws across the API, and no cancellation of the thread cuts one short.
template <class F> auto guarded(F work) noexcept -> decltype(work()) {
  const Uncancelled whole;
  return guardedCall(std::move(work));
}

/// The same of what has no errors: `otherwise`, which is small, where resources
/// ran out.
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
