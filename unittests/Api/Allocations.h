//===- Allocations.h - Heap allocations counted and refused ---------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_API_ALLOCATIONS_H
#define KEXPR_UNITTESTS_API_ALLOCATIONS_H

#include <cstddef>

namespace kexpr::test {

/// How often this thread has called operator new.
extern thread_local std::size_t allocations;
/// How often it may do so before std::bad_alloc is thrown.
extern thread_local std::size_t allocationsLeft;
/// Whether only one is refused, and those after it are not.
extern thread_local bool refusesOne;

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_API_ALLOCATIONS_H
