//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Quote.h"
#include "kexpr/Error.h"
#include "kexpr/Tensor.h"

#include <gtest/gtest.h>

#include <vector>

using namespace kexpr;

static std::string render(std::string source, std::size_t begin,
                          std::size_t end) {
  return Error(ErrorCode::InvalidSyntax, "no", std::move(source), {begin, end})
      .render();
}

TEST(Error, RendersACaretUnderTheRange) {
  EXPECT_EQ(render("mul(ad(@0,@1),@2)", 4, 6), "error: no\n"
                                               "  mul(ad(@0,@1),@2)\n"
                                               "      ^~");
  EXPECT_EQ(render("add(", 4, 4), "error: no\n"
                                  "  add(\n"
                                  "      ^");
  EXPECT_EQ(render("", 0, 0), "error: no\n  \n  ^");
}

TEST(Error, WithoutAPlaceIsOneLine) {
  EXPECT_EQ(Error(ErrorCode::Io, "no file").render(), "error: no file");
}

TEST(Error, ShowsTheLineTheFaultIsOn) {
  EXPECT_EQ(render("add(@0,\n  x y,\n@1)", 12, 13), "error: no\n"
                                                    "    x y,\n"
                                                    "      ^");
}

TEST(Error, RangesAreKeptToTheLine) {
  EXPECT_EQ(render("add(@0,\n@1)", 4, 100), "error: no\n"
                                            "  add(@0,\n"
                                            "      ^~~");
  EXPECT_EQ(render("add(@0)", 50, 60), "error: no\n"
                                       "  add(@0)\n"
                                       "         ^");
  EXPECT_EQ(render("add(@0)", 4, 0), "error: no\n"
                                     "  add(@0)\n"
                                     "      ^");
  EXPECT_EQ(render("a\r\nb", 3, 4), "error: no\n  b\n  ^");
}

TEST(Error, ControlCharactersAreShownAsBlanks) {
  EXPECT_EQ(render("a\t\x1b[2Jb", 3, 4), "error: no\n  a  [2Jb\n     ^");
}

TEST(Error, LongLinesAreCutAroundTheFault) {
  std::string text(500, 'a');
  text[300] = '#';
  const std::string rendered = render(text, 300, 301);
  const auto second = rendered.find('\n') + 1;
  const auto third = rendered.find('\n', second) + 1;
  const std::string line = rendered.substr(second, third - second - 1);
  EXPECT_LT(line.size(), 90u);
  EXPECT_EQ(line.substr(2, 3), "...");
  EXPECT_EQ(line.substr(line.size() - 3), "...");
  EXPECT_EQ(line[rendered.size() - third - 1], '#');
  EXPECT_LT(render(text, 10, 500).size(), 200u);
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape().elementCount(), 1);
  EXPECT_EQ(Shape({3, 224, 224}).elementCount(), 150528);
  EXPECT_EQ(Shape({0, 5}).elementCount(), 0);
  EXPECT_EQ(
      Shape({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}).elementCount(),
      0);
  EXPECT_EQ(Shape({2, -1}).elementCount(), -1);
  EXPECT_EQ(
      Shape({std::int64_t{1} << 40, std::int64_t{1} << 40}).elementCount(), -1);
  EXPECT_EQ(Shape({3, 1}).str(), "[3,1]");
  EXPECT_EQ(Shape().str(), "[]");
}

TEST(Shape, HasContiguousStrides) {
  EXPECT_EQ(contiguousStrides({7}), Shape({1}));
  EXPECT_EQ(contiguousStrides({2, 3, 4}), Shape({12, 4, 1}));
  EXPECT_EQ(contiguousStrides({}), Shape());
  const std::vector<std::int64_t> many(20, 1);
  EXPECT_FALSE(Shape(many.data(), many.size()).valid());
}

TEST(DType, NamesAreThoseOfPnnx) {
  const struct {
    DType type;
    std::string_view name;
    std::size_t size;
  } types[] = {
      {DType::F32, "f32", 4},   {DType::F64, "f64", 8}, {DType::F16, "f16", 2},
      {DType::BF16, "bf16", 2}, {DType::I64, "i64", 8}, {DType::I32, "i32", 4},
      {DType::I16, "i16", 2},   {DType::I8, "i8", 1},   {DType::U8, "u8", 1},
      {DType::Bool, "bool", 1}, {DType::U16, "u16", 2}, {DType::U32, "u32", 4},
      {DType::U64, "u64", 8},
  };
  for (const auto &expected : types) {
    auto type = parseDType(expected.name);
    ASSERT_TRUE(type);
    EXPECT_EQ(*type, expected.type);
    EXPECT_EQ(nameOf(*type), expected.name);
    EXPECT_EQ(sizeOf(*type), expected.size);
  }
}

TEST(DType, WhatIsNoTypeIsSaidSo) {
  EXPECT_EQ(sizeOf(DType{0}), 0u);
  EXPECT_EQ(nameOf(DType{200}), "?");
  auto bad = parseDType("f31");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message().substr(0, 32),
            "unknown element type 'f31'; the ");
}

TEST(Quote, CutsLongWords) {
  EXPECT_EQ(quote("add"), "'add'");
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(quote(std::string(48, 'a')), "'" + std::string(48, 'a') + "'");
  EXPECT_EQ(quote(std::string(49, 'a')), "'" + std::string(48, 'a') + "...'");
}
