//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Files.h"

#include "Support/Quote.h"
#include "Support/Text.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include <unistd.h>

using namespace kexpr;
using namespace kexpr::tools;
namespace fs = std::filesystem;

static Error ioError(const fs::path &path, std::string_view reason) {
  return {ErrorCode::Io,
          concat("cannot write ", quote(path.string()), ": ", reason)};
}

/// Writes to an existing or a new file; errors name `target`.
static Status fillFile(const fs::path &path, const fs::path &target,
                       std::string_view contents) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  out.close();
  return out ? Status() : ioError(target, std::strerror(errno ? errno : EIO));
}

namespace {
/// A temporary file next to its target, which it replaces when it is published.
/// Otherwise the destructor removes it.
class Draft {
public:
  explicit Draft(const fs::path &target)
      : target(target), path(target.string() + concat(".", getpid(), ".part")) {
  }
  ~Draft() {
    std::error_code ignored;
    if (!path.empty())
      fs::remove(path, ignored);
  }
  Draft(const Draft &) = delete;
  Draft &operator=(const Draft &) = delete;

  Status write(std::string_view contents) const {
    return fillFile(path, target, contents);
  }
  Status publish() {
    std::error_code fault;
    fs::rename(path, target, fault);
    if (fault)
      return ioError(target, fault.message());
    path.clear();
    return {};
  }

private:
  const fs::path target;
  fs::path path;
};
} // namespace

Status tools::writeFile(const std::string &path, std::string_view contents) {
  std::error_code ignored;
  const auto kind = fs::status(path, ignored).type();
  if (kind == fs::file_type::directory)
    return ioError(path, "it is a directory");
  if (kind != fs::file_type::regular && kind != fs::file_type::not_found)
    return fillFile(path, path, contents);
  // Behind a link, what it leads to is replaced.
  Draft draft(fs::weakly_canonical(path, ignored));
  auto status = draft.write(contents);
  return status ? draft.publish() : status;
}

static Status fillFolder(const fs::path &path, const std::vector<File> &files) {
  std::vector<std::unique_ptr<Draft>> drafts;
  for (const File &file : files) {
    drafts.push_back(std::make_unique<Draft>(path / file.name));
    if (auto status = drafts.back()->write(file.contents); !status)
      return status;
  }
  for (const auto &draft : drafts)
    if (auto status = draft->publish(); !status)
      return status;
  return {};
}

Status tools::writeFolder(const std::string &path,
                          const std::vector<File> &files) {
  std::error_code fault;
  const bool isNew = fs::create_directories(path, fault);
  if (fault)
    return ioError(path, fault.message());
  auto status = fillFolder(path, files);
  if (!status && isNew)
    fs::remove(path, fault);
  return status;
}

Status tools::checkWritable(const std::string &path) {
  std::error_code ignored;
  const auto kind = fs::status(path, ignored).type();
  if (kind == fs::file_type::directory)
    return ioError(path, "it is a directory");
  if (kind == fs::file_type::regular || kind == fs::file_type::not_found)
    return Draft(fs::weakly_canonical(path, ignored)).write("");
  return access(path.c_str(), W_OK) == 0 ? Status()
                                         : ioError(path, std::strerror(errno));
}

Expected<std::string> tools::readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  // A directory opens, but cannot be read.
  if (!file.is_open() || file.bad())
    return Error(ErrorCode::Io, concat("cannot read ", quote(path), ": ",
                                       std::strerror(errno)));
  return text;
}

std::string tools::binBeside(const std::string &param) {
  std::filesystem::path path = param;
  path.replace_extension(".bin");
  std::error_code ignored;
  return path != param && std::filesystem::exists(path, ignored)
             ? path.string()
             : std::string();
}
