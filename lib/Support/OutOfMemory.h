//===- Support/OutOfMemory.h - The error that takes no memory -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_OUTOFMEMORY_H
#define KEXPR_SUPPORT_OUTOFMEMORY_H

#include "kexpr/Error.h"

namespace kexpr {

/// What std::bad_alloc is turned into. The sentence is short enough to lie in
/// the string itself, as a handler must not ask for memory again.
inline Error outOfMemory() { return {ErrorCode::OutOfMemory, "out of memory"}; }

} // namespace kexpr

#endif // KEXPR_SUPPORT_OUTOFMEMORY_H
