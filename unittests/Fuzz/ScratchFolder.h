//===- Fuzz/ScratchFolder.h - Files of a fuzzer -----------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_SCRATCHFOLDER_H
#define KEXPR_UNITTESTS_FUZZ_SCRATCHFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <string>

namespace kexpr::fuzz {

/// A directory that goes with what is in it.
class ScratchFolder {
public:
  ScratchFolder() {
    std::string path =
        (std::filesystem::temp_directory_path() / "kexpr-fuzz-").string() +
        std::string(6, 'X');
    root = mkdtemp(path.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  const std::string &path() const { return root; }
  /// Removes what is in it.
  void clear() const {
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator(root, ignored))
      std::filesystem::remove_all(entry.path(), ignored);
  }

private:
  std::string root;
};

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_SCRATCHFOLDER_H
