//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Backend/Entry.h"
#include "Support/Text.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

#include <dlfcn.h>

using namespace kexpr;
using namespace kexpr::backend;

/// Where to look, in order. A bare name is looked for by the dynamic linker,
/// along the run path of whatever this code was linked into.
static std::vector<std::string> candidates() {
  // What the environment says does not count in programs of raised privileges.
  if (const char *given = secure_getenv("KEXPR_BACKEND"))
    return {given};
  return {KEXPR_BACKEND_NAME, KEXPR_BACKEND_DIRECTORY "/" KEXPR_BACKEND_NAME};
}

static Expected<const Backend *> open(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return Error(ErrorCode::CompileFailed, dlerror());
  auto *entry = reinterpret_cast<EntryFunction *>(dlsym(library, EntryName));
  if (const Backend *found = entry ? entry(code::buildId().c_str()) : nullptr)
    return found;
  dlclose(library);
  return Error(ErrorCode::CompileFailed,
               concat("'", path, "' does not belong to ", code::buildId()));
}

static std::atomic<const Backend *> loaded = nullptr;

bool backend::isLoaded() { return loaded.load() != nullptr; }

Expected<const Backend *> backend::load() {
  if (const Backend *known = loaded.load(std::memory_order_acquire))
    return known;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (const Backend *known = loaded.load(std::memory_order_relaxed))
    return known;
  std::string reasons;
  for (const std::string &path : candidates()) {
    auto found = open(path);
    if (found) {
      loaded.store(*found, std::memory_order_release);
      return found;
    }
    reasons += (reasons.empty() ? "" : "; ") + found.error().message();
  }
  return Error(ErrorCode::CompileFailed,
               concat("no code can be generated without LLVM: ", reasons));
}
