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

/// The lines of the first loop of a function of x86: from a label to the first
/// jump back to it.
inline std::vector<std::string> innerLoop(const std::string &assembly) {
  std::vector<std::string> lines;
  std::map<std::string, std::size_t> labels;
  std::istringstream in(assembly);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
    if (line.starts_with(".LBB"))
      labels[line.substr(0, line.find(':'))] = lines.size();
    const std::size_t target = line.find(".LBB");
    if (line.starts_with("\tj") && target != std::string::npos)
      if (auto label = labels.find(line.substr(target)); label != labels.end())
        return {lines.begin() + static_cast<std::ptrdiff_t>(label->second),
                lines.end()};
  }
  return {};
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_CODEGEN_INNERLOOP_H
