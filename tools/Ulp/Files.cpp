//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ulp/Files.h"

#include "Support/Text.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

using namespace kexpr;

static Error cannot(const char *what, const std::string &path,
                    const std::string &why) {
  return {ErrorCode::Io, concat("cannot ", what, " '", path, "': ", why)};
}

/// Beside the file, so that renaming need not copy; of this process only.
static std::string draftOf(const std::string &path) {
  return concat(path, ".", getpid(), ".tmp");
}

Status tools::writeWhole(const std::string &path, std::string_view text) {
  const std::string draft = draftOf(path);
  std::error_code fault;
  std::ofstream file(draft, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    fault = {errno, std::generic_category()};
  else
    std::filesystem::rename(draft, path, fault);
  if (!fault)
    return {};
  std::error_code ignored;
  std::filesystem::remove(draft, ignored);
  return cannot("write", path, fault.message());
}

Status tools::checkWritable(const std::string &path) {
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault))
    return cannot("write", path, std::strerror(EISDIR));
  const std::string draft = draftOf(path);
  const bool opened = std::ofstream(draft).is_open();
  const int why = errno;
  std::filesystem::remove(draft, fault);
  if (!opened)
    return cannot("write", path, std::strerror(why));
  return {};
}

Expected<std::string> tools::readWhole(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  // A directory opens, but cannot be read.
  if (!file.is_open() || file.bad())
    return cannot("read", path, std::strerror(errno));
  return text;
}
