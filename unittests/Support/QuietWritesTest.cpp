//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/QuietWrites.h"
#include "TestUtil/Files.h"
#include "TestUtil/Process.h"

using namespace kexpr;
using namespace kexpr::test;

namespace {
/// What a failed write to a pipe without readers leaves.
struct Outcome {
  int error = 0;
  bool isPending = false, isBlocked = false;
  friend bool operator==(const Outcome &, const Outcome &) = default;
};
} // namespace

static Outcome writeToBrokenPipe() {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  close(ends[0]);
  Outcome outcome;
  {
    const QuietWrites quiet;
    outcome.error = write(ends[1], "x", 1) < 0 ? errno : 0;
    errno = outcome.error;
  }
  EXPECT_EQ(errno, outcome.error);
  close(ends[1]);
  sigset_t set;
  sigpending(&set);
  outcome.isPending = sigismember(&set, SIGPIPE);
  pthread_sigmask(SIG_SETMASK, nullptr, &set);
  outcome.isBlocked = sigismember(&set, SIGPIPE);
  return outcome;
}

static void blockPipeSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

TEST(QuietWrites, ToABrokenPipeFailAlone) {
  EXPECT_EQ(writeToBrokenPipe(), (Outcome{.error = EPIPE}));
}

TEST(QuietWrites, KeepAHostsMask) {
  EXPECT_EQ(inChild([] {
              blockPipeSignals();
              return writeToBrokenPipe() ==
                     Outcome{.error = EPIPE, .isBlocked = true};
            }),
            1);
}

TEST(QuietWrites, KeepAHostsOwnSignal) {
  EXPECT_EQ(inChild([] {
              blockPipeSignals();
              raise(SIGPIPE);
              return writeToBrokenPipe() == Outcome{.error = EPIPE,
                                                    .isPending = true,
                                                    .isBlocked = true};
            }),
            1);
}

TEST(QuietWrites, CallNoHandler) {
  EXPECT_EQ(inChild([] {
              std::signal(SIGPIPE, [](int) { _exit(2); });
              return writeToBrokenPipe().error == EPIPE;
            }),
            1);
}

TEST(QuietWrites, PastALimitOfFilesFailAlone) {
  const TemporaryDirectory root;
  EXPECT_EQ(inChild([&] {
              limitFiles(10);
              const int file = open(root.path("file").c_str(),
                                    O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
              const QuietWrites quiet;
              const char bytes[12] = {};
              return write(file, bytes, sizeof bytes) == 10 &&
                     write(file, bytes, sizeof bytes) == -1 && errno == EFBIG;
            }),
            1);
}
