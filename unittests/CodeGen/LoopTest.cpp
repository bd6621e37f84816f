//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Access patterns of generated loops.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"
#include "CodeGen/GuardedFloats.h"
#include "Semantics/Interpreter.h"
#include "TestUtil/Floats.h"

#include <cmath>
#include <cstring>

using namespace kexpr;
using namespace kexpr::test;
using semantics::AccessPattern;
using Edge = GuardedFloats::Edge;

namespace {

/// Lengths around every place where a loop ends or changes its way.
std::vector<std::int64_t> lengthsFor(const codegen::Target &target) {
  const std::int64_t lanes = target.vectorBits / 32;
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 0; n <= 2 * lanes + 1; ++n)
    lengths.push_back(n);
  for (std::int64_t steps : {4, 8})
    for (std::int64_t n : {-lanes - 1, -1l, 0l, 1l, lanes, lanes + 1})
      lengths.push_back(steps * lanes + n);
  return lengths;
}

/// Numbers that tell every element from every other.
float sample(std::int64_t i) { return 0.25f * static_cast<float>(i) - 9; }

} // namespace

TEST(Loop, StaysBetweenGuardPagesAtEveryLength) {
  const auto plan = planFor("add(mul(@0,@1),@2)");
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(plan, target, level);
    ASSERT_TRUE(loop);
    for (Edge edge : {Edge::Begin, Edge::End})
      for (std::int64_t n : lengthsFor(target)) {
        GuardedFloats a(n, edge), b(n, edge), c(n, edge), out(n, edge);
        for (std::int64_t i = 0; i < n; ++i)
          a[i] = sample(i), b[i] = sample(i + 5), c[i] = sample(3 * i);
        loop.run(n, {out.data(), a.data(), b.data(), c.data()});
        for (std::int64_t i = 0; i < n; ++i)
          ASSERT_EQ(out[i], a[i] * b[i] + c[i]) << i << " of " << n;
      }
  });
}

TEST(Loop, WritesNothingPastTheEnd) {
  const auto plan = planFor("neg(@0)");
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(plan, target, level);
    ASSERT_TRUE(loop);
    for (std::int64_t n : lengthsFor(target)) {
      std::vector<float> in(n + 64, 1), out(n + 64, 7);
      loop.run(n, {out.data(), in.data()});
      for (std::int64_t i = 0; i < n + 64; ++i)
        ASSERT_EQ(out[i], i < n ? -1 : 7) << i << " of " << n;
    }
  });
}

TEST(Loop, TakesMemoryOfAnyAlignment) {
  const auto plan = planFor("mul(@0,@1)");
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(plan, target, level);
    ASSERT_TRUE(loop);
    const std::int64_t n = 77;
    std::vector<char> in(4 * n + 64), out(4 * n + 64);
    for (int shift : {0, 1, 2, 3, 4, 17, 31}) {
      for (std::int64_t i = 0; i < n; ++i) {
        const float x = sample(i);
        std::memcpy(&in[shift + 4 * i], &x, 4);
      }
      loop.run(n, {&out[32 - shift], &in[shift], &in[shift]});
      for (std::int64_t i = 0; i < n; ++i) {
        float x;
        std::memcpy(&x, &out[32 - shift + 4 * i], 4);
        ASSERT_EQ(x, sample(i) * sample(i));
      }
    }
  });
}

TEST(Loop, OutputsMayBeInputs) {
  const auto plan = planFor("[sub(@0,@1),add(@0,@1)]");
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(plan, target, level);
    ASSERT_TRUE(loop);
    for (std::int64_t n : lengthsFor(target)) {
      std::vector<float> a(n), b(n);
      for (std::int64_t i = 0; i < n; ++i)
        a[i] = sample(i), b[i] = sample(2 * i);
      // Crosswise: what is first stored is over what is needed second.
      loop.run(n, {b.data(), a.data(), a.data(), b.data()});
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(b[i], sample(i) - sample(2 * i));
        ASSERT_EQ(a[i], sample(i) + sample(2 * i));
      }
    }
  });
}

