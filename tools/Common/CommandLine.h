//===- Common/CommandLine.h - What all tools' mains share ----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Exit codes of every tool: 0 success, 1 a fault in the expression, an input
/// or an output, 2 a fault in the command line.
///
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_COMMON_COMMANDLINE_H
#define KEXPR_TOOLS_COMMON_COMMANDLINE_H

#include "kexpr/Error.h"
#include "kexpr/Infix.h"
#include "kexpr/Precision.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

namespace CLI {
class App;
}

namespace kexpr::tools {

inline constexpr int exitFault = 1;
inline constexpr int exitUsage = 2;

/// Adds `--version` and parses. A value is the code to exit with at once:
/// after `--help` and `--version`, and after a fault, which was reported.
std::optional<int> parseCommandLine(CLI::App &app, int argc, char **argv);

/// The precisions by their names on command lines.
std::map<std::string, Precision> precisionNames();

/// Adds `--precision`.
void addPrecision(CLI::App &app, Precision &precision);

/// Adds `--syntax`, of which none says that the tool has a rule.
void addSyntax(CLI::App &app, std::optional<Syntax> &syntax);

/// Adds `--threads`, of which 0 is all.
void addThreads(CLI::App &app, unsigned &threads);

/// Prints the rendered error on stderr and gives `exitFault`.
int report(const Error &error);

/// Reports an error and ends the program with `exitFault`. For code of mains,
/// on the main thread.
[[noreturn]] inline void exitWith(const Error &error) {
  std::exit(report(error));
}

/// The value; an error ends the program, as with LLVM's ExitOnError.
template <class T>
requires(!std::is_void_v<T>) T orExit(Expected<T> &&made) {
  if (!made)
    exitWith(made.error());
  return std::move(*made);
}
inline void orExit(const Status &status) {
  if (!status)
    exitWith(status.error());
}

/// The expression that an argument stands for: `-` is all of stdin, without
/// white space around it.
std::string expressionText(const std::string &argument);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_COMMON_COMMANDLINE_H
