//===- TestUtil/Files.h - Directories and files of a test -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_FILES_H
#define KEXPR_TESTUTIL_FILES_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>

namespace kexpr::test {

/// A directory of its own for each test, gone when the test ends.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string path = testing::TempDir() + "kexpr-" + std::string(6, 'X');
    root = mkdtemp(path.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  std::string path() const { return root; }
  std::string path(const std::string &name) const { return root / name; }

private:
  std::filesystem::path root;
};

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The names in a directory that start with `prefix`.
inline std::set<std::string> namesIn(const std::string &directory,
                                     const std::string &prefix = {}) {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    if (std::string name = entry.path().filename(); name.starts_with(prefix))
      names.insert(std::move(name));
  return names;
}

/// Permission bits of what a path leads to.
inline unsigned modeOf(const std::string &path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

/// Says that a file was used last at a time in seconds, and was not changed.
inline void setLastUse(const std::string &path, std::time_t when) {
  const timespec times[] = {{when, 0}, {0, UTIME_OMIT}};
  EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0) << path;
}

} // namespace kexpr::test

#endif // KEXPR_TESTUTIL_FILES_H