TEST(Loop, WalksConstantAndStridedOperands) {
  const auto plan =
      planFor("add(mul(@0,@1),@2)",
              {AccessPattern::Contiguous, AccessPattern::Strided,
               AccessPattern::Constant, AccessPattern::Contiguous});
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(plan, target, level);
    ASSERT_TRUE(loop);
    for (std::int64_t n : lengthsFor(target))
      for (std::int64_t step : {0, 1, 3}) {
        const std::int64_t held = n == 0 ? 0 : (n - 1) * step + 1;
        GuardedFloats a(held, Edge::End), b(1, Edge::End), c(n, Edge::End),
            out(n, Edge::End);
        for (std::int64_t i = 0; i < held; ++i)
          a[i] = sample(i);
        b[0] = 3;
        for (std::int64_t i = 0; i < n; ++i)
          c[i] = sample(7 * i);
        loop.run(n, {out.data(), a.data(), b.data(), c.data()},
                 {0, 4 * step, 0, 0});
        for (std::int64_t i = 0; i < n; ++i)
          ASSERT_EQ(out[i], a[i * step] * 3 + c[i]) << i << " of " << n;
      }
  });
}

TEST(Loop, StridedOutputsLeaveGapsAlone) {
  const auto plan = planFor(
      "[neg(@0),abs(@1)]", {AccessPattern::Strided, AccessPattern::Strided,
                            AccessPattern::Strided, AccessPattern::Contiguous});
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(plan, target, level);
    ASSERT_TRUE(loop);
    for (std::int64_t n : lengthsFor(target)) {
      const std::int64_t held = n == 0 ? 0 : 2 * n - 1;
      GuardedFloats a(held, Edge::End), b(n, Edge::End), out(held, Edge::End);
      for (std::int64_t i = 0; i < held; ++i)
        a[i] = sample(i), out[i] = 7;
      for (std::int64_t i = 0; i < n; ++i)
        b[i] = sample(i);
      loop.run(n, {a.data(), out.data(), a.data(), b.data()}, {8, 8, 8, 0});
      for (std::int64_t i = 0; i < held; ++i) {
        ASSERT_EQ(a[i], i % 2 ? sample(i) : -sample(i)) << i << " of " << n;
        ASSERT_EQ(out[i], i % 2 ? 7 : std::fabs(sample(i / 2))) << i;
      }
    }
  });
}

TEST(Loop, GivesTheSameBitsForRareElementsAnywhere) {
  // sin, cos and fmod each have a slow way; 1e30 takes all three.
  const auto plan = planFor("[add(sin(@0),mul(cos(@0),@1)),fmod(@0,@1)]");
  const semantics::Interpreter oracle(plan);
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(plan, target, level);
    ASSERT_TRUE(loop);
    for (std::int64_t n : lengthsFor(target))
      for (std::int64_t rare = 0; rare < n; rare += n < 20 ? 1 : 11) {
        GuardedFloats a(n, Edge::End), b(n, Edge::End), sum(n, Edge::End);
        std::vector<float> expected(n), rest(n);
        for (std::int64_t i = 0; i < n; ++i)
          a[i] = i == rare ? 1e30f : sample(i), b[i] = 1.5f;
        void *pointers[] = {expected.data(), rest.data(), a.data(), b.data()};
        oracle.run(n, pointers, nullptr);
        // In place, so that nothing may be stored before it is known good.
        loop.run(n, {sum.data(), a.data(), a.data(), b.data()});
        for (std::int64_t i = 0; i < n; ++i) {
          ASSERT_TRUE(sameFloat(sum[i], expected[i])) << i << " of " << n;
          ASSERT_TRUE(sameFloat(a[i], rest[i])) << i << " of " << n;
        }
      }
  });
}

TEST(Loop, ComputesLiteralsAndCopies) {
  const auto plan = planFor("[@0,2.5,div(@0,3)]");
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(plan, target, level);
    ASSERT_TRUE(loop);
    std::vector<float> in(100), copy(100), literal(100), third(100);
    for (int i = 0; i < 100; ++i)
      in[i] = sample(i);
    loop.run(100, {copy.data(), literal.data(), third.data(), in.data()});
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(copy[i], in[i]);
      ASSERT_EQ(literal[i], 2.5f);
      ASSERT_EQ(third[i], in[i] / 3);
    }
  });
}
