//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Directory.h"

#include "Code/Descriptor.h"
#include "Support/QuietWrites.h"
#include "Support/Text.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kexpr;
using namespace kexpr::code;

/// Why others than this user and root may write to a file; empty if they may
/// not.
static std::string_view faultOf(const struct stat &status) {
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return "belongs to another user";
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return "may be written to by other users";
  return {};
}

static Status makeDirectories(const std::string &path) {
  const std::filesystem::path whole(path);
  std::filesystem::path part;
  for (const auto &name : whole) {
    part /= name;
    if (mkdir(part.c_str(), 0700) == 0)
      continue;
    // Errors for directories that exist vary.
    const int error = errno;
    if (access(part.c_str(), F_OK) == 0)
      continue;
    errno = error;
    return systemError(path, "cannot be made");
  }
  return {};
}

Expected<std::shared_ptr<const Directory>>
Directory::open(const std::string &path) {
  if (path.find('\0') != std::string::npos)
    return ioError(path.c_str(), "is not the name of a directory");
  if (auto status = makeDirectories(path); !status)
    return status.error();
  Descriptor directory(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory)
    return systemError(path, "cannot be opened");
  struct stat status = {};
  if (fstat(directory, &status) != 0)
    return systemError(path, "cannot be looked at");
  if (const auto fault = faultOf(status); !fault.empty())
    return ioError(path, fault);
  return std::shared_ptr<const Directory>(new Directory(directory.release()));
}

Directory::~Directory() { Descriptor(descriptor).close(); }

std::string Directory::path() const {
  return concat("/proc/self/fd/", descriptor);
}

std::optional<std::string> Directory::read(const std::string &name,
                                           std::size_t limit) const {
  // A pipe or a device must not make the open wait.
  Descriptor file(openat(descriptor, name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (!file || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
      !faultOf(status).empty() ||
      static_cast<std::size_t>(status.st_size) > limit)
    return std::nullopt;
  std::string contents(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < contents.size()) {
    const ssize_t count =
        ::read(file, contents.data() + done, contents.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  // Mounts often do not note it by themselves. It may fail on those that are
  // read-only, which are not pruned either.
  const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  futimens(file, times);
  return contents;
}

bool Descriptor::write(std::string_view contents) const {
  const QuietWrites quiet;
  while (!contents.empty()) {
    const ssize_t count = ::write(number, contents.data(), contents.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    contents.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string code::uniqueSuffix() {
  static std::atomic<unsigned> count = 0;
  // A process of the same number on another machine, or before the last start
  // of this one, may have had the same.
  return concat(".", getpid(), ".", ++count, ".",
                std::chrono::steady_clock::now().time_since_epoch().count());
}

Expected<Descriptor> Directory::create(const std::string &name) const {
  unlinkat(descriptor, name.c_str(), 0);
  Descriptor file(openat(
      descriptor, name.c_str(),
      O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file)
    return systemError(name, "cannot be made");
  return file;
}

Expected<Descriptor> Directory::lock() const {
  constexpr const char *name = ".lock";
  // Of this user alone: nobody else can hold it.
  Descriptor file(openat(descriptor, name,
                         O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file)
    return systemError(name, "cannot be made");
  constexpr int milliseconds = 10000;
  for (int waited = 0; flock(file, LOCK_EX | LOCK_NB) != 0; ++waited) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || waited >= milliseconds)
      return systemError(name, "cannot be locked");
    usleep(1000);
  }
  return file;
}

std::string Directory::realPath() const {
  std::error_code ignored;
  return std::filesystem::read_symlink(path(), ignored);
}

Status Directory::replace(const std::string &name,
                          std::string_view contents) const {
  // Starts as the name does: what a killed process leaves is pruned as files
  // of that name are.
  const std::string temporary = name + uniqueSuffix();
  Descriptor file(openat(descriptor, temporary.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         0600));
  if (!file)
    return systemError(temporary, "cannot be made");
  if (file.write(contents) && file.close() &&
      renameat(descriptor, temporary.c_str(), descriptor, name.c_str()) == 0)
    return {};
  const Error error = systemError(name, "cannot be written");
  unlinkat(descriptor, temporary.c_str(), 0);
  return error;
}

/// Prefix of names of folders that are not complete.
static constexpr std::string_view DraftPrefix = ".draft";

bool Directory::has(const std::string &name) const {
  struct stat status = {};
  return fstatat(descriptor, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static Status fill(int folder, const std::vector<NamedFile> &files) {
  for (const NamedFile &each : files) {
    Descriptor file(openat(folder, each.name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           0600));
    if (!file)
      return systemError(each.name, "cannot be made");
    if (!file.write(each.contents) || !file.close())
      return systemError(each.name, "cannot be written");
  }
  return {};
}

static void removeFolder(int parent, const std::string &name,
                         const std::vector<NamedFile> &files) {
  {
    const Descriptor folder(
        openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (const NamedFile &each : files)
      unlinkat(folder, each.name.c_str(), 0);
  }
  unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

Status Directory::addFolder(const std::string &name,
                            const std::vector<NamedFile> &files) const {
  const std::string draft = concat(DraftPrefix, uniqueSuffix());
  if (mkdirat(descriptor, draft.c_str(), 0700) != 0)
    return systemError(draft, "cannot be made");
  const Descriptor folder(
      openat(descriptor, draft.c_str(),
             O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  Status status = folder ? fill(folder, files)
                         : Status(systemError(draft, "cannot be opened"));
  if (status) {
    if (renameat(descriptor, draft.c_str(), descriptor, name.c_str()) == 0)
      return {};
    if (errno != EEXIST && errno != ENOTEMPTY)
      status = systemError(name, "cannot be made");
  }
  removeFolder(descriptor, draft, files);
  return status;
}

void Directory::removeDrafts(std::chrono::seconds age) const {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto oldest = fs::file_time_type::clock::now() - age;
  std::vector<fs::path> old;
  for (const auto &entry : fs::directory_iterator(path(), ignored))
    if (entry.path().filename().string().starts_with(DraftPrefix) &&
        fs::last_write_time(entry.path(), ignored) < oldest)
      old.push_back(entry.path());
  for (const fs::path &draft : old)
    fs::remove_all(draft, ignored);
}
