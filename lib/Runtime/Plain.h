//===- Runtime/Plain.h - The common call, recognised quickly --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_RUNTIME_PLAIN_H
#define KEXPR_RUNTIME_PLAIN_H

#include "Runtime/Arguments.h"

namespace kexpr::runtime {

/// The number of elements of a call in which all types are right, everything is
/// row-major and of one shape, nothing is null, and every output is apart from
/// the inputs or exactly one of them; -1 for any other call, which may be right
/// or wrong: it must be checked the long way. This takes nanoseconds where
/// checking any layout takes hundreds.
std::int64_t countIfPlain(const Arguments &arguments, const Demands &demands);

} // namespace kexpr::runtime

#endif // KEXPR_RUNTIME_PLAIN_H
