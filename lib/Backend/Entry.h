//===- Backend/Entry.h - The way into the loaded library ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_BACKEND_ENTRY_H
#define KEXPR_BACKEND_ENTRY_H

#include "Backend/Backend.h"
#include "Support/Fork.h"

namespace kexpr::backend {

/// The one symbol of the library. It answers null to those of another build,
/// which would not agree with it on types; else `forks` is what its copy of our
/// code knows of them.
using EntryFunction = const Backend *(const char *buildId, Forks *&forks);
inline constexpr const char *EntryName = "kexpr_backend";

} // namespace kexpr::backend

extern "C" __attribute__((visibility("default"))) //
kexpr::backend::EntryFunction kexpr_backend;

#endif // KEXPR_BACKEND_ENTRY_H
