//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directory's folders.
//
//===----------------------------------------------------------------------===//
#include "Code/Descriptor.h"
#include "Code/Directory.h"

#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>

using namespace kexpr;
using namespace kexpr::code;

/// What folders are called until they are whole.
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
