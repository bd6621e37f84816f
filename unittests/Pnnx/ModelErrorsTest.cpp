//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestUtil/Models.h"

#include <gtest/gtest.h>

using namespace kexpr;
using namespace kexpr::test;

namespace {
struct Case {
  const char *text;    ///< Behind the magic number.
  const char *message; ///< A part of it.
  const char *caret;   ///< The text that the error's range covers.
};
} // namespace

static const Case Cases[] = {
    {"", "line 1 of m: the magic number and no counts", "7767517"},
    {"\n", "line 2 of m: expected the number of operators, found ''", ""},
    {"1", "line 2 of m: expected the number of operands, found ''", ""},
    {"-1 0", "expected the number of operators, found '-1'", "-1"},
    {"0x1 0", "expected the number of operators, found '0x1'", "0x1"},
    {"4294967296 0", "operators is too large: '4294967296'", "4294967296"},
    {"0 99999999999999999999999999", "operands is too large",
     "99999999999999999999999999"},
    {"0 0 0", "expected two counts, found also '0'", "0"},
    {"2 0\na a 0 0", "line 2 of m: the file ends after 1 of 2 operators", "2"},
    {"1 0\na a 0 0\nb b 0 0",
     "line 4 of m: this operator is one more than the 1", "b"},
    {"4000000000 4000000000\n", "the file ends after 0 of 4000000000",
     "4000000000"},
    {"1 2\na a 0 1 x", "line 2 of m: the file lists 1 operands, not 2", "2"},
    {"1 1\na a 0 2 x y", "line 3 of m: operand 'y' is one more than the 1",
     "y"},
    {"1 0\n\na a 0 0", "line 3 of m: a blank line between operators", ""},
    {"1 0\na", "line 3 of m: an operator of type 'a' has no name", ""},
    {"2 0\na a 0 0\nb a 0 0", "operator name 'a' is taken by line 3", "a"},
    {"1 0\na a", "the number of inputs of operator 'a', found ''", ""},
    {"1 0\na a x 0", "the number of inputs of operator 'a', found 'x'", "x"},
    {"1 0\na a 0 -2", "the number of outputs of operator 'a', found '-2'",
     "-2"},
    {"1 9\na a 0 4294967295 x", "lists 1 of 4294967295 operands", ""},
    {"1 1\na a 1 0 x", "line 3 of m: no operator produces operand 'x'", "x"},
    {"2 1\na a 0 1 x\nb b 0 1 x",
     "line 4 of m: operand 'x' has been produced before", "x"},
    {"1 1\na a 0 2 x x", "operand 'x' has been produced before", "x"},
    {"1 1\na a 1 1 x x", "need their own results: 'a' -> 'a'", "a"},
    {"4 4\na a 0 1 x\nb b 2 1 x z y\nc c 1 1 y z\nd d 1 1 z w",
     "need their own results: 'b' -> 'c' -> 'b'", "b"},
    {"1 0\npnnx.Output o 0 0", "pnnx.Output 'o' has 0 inputs instead of 1",
     "pnnx.Output"},
    {"2 2\na a 0 2 x y\npnnx.Output o 2 0 x y", "'o' has 2 inputs",
     "pnnx.Output"},
    {"1 0\na a 0 0 word", "expected key=value, found 'word'", "word"},
    {"1 0\na a 0 0 =1", "expected key=value, found '=1'", "=1"},
    {"1 0\na a 0 0 @=(1)f32", "expected key=value", "@=(1)f32"},
    {"1 0\na a 0 0 #", "expected key=value, found '#'", "#"},
    {"1 0\na a 0 0 k=1 k=2", "'k' is given twice", "k"},
    {"1 0\na a 0 0 @k=(1)c64 @k=(1)c64", "'@k' is given twice", "@k"},
    {"1 0\na a 0 0 @k=1", "'1' is no shape; one is like (1,3,224)f32", "1"},
    {"1 0\na a 0 0 @k=(1", "'(1' is no shape", "(1"},
    {"1 0\na a 0 0 @k=(1,)f32", "'' is no extent", "(1,)f32"},
    {"1 0\na a 0 0 @k=(-1)f32", "'-1' is no extent", "(-1)f32"},
    {"1 0\na a 0 0 @k=(9223372036854775808)f32", "is too large",
     "(9223372036854775808)f32"},
    {"1 0\na a 0 0 @k=(1)f33", "'f33' is no element type of PNNX", "(1)f33"},
    {"1 0\na a 0 0 @k=(?)f32", "has shape [-1], which says no number of bytes",
     "(?)f32"},
    {"1 0\na a 0 0 @k=(4294967296,4294967296)f32", "no number of bytes",
     "(4294967296,4294967296)f32"},
    {"1 0\na a 0 0 @k=(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)f32",
     "a shape has more than 16 axes", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)f32"},
    {"1 1\na a 0 1 x #y=(1)f32", "'y' is no operand of this operator", "y"},
    {"2 2\na a 0 1 x\nb b 0 1 y #x=(1)f32", "'x' is no operand of this", "x"},
    {"1 1\na a 0 1 x #x=(1)f32 #x=(2)f32", "operand 'x' was [1]f32 before",
     "(2)f32"},
    {"1 1\na a 0 1 x #x=(1)f32 #x=(1)f64", "operand 'x' was [1]f32 before",
     "(1)f64"},
    {"2 1\na a 0 1 x #x=(?)f32\nb b 1 0 x #x=(1)f32",
     "line 4 of m: operand 'x' was [-1]f32 before", "(1)f32"},
    {"1 1\na a 0 1 x $k=x", "operand 'x' is no input without a name", "x"},
    {"2 1\na a 0 1 x\nb b 1 0 x $k=x $l=x", "'x' is no input without a", "x"},
    {"2 1\na a 0 1 x\nb b 1 0 x $k=z", "'z' is no operand of this operator",
     "z"},
    {"1 0\na a 0 0 @k=(1)f32", "line 3 of m: entry 'a.k' is needed", nullptr},
};

