//===- Pnnx/GraphRows.h - Operators that go over rows ---------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_PNNX_GRAPHROWS_H
#define KEXPR_UNITTESTS_PNNX_GRAPHROWS_H

#include "Pnnx/GraphSupport.h"

#include <set>

namespace kexpr::test {

/// The types that GraphRowsTest tests.
std::set<std::string> rowTypes();

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_PNNX_GRAPHROWS_H
