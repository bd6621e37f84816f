//===- Host/SmallStack.h - Threads with little room -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOST_SMALLSTACK_H
#define KEXPR_UNITTESTS_HOST_SMALLSTACK_H

#include "Host/Calls.h"

#include <functional>

#include <pthread.h>

namespace kexpr::test {

inline constexpr std::size_t Small = 64 << 10;

/// Runs `work` on a thread whose stack has so many bytes.
inline void onStackOf(std::size_t bytes, std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  const auto start = [](void *data) -> void * {
    (*static_cast<std::function<void()> *>(data))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_HOST_SMALLSTACK_H
