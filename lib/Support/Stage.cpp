//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kexpr/Stage.h"

#include "Support/Guarded.h"
#include "Support/Quote.h"

#include <iterator>

using namespace kexpr;

static constexpr std::string_view Names[] = {
    "tokens", "ast",      "rpn", "graph", "dot", "plan",
    "llvm",   "llvm-opt", "mir", "asm",   "obj", "explain"};
static_assert(std::size(Names) == StageCount);

std::string_view kexpr::nameOf(Stage stage) {
  const auto index = static_cast<std::size_t>(stage);
  return index < StageCount ? Names[index] : "?";
}

Expected<Stage> kexpr::parseStage(std::string_view name) {
  return guarded([name]() -> Expected<Stage> {
    std::string names;
    for (std::size_t i = 0; i < StageCount; ++i) {
      if (Names[i] == name)
        return static_cast<Stage>(i);
      names += (i ? ", " : "") + std::string(Names[i]);
    }
    return Error(ErrorCode::InvalidArgument,
                 "unknown stage " + quote(name) + "; the stages are " + names);
  });
}
