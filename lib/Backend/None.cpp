//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The backend of a build without LLVM.
///
//===----------------------------------------------------------------------===//
#include "Backend/Backend.h"

using namespace kexpr;

bool backend::isPartOfBuild() { return false; }
bool backend::isLoaded() { return false; }
void backend::waitAtExit() {}

Expected<const backend::Backend *> backend::load() {
  return Error(ErrorCode::Unsupported,
               "kexpr was built without LLVM: it runs code that was made ahead "
               "of time, and interprets the rest");
}
