//===- JitBench/Legend.h - Figures and what their marks mean --------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_JITBENCH_LEGEND_H
#define KEXPR_TOOLS_JITBENCH_LEGEND_H

#include "JitBench/Svg.h"

#include <string>
#include <utility>
#include <vector>

namespace kexpr::tools {

/// Series and their names, in HTML.
std::string
legend(const std::vector<std::pair<std::size_t, std::string>> &items,
       Swatch kind);

/// A drawing with a caption.
std::string figure(const std::string &drawing, const std::string &caption);

/// Figures side by side where there is room.
std::string figures(const std::string &content);

/// A sentence in place of figures.
std::string sentence(const std::string &words);

/// How a side is called on the page: "kexpr" for "fused".
std::string sideTitle(const std::string &side);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_JITBENCH_LEGEND_H
