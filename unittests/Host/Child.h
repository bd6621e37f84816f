//===- Host/Child.h - Parts of a test in processes that are watched -------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOST_CHILD_H
#define KEXPR_UNITTESTS_HOST_CHILD_H

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kexpr::test {

/// How often what hits seldom is tried: KEXPR_HOST_ROUNDS times as often as
/// given.
inline int rounds(int count) {
  const char *factor = std::getenv("KEXPR_HOST_ROUNDS");
  return count * (factor ? std::max(1, std::atoi(factor)) : 1);
}

/// A copy of this process that runs `body` and ends. It is killed where it
/// takes longer than its deadline, KEXPR_HOST_DEADLINE seconds or 60, half of
/// that in a child of a child. What it starts dies with it.
class Child {
public:
  explicit Child(const std::function<void()> &body) {
    if (pipe2(ends, O_CLOEXEC) != 0)
      std::abort();
    std::fflush(nullptr);
    id = fork();
    if (id == 0)
      runAndEnd(body);
    close(ends[1]);
  }
  ~Child() {
    if (id > 0) {
      killAll();
      waitpid(id, nullptr, 0);
    }
    close(ends[0]);
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// Success where it ended by itself, with status 0 and no failed expectation.
  testing::AssertionResult wait() {
    if (id < 0)
      return testing::AssertionFailure() << "no process could be started";
    const auto end = std::chrono::steady_clock::now() + deadline();
    int status = 0;
    bool isOver = false;
    while (!(isOver = waitpid(id, &status, WNOHANG) == id) &&
           std::chrono::steady_clock::now() < end)
      readFor(5);
    if (!isOver)
      killAll();
    if (!isOver)
      waitpid(id, &status, 0);
    id = -1;
    readFor(0);
    return isOver ? judge(status)
                  : testing::AssertionFailure()
                        << "killed after " << deadline().count() << " s\n"
                        << text;
  }

private:
  static int &depth() {
    static int depth = 0;
    return depth;
  }
  static std::chrono::seconds deadline() {
    const char *given = std::getenv("KEXPR_HOST_DEADLINE");
    const int seconds = given ? std::atoi(given) : 60;
    return std::chrono::seconds(std::max(1, seconds >> depth()));
  }

  // An exception must not lead back to the tests of the parent.
  [[noreturn]] void runAndEnd(const std::function<void()> &body) noexcept {
    if (depth()++ == 0)
      setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    const int before = complaints();
    body();
    std::fflush(nullptr);
    _exit(complaints() > before ? 1 : 0);
  }
  /// What the test has found so far, in this process and its parents.
  static int complaints() {
    return testing::UnitTest::GetInstance()
        ->current_test_info()
        ->result()
        ->total_part_count();
  }
  void killAll() const {
    kill(id, SIGKILL);
    if (depth() == 0)
      kill(-id, SIGKILL);
  }
  void readFor(int milliseconds) {
    pollfd ready = {ends[0], POLLIN, 0};
    char buffer[4096];
    while (poll(&ready, 1, milliseconds) > 0) {
      const ssize_t count = read(ends[0], buffer, sizeof buffer);
      if (count <= 0) {
        usleep(1000 * static_cast<unsigned>(milliseconds));
        return;
      }
      text.append(buffer, static_cast<std::size_t>(count));
      milliseconds = 0;
    }
  }
  testing::AssertionResult judge(int status) const {
    if (WIFSIGNALED(status))
      return testing::AssertionFailure()
             << "ended by signal " << WTERMSIG(status) << " ("
             << strsignal(WTERMSIG(status)) << ")\n"
             << text;
    if (WEXITSTATUS(status) != 0)
      return testing::AssertionFailure()
             << "ended with status " << WEXITSTATUS(status) << '\n'
             << text;
    return testing::AssertionSuccess();
  }

  int ends[2];
  pid_t id = -1;
  std::string text;
};

/// Whether a child that runs `body` does.
inline testing::AssertionResult endsWell(const std::function<void()> &body) {
  return Child(body).wait();
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_HOST_CHILD_H
