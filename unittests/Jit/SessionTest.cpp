//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Session.h"
#include "CodeGen/CodeGen.h"
#include "Semantics/Check.h"

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

/// f(x) for a kernel of one operand.
float callWith(const Code &code, float x) {
  float result = -1;
  void *pointers[] = {&result, &x};
  reinterpret_cast<semantics::LoopFn>(code.address())(1, pointers, nullptr);
  return result;
}

/// Address space of this process, in bytes.
std::size_t addressSpace() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

void expectLinkError(Session &session, std::vector<char> bytes,
                     const std::string &symbol) {
  auto code = session.link(std::move(bytes), symbol);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code(), ErrorCode::CompileFailed);
  EXPECT_EQ(code.error().message().rfind("linking failed: ", 0), 0u)
      << code.error().message();
}

} // namespace

TEST(Session, LinksAndRuns) {
  auto session = *Session::create();
  const auto object = objectFor("add(add(@0,@0),@0)");
  auto code = session->link(object.bytes, object.symbol);
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ(callWith(**code, 5), 15);
  EXPECT_GT((*code)->size(), 0u);
}

TEST(Session, EqualSymbolsDoNotMeet) {
  auto session = *Session::create();
  const auto twice = objectFor("add(@0,@0)"), next = objectFor("square(@0)");
  ASSERT_EQ(twice.symbol, next.symbol);
  auto first = *session->link(twice.bytes, twice.symbol);
  auto second = *session->link(next.bytes, next.symbol);
  auto third = *session->link(twice.bytes, twice.symbol);
  EXPECT_EQ(callWith(*first, 7), 14);
  EXPECT_EQ(callWith(*second, 7), 49);
  first.reset();
  EXPECT_EQ(callWith(*second, 7), 49);
  EXPECT_EQ(callWith(*third, 7), 14);
}

TEST(Session, CodeOutlivesIt) {
  auto session = *Session::create();
  const auto object = objectFor("sin(@0)");
  auto code = *session->link(object.bytes, object.symbol);
  session.reset();
  EXPECT_EQ(callWith(*code, 0), 0);
  // The constants and the slow way of a kernel live as long.
  EXPECT_NEAR(callWith(*code, 1e30f), -0.7909, 1e-3);
}

TEST(Session, ReturnsMemory) {
  auto session = *Session::create();
  const auto object = objectFor("tanh(@0)");
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(session->link(object.bytes, object.symbol));
  const std::size_t before = addressSpace();
  // More than a stretch of memory holds, were any of it kept.
  for (int i = 0; i < 3000; ++i) {
    auto code = session->link(object.bytes, object.symbol);
    ASSERT_TRUE(code);
    ASSERT_EQ(callWith(**code, 0), 0);
  }
  EXPECT_LE(addressSpace(), before + (8 << 20));
}

TEST(Session, HoldsManyKernels) {
  auto session = *Session::create();
  std::vector<std::shared_ptr<Code>> codes;
  const auto object = objectFor("neg(@0)");
  for (int i = 0; i < 2000; ++i)
    codes.push_back(*session->link(object.bytes, object.symbol));
  std::shuffle(codes.begin(), codes.end(), std::mt19937(1));
  while (!codes.empty()) {
    ASSERT_EQ(callWith(*codes.back(), 2), -2);
    codes.pop_back();
  }
}

TEST(Session, LinksFromManyThreads) {
  auto session = *Session::create();
  const std::vector<codegen::ObjectCode> objects = {
      objectFor("square(@0)"), objectFor("floor(@0)"), objectFor("neg(@0)")};
  const float expected[] = {4, 2, -2};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::shared_ptr<Code> kept;
      for (std::size_t i = 0; i < 150; ++i) {
        const std::size_t which = (i + t) % objects.size();
        auto code = session->link(objects[which].bytes, objects[which].symbol);
        ASSERT_TRUE(code) << code.error().message();
        EXPECT_EQ(callWith(**code, 2), expected[which]);
        if (i % 3 == 0)
          kept = *code;
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
  auto code = session->link(object.bytes, object.symbol);
  ASSERT_TRUE(code);
  EXPECT_EQ(callWith(**code, 0), 1);
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
