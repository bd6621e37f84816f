//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Backend/Use.h"

#include "Support/Fork.h"

#include <atomic>
#include <cstdlib>
#include <utility>

using namespace kexpr;
using namespace kexpr::backend;

#ifdef KEXPR_LLVM_ENDS

static constinit Mutex mutex;
// Guarded by the mutex.
static unsigned users = 0;
static std::uint32_t forks = 0; ///< When they were counted.
static bool isOver = false;
static bool isOverForOthers = false; ///< For all but the main thread.

static thread_local unsigned own = 0;
static std::atomic<unsigned> changes = 0;

/// Those in this process. Called with the mutex held.
static unsigned &usersHere() {
  if (std::exchange(forks, forkCount()) != forkCount())
    users = own;
  return users;
}

Use::Use() noexcept {
  std::lock_guard lock(mutex);
  unsigned &here = usersHere();
  isGranted = !isOver && (!isOverForOthers || isMainThread());
  here += isGranted;
  own += isGranted;
}

Use::~Use() {
  if (!isGranted)
    return;
  {
    std::lock_guard lock(mutex);
    --usersHere();
    --own;
  }
  ++changes;
  changes.notify_all();
}

/// Says that it is over, and for whom.
static void waitForUsers(bool &over) {
  for (;;) {
    const unsigned seen = changes;
    {
      std::lock_guard lock(mutex);
      over = true;
      if (usersHere() == own)
        return;
    }
    changes.wait(seen);
  }
}

void Use::waitAtExit() {
  std::atexit([] { waitForUsers(isOver); });
}

void Use::waitAtEndOfMain() {
  if (isMainThread())
    waitForUsers(isOverForOthers);
}

#else

Use::Use() noexcept = default;
Use::~Use() = default;
void Use::waitAtExit() {}
void Use::waitAtEndOfMain() {}

#endif
