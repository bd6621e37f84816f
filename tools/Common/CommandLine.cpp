//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/CommandLine.h"

#include "kexpr/Version.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <iterator>

using namespace kexpr;
using namespace kexpr::tools;

std::optional<int> tools::parseCommandLine(CLI::App &app, int argc,
                                           char **argv) {
  app.set_version_flag("--version", app.get_name() + " " KEXPR_VERSION);
  app.get_formatter()->column_width(34);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : exitUsage;
  }
  return std::nullopt;
}

std::map<std::string, Precision> tools::precisionNames() {
  return {{"default", Precision::Default},
          {"accurate", Precision::Accurate},
          {"fast", Precision::Fast}};
}

void tools::addPrecision(CLI::App &app, Precision &precision) {
  app.add_option("--precision", precision,
                 "how exactly f32 is computed: 'default', at most 1 ulp, "
                 "'accurate', at most 0.51, or 'fast', at most 4")
      ->transform(CLI::CheckedTransformer(precisionNames()))
      ->option_text("default|accurate|fast");
}

void tools::addSyntax(CLI::App &app, std::optional<Syntax> &syntax) {
  app.add_option("--syntax", syntax,
                 "what the expression is written in: 'pnnx', add(@0,@1), or "
                 "'infix', a + b")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Syntax>{
          {"pnnx", Syntax::Pnnx}, {"infix", Syntax::Infix}}))
      ->option_text("pnnx|infix");
}

void tools::addThreads(CLI::App &app, unsigned &threads) {
  app.add_option("--threads", threads,
                 "threads at most; 0, the default, is all")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
}

int tools::report(const Error &error) {
  std::cerr << error.render() << '\n';
  return exitFault;
}

std::string tools::expressionText(const std::string &argument) {
  if (argument != "-")
    return argument;
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  constexpr const char *blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}
