//===- InnerLoop.h - The loop of a kernel in its assembly -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_CODEGEN_INNERLOOP_H
#define KEXPR_UNITTESTS_CODEGEN_INNERLOOP_H

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace kexpr::test {

/// The instructions of the first loop of a function of x86 or AArch64, from a
/// label to the first jump back to it. A kernel's is its main loop.
inline std::vector<std::string> innerLoop(const std::string &assembly) {
  std::vector<std::string> lines;
  std::map<std::string, std::size_t> labels;
  std::istringstream in(assembly);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(".LBB") || line.starts_with("LBB"))
      labels[line.substr(0, line.find(':'))] = lines.size();
    if (!line.starts_with('\t') || line.find_first_of(".#") == 1)
      continue;
    lines.push_back(line);
    const std::string last = line.substr(line.find_last_of("\t ,") + 1);
    if (auto label = labels.find(last); label != labels.end())
      return {lines.begin() + static_cast<std::ptrdiff_t>(label->second),
              lines.end()};
  }
  return {};
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_CODEGEN_INNERLOOP_H
