//===- Fuzz/Corpus.h - Seeds that are kept ----------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_FUZZ_CORPUS_H
#define KEXPR_UNITTESTS_FUZZ_CORPUS_H

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace kexpr::fuzz {

/// The files of a fuzzer's folder in `corpus`, by name.
inline std::vector<std::string> seedsOf(std::string_view fuzzer) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::filesystem::path(KEXPR_FUZZ_CORPUS) / fuzzer))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto &path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file),
                       std::istreambuf_iterator<char>());
  }
  return seeds;
}

} // namespace kexpr::fuzz

#endif // KEXPR_UNITTESTS_FUZZ_CORPUS_H
