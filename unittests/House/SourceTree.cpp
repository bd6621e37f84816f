//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "House/SourceTree.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>

using namespace kexpr;
using namespace kexpr::house;

namespace fs = std::filesystem;

std::string house::absolute(std::string_view path) {
  return std::string(KEXPR_SOURCE_DIR "/").append(path);
}

std::vector<std::string_view> SourceFile::lines() const & {
  std::vector<std::string_view> result;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    result.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

std::vector<std::string_view> SourceFile::includes() const & {
  constexpr std::string_view directive = "#include ";
  std::vector<std::string_view> result;
  for (std::string_view line : lines())
    if (line.starts_with(directive))
      result.push_back(line.substr(directive.size()));
  return result;
}

SourceFile house::sourceFile(const std::string &path) {
  std::ifstream file(absolute(path));
  std::ostringstream text;
  text << file.rdbuf();
  return {path, text.str()};
}

static bool isCpp(const fs::path &path) {
  return path.extension() == ".h" || path.extension() == ".cpp" ||
         path.extension() == ".c" || path.string().ends_with(".h.in");
}

static void addFiles(const std::string &folder, bool onlyCpp,
                     std::vector<SourceFile> &files) {
  for (const auto &entry : fs::recursive_directory_iterator(absolute(folder)))
    if (entry.is_regular_file() && (!onlyCpp || isCpp(entry.path())))
      files.push_back(sourceFile(
          fs::relative(entry.path(), KEXPR_SOURCE_DIR).generic_string()));
}

static std::vector<SourceFile> sorted(std::vector<SourceFile> files) {
  std::sort(
      files.begin(), files.end(),
      [](const SourceFile &a, const SourceFile &b) { return a.path < b.path; });
  return files;
}

std::vector<SourceFile> house::sourcesIn(const std::string &folder) {
  std::vector<SourceFile> files;
  addFiles(folder, true, files);
  return sorted(std::move(files));
}

static constexpr const char *cppFolders[] = {"benchmarks",   "docs", "include",
                                             "integrations", "lib",  "tools",
                                             "unittests"};

std::vector<SourceFile> house::allSources() {
  std::vector<SourceFile> files;
  for (const char *folder : cppFolders)
    addFiles(folder, true, files);
  return sorted(std::move(files));
}

std::vector<SourceFile> house::allFiles() {
  std::vector<SourceFile> files;
  for (const char *folder : cppFolders)
    addFiles(folder, false, files);
  for (const char *folder : {"cmake", "utils", ".ci"})
    addFiles(folder, false, files);
  for (const auto &entry : fs::directory_iterator(KEXPR_SOURCE_DIR))
    if (entry.is_regular_file())
      files.push_back(sourceFile(entry.path().filename().string()));
  return sorted(std::move(files));
}

CommandResult house::execute(const std::string &command) {
  CommandResult result;
  std::FILE *pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  char buffer[4096];
  while (std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe))
    result.output.append(buffer, size);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}
