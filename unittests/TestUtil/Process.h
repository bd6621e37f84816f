//===- TestUtil/Process.h - Other processes, and what is known of this ----===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_PROCESS_H
#define KEXPR_TESTUTIL_PROCESS_H

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kexpr::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool IsSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool IsSanitized = true;
#else
inline constexpr bool IsSanitized = false;
#endif
#else
inline constexpr bool IsSanitized = false;
#endif

/// What runs the programs of another processor here, with its options; empty if
/// none has to. What the system then tells of this process is the emulator's:
/// its mappings, its memory, its code.
inline std::string emulator() {
  const char *value = std::getenv("KEXPR_TEST_EMULATOR");
  return value ? value : "";
}
inline const bool IsEmulated = !emulator().empty();

/// The command line that runs a program here, or has `env` run it. A program of
/// the system, found by its name or not, needs no emulator.
inline std::vector<std::string> runnable(std::vector<std::string> words) {
  auto program = words.begin();
  if (*program == "/usr/bin/env")
    do {
      ++program;
    } while (program->find('=') != std::string::npos);
  if (program->find('/') == std::string::npos ||
      program->starts_with("/bin/") || program->starts_with("/usr/"))
    return words;
  using Words = std::istream_iterator<std::string>;
  std::istringstream stream(emulator());
  words.insert(program, Words(stream), Words());
  return words;
}

/// A program that runs beside the test, its output in a pipe. It is killed, if
/// it still runs, when the object goes.
class Process {
public:
  explicit Process(std::vector<std::string> words) {
    words = runnable(std::move(words));
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char *> arguments;
    for (std::string &word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int failed = posix_spawn(&id, arguments[0], &actions, nullptr,
                                   arguments.data(), environ);
    EXPECT_EQ(failed, 0) << words[0];
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output = ends[0];
    if (failed)
      id = -1;
  }
  ~Process() {
    kill();
    close(output);
  }
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;

  /// Waits until the program has written something, or ended.
  void waitForOutput() {
    char c = 0;
    if (::read(output, &c, 1) == 1)
      text += c;
  }
  /// All that it writes until it ends.
  const std::string &read() {
    char buffer[4096];
    for (ssize_t count; (count = ::read(output, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(count));
    return text;
  }
  /// Its exit status; -1 if a signal ended it.
  int wait() {
    read();
    int status = 0;
    if (id < 0 || waitpid(std::exchange(id, -1), &status, 0) < 0)
      return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void kill() {
    if (id < 0)
      return;
    ::kill(id, SIGKILL);
    waitpid(std::exchange(id, -1), nullptr, 0);
  }

private:
  pid_t id = -1;
  int output = -1;
  std::string text;
};

/// What `body` returns, 0 to 255, in a copy of this process that then ends; -1
/// if a signal ended it. No other thread may run.
template <class F> int inChild(F body) {
  const pid_t id = fork();
  if (id == 0)
    _exit(body());
  int status = 0;
  if (id < 0 || waitpid(id, &status, 0) != id || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

/// From now on no file of this process grows over so many bytes: what a full
/// disk looks like.
inline void limitFiles(rlim_t bytes) {
  const rlimit limit = {bytes, bytes};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
    std::abort();
}

/// Bytes of this process that are in memory.
inline std::size_t residentBytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// The mappings of this process, a line each.
inline std::vector<std::string> mappings() {
  std::vector<std::string> lines;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

} // namespace kexpr::test

#endif // KEXPR_TESTUTIL_PROCESS_H
