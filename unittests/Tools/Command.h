//===- Tools/Command.h - Runs a program as a user does ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_TOOLS_COMMAND_H
#define KEXPR_UNITTESTS_TOOLS_COMMAND_H

#include "TestUtil/Files.h"
#include "TestUtil/Process.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <sys/wait.h>

namespace kexpr::test {

struct Outcome {
  /// -1 if the program did not exit by itself.
  int code = -1;
  std::string out;
  std::string err;
};

/// Runs a program to its end.
inline Outcome run(const std::vector<std::string> &words,
                   const std::string &input = {}) {
  const TemporaryDirectory directory;
  writeFile(directory.path("in"), input);
  std::string command;
  for (const std::string &word : runnable(words)) {
    command += " '";
    for (char c : word)
      command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += "'";
  }
  command += " <" + directory.path("in") + " >" + directory.path("out") +
             " 2>" + directory.path("err");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          readFile(directory.path("out")), readFile(directory.path("err"))};
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_TOOLS_COMMAND_H
