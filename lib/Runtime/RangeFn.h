//===- Runtime/RangeFn.h - The work of a range of elements ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_RANGEFN_H
#define KEXPR_RUNTIME_RANGEFN_H

#include <cstdint>
#include <type_traits>

namespace kexpr::runtime {

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

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_RANGEFN_H
