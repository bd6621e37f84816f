//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A code generator that belongs to another build of kexpr, under the same
/// name.
///
//===----------------------------------------------------------------------===//

extern "C" int kexprOfAnotherBuild() { return 0; }
