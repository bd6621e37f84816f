//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Session.h"
#include "Code/CodeMemory.h"
#include "CodeGen/CodeGen.h"
#include "Semantics/Check.h"
#include "TestUtil/Process.h"
#include "TestUtil/Skips.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

using namespace kexpr;
using namespace kexpr::jit;

namespace {

codegen::ObjectCode objectFor(std::string_view text,
                              const codegen::Target &target) {
  semantics::Plan plan{.graph = *semantics::check(*Expression::parse(text), {}),
                       .inputs = {},
                       .outputs = {}};
  plan.setContiguous();
  return *codegen::compile(plan, target, codegen::OptLevel::Baseline);
}

codegen::ObjectCode objectFor(std::string_view text) {
  return objectFor(text, codegen::hostTarget());
}

/// f(x) for a kernel of one operand, wherever its image lies.
float callWith(const code::Image &image, float x) {
  float result = -1;
  void *pointers[] = {&result, &x};
  const auto code = *code::CodeMemory::ofProcess()->load(image);
  reinterpret_cast<semantics::LoopFn>(code->address())(1, pointers, nullptr);
  return result;
}

/// Bytes of this process that are in memory.
std::size_t residentBytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * 4096;
}

void expectLinkError(Session &session, std::vector<char> bytes,
                     const std::string &symbol) {
  auto image = session.link(std::move(bytes), symbol);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), ErrorCode::CompileFailed);
  EXPECT_EQ(image.error().message().rfind("linking failed: ", 0), 0u)
      << image.error().message();
}

} // namespace

TEST(Session, LinksImagesThatRun) {
  auto session = *Session::create();
  const auto object = objectFor("add(add(@0,@0),@0)");
  auto image = session->link(object.bytes, object.symbol);
  ASSERT_TRUE(image) << image.error().message();
  EXPECT_EQ(callWith(*image, 5), 15);
}

TEST(Session, EqualSymbolsDoNotMeet) {
  auto session = *Session::create();
  const auto twice = objectFor("add(@0,@0)"), next = objectFor("square(@0)");
  ASSERT_EQ(twice.symbol, next.symbol);
  const auto first = *session->link(twice.bytes, twice.symbol);
  const auto second = *session->link(next.bytes, next.symbol);
  EXPECT_EQ(callWith(first, 7), 14);
  EXPECT_EQ(callWith(second, 7), 49);
}

TEST(Session, ImagesOutliveIt) {
  auto session = *Session::create();
  const auto object = objectFor("sin(@0)");
  const auto image = *session->link(object.bytes, object.symbol);
  session.reset();
  EXPECT_EQ(callWith(image, 0), 0);
  // The constants and the slow way of a kernel are in it.
  EXPECT_NEAR(callWith(image, 1e30f), -0.7909, 1e-3);
}

TEST(Session, ImagesDoNotDependOnWhereTheyWereLinked) {
  auto session = *Session::create();
  for (const char *text :
       {"sin(@0)", "div(@0,3)", "mul(@0,sigmoid(@0))", "fmod(@0,7)"}) {
    const auto object = objectFor(text);
    const auto image = *session->link(object.bytes, object.symbol);
    // So that the next one cannot lie at the same place.
    const std::vector<char> hole(image.bytes.size());
    const auto again = *(*Session::create())->link(object.bytes, object.symbol);
    EXPECT_EQ(image.bytes, again.bytes) << text;
    EXPECT_EQ(image.entry, again.entry) << text;
    EXPECT_LT(image.entry, image.bytes.size());
  }
}

TEST(Session, KeepsNothing) {
  if (test::IsSanitized)
    GTEST_SKIP() << kexpr::test::skips::Sanitized;
  auto session = *Session::create();
  const auto object = objectFor("tanh(@0)");
  for (int i = 0; i < 200; ++i)
    ASSERT_TRUE(session->link(object.bytes, object.symbol));
  const std::size_t before = residentBytes();
  for (int i = 0; i < 3000; ++i)
    ASSERT_TRUE(session->link(object.bytes, object.symbol));
  EXPECT_LE(residentBytes(), before + (1 << 20));
}

TEST(Session, LinksFromManyThreads) {
  auto session = *Session::create();
  const std::vector<codegen::ObjectCode> objects = {
      objectFor("square(@0)"), objectFor("floor(@0)"), objectFor("neg(@0)")};
  const float expected[] = {4, 2, -2};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 150; ++i) {
        const std::size_t which = (i + t) % objects.size();
        auto image = session->link(objects[which].bytes, objects[which].symbol);
        ASSERT_TRUE(image) << image.error().message();
        EXPECT_EQ(callWith(*image, 2), expected[which]);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Session, RefusesBytesThatAreNoObject) {
  auto session = *Session::create();
  expectLinkError(*session, {}, "f");
  expectLinkError(*session, std::vector<char>(1000, 'x'), "f");
  std::mt19937 generator(3);
  std::vector<char> noise(4000);
  for (char &c : noise)
    c = static_cast<char>(generator());
  expectLinkError(*session, noise, "f");
  expectLinkError(*session, {'\x7f', 'E', 'L', 'F'}, "f");
}

TEST(Session, RefusesTruncatedObjects) {
  auto session = *Session::create();
  const auto object = objectFor("exp(@0)");
  // The table of sections stands at the end of what LLVM writes.
  for (std::size_t kept = 0; kept < object.bytes.size(); kept += 97)
    expectLinkError(*session,
                    {object.bytes.begin(), object.bytes.begin() + kept},
                    object.symbol);
  // No failure disturbs what comes after.
  auto image = session->link(object.bytes, object.symbol);
  ASSERT_TRUE(image);
  EXPECT_EQ(callWith(*image, 0), 1);
}

TEST(Session, RefusesMissingSymbols) {
  auto session = *Session::create();
  const auto object = objectFor("neg(@0)");
  expectLinkError(*session, object.bytes, "no_such_function");
}

TEST(Session, RefusesObjectsOfAnotherArchitecture) {
  auto session = *Session::create();
  const bool isX86 = codegen::hostTarget().triple.rfind("x86_64", 0) == 0;
  const auto other = *codegen::makeTarget(
      {.triple = isX86 ? "aarch64-linux-gnu" : "x86_64-pc-linux-gnu",
       .cpu = isX86 ? "neoverse-n1" : "znver3",
       .features = {},
       .vectorBits = 0});
  const auto object = objectFor("neg(@0)", other);
  expectLinkError(*session, object.bytes, object.symbol);
}
