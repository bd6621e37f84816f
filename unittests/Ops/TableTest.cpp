//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ops/Table.h"

#include "Ops/Operators.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

using namespace kexpr;

namespace {

TEST(Table, FindsEveryOperatorByNameAndAlias) {
  for (ops::OpId id = 0; id < ops::table().size(); ++id) {
    const ops::OpInfo &info = ops::table()[id].info;
    EXPECT_EQ(ops::find(info.name), id) << info.name;
    for (std::string_view alias : info.aliases)
      if (!alias.empty()) {
        EXPECT_EQ(ops::find(alias), id) << alias;
      }
  }
}

TEST(Table, HasEverySpellingOnce) {
  std::set<std::string_view> seen;
  for (const ops::OpEntry &entry : ops::table()) {
    EXPECT_TRUE(seen.insert(entry.info.name).second) << entry.info.name;
    for (std::string_view alias : entry.info.aliases)
      if (!alias.empty()) {
        EXPECT_TRUE(seen.insert(alias).second) << alias;
      }
  }
}

TEST(Table, FindsNothingElse) {
  for (const char *name : {"", "a", "ad", "adds", "Add", "ADD", "add ", "@0",
                           "zzz", "size", "int"})
    EXPECT_EQ(ops::find(name), std::nullopt) << name;
}

TEST(Table, HasEveryNameThatPnnxWrites) {
  for (const char *name :
       {"abs",    "acos",      "acosh",        "asin",       "asinh",
        "atan",   "atanh",     "ceil",         "cos",        "cosh",
        "erf",    "exp",       "expm1",        "floor",      "log",
        "log10",  "log1p",     "neg",          "reciprocal", "round",
        "rsqrt",  "sign",      "sin",          "sinh",       "sqrt",
        "square", "tan",       "tanh",         "trunc",      "add",
        "atan2",  "div",       "floor_divide", "fmod",       "logaddexp",
        "max",    "maximum",   "min",          "minimum",    "mul",
        "pow",    "remainder", "sub",          "and",        "or",
        "xor",    "lshift",    "rshift"}) {
    auto id = ops::find(name);
    ASSERT_TRUE(id) << name;
    EXPECT_TRUE(ops::table()[*id].info.pnnx) << name;
  }
}

TEST(Table, SuggestsTheClosestName) {
  EXPECT_EQ(ops::closest("ad"), "add");
  EXPECT_EQ(ops::closest("mull"), "mul");
  EXPECT_EQ(ops::closest("muls"), "mul");
  EXPECT_EQ(ops::closest("sqtr"), "sqrt");
  EXPECT_EQ(ops::closest("floordivide"), "floor_divide");
  EXPECT_EQ(ops::closest("reciproca"), "reciprocal");
}

TEST(Table, SuggestsNothingFarOff) {
  EXPECT_EQ(ops::closest(""), "");
  EXPECT_EQ(ops::closest("convolution"), "");
  EXPECT_EQ(ops::closest("zzzzz"), "");
  EXPECT_EQ(ops::closest(std::string(100000, 'a')), "");
}

TEST(Table, KnowsArities) {
  EXPECT_EQ(ops::arityOfName("neg"), 1u);
  EXPECT_EQ(ops::arityOfName("add"), 2u);
  EXPECT_EQ(ops::arityOfName("max"), 2u);
  EXPECT_EQ(ops::arityOfName("addd"), 0u);
  for (const ops::OpEntry &entry : ops::table()) {
    EXPECT_GE(entry.arity, 1u) << entry.info.name;
    EXPECT_LE(entry.arity, ops::MaxArity) << entry.info.name;
  }
}

TEST(Table, IsComplete) {
  ASSERT_EQ(ops::table().size(), ops::Operators::size);
  const auto all = ops::allOperators();
  ASSERT_EQ(all.size(), ops::AllOperators::size);
  ASSERT_EQ(ops::blocks(ops::Arithmetic::F32).size(), all.size());
  for (std::size_t id = 0; id < all.size(); ++id) {
    const ops::OpEntry &entry = all[id];
    EXPECT_FALSE(entry.info.doc.empty()) << entry.info.name;
    EXPECT_EQ(entry.reference != nullptr, entry.works(ops::Arithmetic::F32))
        << entry.info.name;
    for (std::size_t a = 0; a < ops::ArithmeticCount; ++a) {
      const auto arithmetic = static_cast<ops::Arithmetic>(a);
      EXPECT_EQ(ops::blocks(arithmetic)[id] != nullptr, entry.works(arithmetic))
          << entry.info.name;
    }
    EXPECT_LT(entry.info.domain.low, entry.info.domain.high) << entry.info.name;
  }
}

TEST(Table, HidesOperatorsThatOnlyLiteralFormsName) {
  for (std::size_t id = ops::table().size(); id < ops::AllOperators::size;
       ++id) {
    const std::string_view name = ops::allOperators()[id].info.name;
    EXPECT_EQ(ops::findAny(name), id);
    EXPECT_EQ(ops::find(name), std::nullopt) << name;
    EXPECT_NE(ops::closest(name), name);
    EXPECT_EQ(ops::arityOfName(name), 0u) << name;
  }
}

TEST(Table, CountsWork) {
  const auto f32 = ops::Arithmetic::F32;
  const ops::Work add = ops::table()[*ops::find("add")].workIn(f32);
  EXPECT_EQ(add.operations, 1u);
  EXPECT_EQ(add.latency, 4u);
  const ops::Work sin = ops::table()[*ops::find("sin")].workIn(f32);
  EXPECT_GT(sin.operations, 10 * add.operations);
}

TEST(Table, ReadsReferencesOverArrays) {
  const double arguments[] = {7, -2};
  EXPECT_EQ(ops::table()[*ops::find("sub")].reference(arguments), 9);
  EXPECT_EQ(ops::table()[*ops::find("gt")].reference(arguments), 1);
}

} // namespace
