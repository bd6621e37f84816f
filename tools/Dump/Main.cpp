//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-dump: prints what each stage makes of an expression.
//
//===----------------------------------------------------------------------===//
#include "Dump/Diff.h"
#include "Dump/Show.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

using namespace kexpr;
using namespace kexpr::tools;

static bool isAll(const Options &options) {
  return options.pass.empty() && options.stage == "all";
}

/// Whether an object file is asked for.
static bool isBytes(const Options &options) {
  return options.pass.empty() && options.stage == "obj";
}

static int put(const Options &options, const std::string &text) {
  if (!options.isForStdout()) {
    const auto status = writeFile(options.path, text);
    return status ? 0 : report(status.error());
  }
  std::cout << text << std::flush;
  return std::cout ? 0 : exitFault;
}

static int emit(const Options &options) {
  if (isAll(options) && !options.isForStdout()) {
    const auto files = showAll(options);
    if (!files)
      return report(files.error());
    const auto status = writeFolder(options.path, *files);
    return status ? 0 : report(status.error());
  }
  if (isBytes(options) && options.path.empty() && isatty(STDOUT_FILENO)) {
    std::cerr << "an object file is not for terminals; name a file with -o\n";
    return exitUsage;
  }
  auto text = show(options);
  if (!text)
    return report(text.error());
  if (!isBytes(options) && !text->ends_with('\n'))
    *text += '\n';
  return put(options, *text);
}

/// Reads a command line of `words`; a value is the code to exit with.
static std::optional<int> read(const std::vector<std::string> &words,
                               Options &options) {
  CLI::App app("Prints what each stage of kexpr makes of an expression.",
               "kexpr-dump");
  addOptions(app, options);
  std::vector<std::string> texts = words;
  texts.insert(texts.begin(), "kexpr-dump");
  std::vector<char *> arguments;
  for (std::string &text : texts)
    arguments.push_back(text.data());
  if (auto exit = parseCommandLine(app, static_cast<int>(arguments.size()),
                                   arguments.data()))
    return exit;
  if (!options.lacksSides)
    return std::nullopt;
  std::cerr << "--diff needs two sides, once\n";
  return exitUsage;
}

static std::size_t terminalWidth() {
  constexpr std::size_t least = 40, most = 10000, usual = 160;
  const char *columns = std::getenv("COLUMNS");
  std::size_t width = columns ? std::strtoul(columns, nullptr, 10) : 0;
  winsize window = {};
  if (width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0)
    width = window.ws_col;
  return width ? std::clamp(width, least, most) : usual;
}

static int compare(const Comparison &comparison) {
  Options options[2];
  Side sides[2] = {{comparison.left, {}}, {comparison.right, {}}};
  for (int i = 0; i < 2; ++i) {
    if (auto exit = read(comparison.wordsOf(sides[i].title), options[i]))
      return *exit;
    if (isBytes(options[i])) {
      std::cerr << "object files cannot be compared line by line\n";
      return exitUsage;
    }
    auto text = show(options[i]);
    if (!text)
      return report(text.error());
    sides[i].text = std::move(*text);
  }
  const auto text = options[1].isUnified
                        ? unified(sides[0], sides[1])
                        : sideBySide(sides[0], sides[1], terminalWidth());
  return text ? put(options[1], *text) : report(text.error());
}

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (const auto comparison = findComparison(words))
    return compare(*comparison);
  Options options;
  if (auto exit = read(words, options))
    return *exit;
  return emit(options);
}