TEST(ModelErrors, SayWhatAndWhere) {
  for (const Case &c : Cases) {
    const std::string text = std::string("7767517\n") + c.text;
    const auto model = parseModel(text);
    ASSERT_FALSE(model) << text;
    const Error &error = model.error();
    EXPECT_EQ(error.code(), ErrorCode::InvalidSyntax);
    EXPECT_NE(error.message().find(c.message), std::string::npos)
        << error.message() << " instead of " << c.message;
    ASSERT_EQ(error.hasRange(), c.caret != nullptr) << error.message();
    if (c.caret) {
      const SourceRange range = error.range();
      EXPECT_EQ(text.substr(range.begin, range.end - range.begin), c.caret)
          << error.render();
    }
  }
}

TEST(ModelErrors, AreShownInTheirLine) {
  const auto model = parseModel("7767517\n1 1\npnnx.Relu r 1 1 a a\n");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().render(),
            "error: line 3 of m: operators need their own results: "
            "'r' -> 'r'\n  pnnx.Relu r 1 1 a a\n            ^");
}

TEST(ModelErrors, NameOtherFiles) {
  EXPECT_EQ(parseModel("").error().message(), "line 1 of m: the file is empty");
  EXPECT_EQ(parseModel("\n1 0").error().message(),
            "line 1 of m: a PNNX file begins with 7767517, not ''");
  EXPECT_EQ(parseModel("7767518\n0 0").error().message(),
            "line 1 of m: a PNNX file begins with 7767517, not '7767518'");
  EXPECT_FALSE(parseModel("7767517 7\n0 0"));
  EXPECT_EQ(
      parseModel(std::string_view("7767517\n0 0\n\0", 13)).error().message(),
      "line 3 of m: a NUL byte is no text");
}

TEST(ModelErrors, NameAFewOperatorsOfALongCycle) {
  std::string text = "7767517\n100 100\n";
  for (int i = 0; i < 100; ++i)
    text += "t o" + std::to_string(i) + " 1 1 " + std::to_string(i) + " " +
            std::to_string((i + 1) % 100) + "\n";
  const auto model = parseModel(text);
  ASSERT_FALSE(model);
  EXPECT_EQ(problemOf(model), "");
  EXPECT_NE(model.error().message().find("'o0' -> 'o1'"), std::string::npos)
      << model.error().message();
  EXPECT_LT(model.error().message().size(), 160u);
}

TEST(ModelErrors, LeaveHugeTextsBehind) {
  const std::string text =
      "7767517\n1 0\na a 0 0 k=" + std::string(1 << 20, 'x') + " k=1\n";
  const auto model = parseModel(text);
  ASSERT_FALSE(model);
  EXPECT_FALSE(model.error().hasRange());
  EXPECT_EQ(model.error().message(), "line 3 of m: 'k' is given twice");
}
