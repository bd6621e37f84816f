//===- Tools/Drawn.h - A page as a browser draws it -----------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_TOOLS_DRAWN_H
#define KEXPR_UNITTESTS_TOOLS_DRAWN_H

#include "Tools/Command.h"

#include <gtest/gtest.h>

namespace kexpr::test {

inline bool hasNode() {
  static const bool has = run({"node", "--version"}).code == 0;
  return has;
}

/// What a page looks like when its scripts have run; their faults are the
/// test's.
inline std::string drawn(const std::string &page,
                         const std::string &query = "") {
  const auto result = run({"node", KEXPR_RUN_PAGE, query}, page);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

} // namespace kexpr::test

#endif // KEXPR_UNITTESTS_TOOLS_DRAWN_H
