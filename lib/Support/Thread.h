//===- Support/Thread.h - Threads of the library --------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_THREAD_H
#define KEXPR_SUPPORT_THREAD_H

#include "Support/Uncancelled.h"

#include <cstddef>

#include <pthread.h>

namespace kexpr {

/// A thread of the library in the process of a host. It takes none of the
/// signals that the host waits for, computes in the default floating-point
/// environment, and keeps the library's code in memory for as long as the
/// process lives: the host may close the library at any time.
class Thread {
public:
  /// Starts `main(argument)`; false where the system refuses a thread.
  bool start(void (*main)(void *argument), void *argument) noexcept;
  void join() {
    const Uncancelled whole;
    pthread_join(handle, nullptr);
  }
  void detach() { pthread_detach(handle); }

private:
  pthread_t handle = {};
};

/// Keeps the library that this is part of in memory. The first call waits for
/// the loader, whose lock the plugin of a host may hold while it waits for
/// ours: whoever starts threads with a `Mutex` in hand calls this before it
/// takes it.
void stayLoaded() noexcept;

/// Bytes of stack that the calling thread has left; 0 if it is not on its own,
/// as a coroutine is not.
std::size_t stackLeft() noexcept;

/// Stack for the code generator, 2.5 times what it needs. Of the longest loops
/// that it gets (Runtime/Compiler) one took 802 KiB, the most: on x86 with
/// AVX2, at baseline, a chain of 3333 divisions by known numbers, whose masks
/// of rare elements LLVM follows by recursion. As optimised code 1000 of them
/// took 255 KiB, and 1250 exponentials at baseline 316 KiB. Loops without such
/// masks took 40 KiB, as did all with AVX-512. Runtime/StackTest measures.
inline constexpr std::size_t EnoughStack = std::size_t{2} << 20;

/// Does `work`, which must not throw, on the calling thread if that has enough
/// stack for the code generator, else on a new one. False where there is none.
template <class F> bool onEnoughStack(F work) {
  if (stackLeft() >= EnoughStack) {
    work();
    return true;
  }
  Thread thread;
  if (!thread.start([](void *given) { (*static_cast<F *>(given))(); }, &work))
    return false;
  thread.join();
  return true;
}

} // namespace kexpr

#endif // KEXPR_SUPPORT_THREAD_H
