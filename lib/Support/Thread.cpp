//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Thread.h"

#include "Support/DefaultFloats.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <new>

#include <dlfcn.h>

using namespace kexpr;

void kexpr::stayLoaded() noexcept {
  static constinit std::atomic<bool> isDone = false;
  if (isDone.load(std::memory_order_relaxed))
    return;
  Dl_info here = {};
  if (dladdr(reinterpret_cast<void *>(&stayLoaded), &here) != 0 &&
      here.dli_fname)
    dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  isDone = true;
}

namespace {
struct Start {
  void (*main)(void *);
  void *argument;
};
} // namespace

static void *run(void *given) {
  // A thread inherits the environment of its creator.
  const DefaultFloats floats;
  const std::unique_ptr<Start> start(static_cast<Start *>(given));
  start->main(start->argument);
  return nullptr;
}

/// All signals are blocked meanwhile: a thread inherits its creator's mask.
static int createWithoutSignals(pthread_t &handle, const pthread_attr_t &how,
                                Start *start) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&handle, &how, run, start);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

bool Thread::start(void (*main)(void *), void *argument) noexcept {
  // More than the code generator needs; a host's limit may be lower.
  constexpr std::size_t enough = std::size_t{8} << 20;
  std::unique_ptr<Start> start(new (std::nothrow) Start{main, argument});
  pthread_attr_t how;
  if (!start || pthread_attr_init(&how) != 0)
    return false;
  stayLoaded();
  std::size_t usual = 0;
  pthread_attr_getstacksize(&how, &usual);
  pthread_attr_setstacksize(&how, std::max(usual, enough));
  const int error = createWithoutSignals(handle, how, start.get());
  pthread_attr_destroy(&how);
  if (error == 0)
    static_cast<void>(start.release()); // The thread frees it.
  return error == 0;
}

namespace {
struct Stack {
  std::uintptr_t lowest = 0, end = 0;
};
} // namespace

/// The stack of the calling thread; empty if it is not known.
static const Stack &stackOfThread() noexcept {
  // Cached: for the main thread the system reads a file.
  thread_local const Stack stack = [] {
    pthread_attr_t how;
    void *start = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &how) != 0)
      return Stack();
    pthread_attr_getstack(&how, &start, &size);
    pthread_attr_destroy(&how);
    const auto lowest = reinterpret_cast<std::uintptr_t>(start);
    return Stack{lowest, lowest + size};
  }();
  return stack;
}

std::size_t kexpr::stackLeft() noexcept {
  const auto here =
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const Stack &stack = stackOfThread();
  return here > stack.lowest && here < stack.end ? here - stack.lowest : 0;
}
