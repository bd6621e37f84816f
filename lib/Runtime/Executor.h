//===- Runtime/Executor.h - Loops split over threads ----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_EXECUTOR_H
#define KEXPR_RUNTIME_EXECUTOR_H

#include <cstdint>
#include <type_traits>
#include <utility>

namespace kexpr::runtime {

/// How a range of elements is split.
struct Split {
  /// Elements of one task at least.
  std::int64_t grain = 1;
  /// Threads at most; 0 is as many as the caller's arena has, 1 is the caller.
  unsigned maxThreads = 0;
};

/// The work of a range; a reference to a callable, so that nothing is copied
/// to the heap. It is called with half-open ranges that cover every element
/// once, from any thread, and must not throw.
class RangeFn {
public:
  template <class F, class = std::enable_if_t<
                         !std::is_same_v<std::remove_cvref_t<F>, RangeFn>>>
  RangeFn(F &&work)
      : target(const_cast<void *>(static_cast<const void *>(&work))),
        invoke([](void *target, std::int64_t begin, std::int64_t end) {
          (*static_cast<std::remove_reference_t<F> *>(target))(begin, end);
        }) {}

  void operator()(std::int64_t begin, std::int64_t end) const {
    invoke(target, begin, end);
  }

private:
  void *target;
  void (*invoke)(void *, std::int64_t, std::int64_t);
};

/// Runs `work` over [0, count) and returns when all of it is done. A range of
/// up to one grain, or one thread, is run on the calling thread without
/// touching the scheduler. Otherwise oneTBB splits it, in the task arena the
/// call is made in, so a host's own arena bounds it.
void forRange(std::int64_t count, const Split &split, RangeFn work);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_EXECUTOR_H
