//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instead of Load.cpp where LLVM is linked into the library itself.
//
//===----------------------------------------------------------------------===//
#include "Backend/Entry.h"
#include "Backend/Use.h"

using namespace kexpr;
using namespace kexpr::backend;

Expected<const Backend *> backend::load() {
  // They may be made after those of a host that the library is linked into.
  if (!codegen::hasStaticObjects())
    return Error(ErrorCode::CompileFailed,
                 "LLVM's static objects are not made yet: this is the time of "
                 "the host's own");
  Forks *same = nullptr;
  return kexpr_backend(code::buildId().c_str(), same);
}

bool backend::isPartOfBuild() { return true; }

bool backend::isLoaded() { return true; }

namespace {
struct ExitWait {
  ~ExitWait() { Use::waitAtEndOfMain(); }
};
} // namespace

void backend::waitAtExit() { thread_local const ExitWait atEnd; }
