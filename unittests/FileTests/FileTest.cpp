//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One test for every .kexpr file below this folder. With KEXPR_BLESS=1 in the
// environment, files are rewritten to what the code does now.
//
//===----------------------------------------------------------------------===//
#include "FileTests/Runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace kexpr::filetests;

namespace fs = std::filesystem;

static std::vector<std::string> files() {
  std::vector<std::string> paths;
  for (const auto &entry : fs::recursive_directory_iterator(KEXPR_FILE_TESTS))
    if (entry.path().extension() == ".kexpr")
      paths.push_back(
          fs::relative(entry.path(), KEXPR_FILE_TESTS).generic_string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

static std::string nameOf(const testing::TestParamInfo<std::string> &info) {
  std::string name = info.param.substr(0, info.param.rfind('.'));
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

class FileTest : public testing::TestWithParam<std::string> {};

TEST_P(FileTest, Holds) {
  const std::string path = KEXPR_FILE_TESTS "/" + GetParam();
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  auto directives = parseFile(text.str());
  ASSERT_FALSE(directives.empty());
  ASSERT_EQ(renderFile(directives), text.str())
      << "text after the last directive, or indented text before the first";
  Runner().run(directives);
  const std::string now = renderFile(directives);
  if (std::getenv("KEXPR_BLESS"))
    std::ofstream(path) << now;
  else
    EXPECT_EQ(text.str(), now) << "if this is right, run with KEXPR_BLESS=1";
}

INSTANTIATE_TEST_SUITE_P(Files, FileTest, testing::ValuesIn(files()), nameOf);
