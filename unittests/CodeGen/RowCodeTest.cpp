//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loops that take rows whole: the same bits over rows and along them, of every
/// width and level, in the memory of their rows alone, and code for every
/// processor.
///
//===----------------------------------------------------------------------===//
#include "Code/Features.h"
#include "CodeGen/CompiledLoop.h"
#include "CodeGen/GuardedFloats.h"
#include "Semantics/Sweeps.h"
#include "Semantics/WholeRows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

namespace kexpr::test::row_code {
namespace {
using semantics::AccessPattern;
using semantics::Graph;
using semantics::SweepTarget;

constexpr const char *Results[] = {"sum(@0,-1)", "amax(@0,-1)", "var(@0,-1)"};

bool isResult(std::string_view text) {
  return std::ranges::count(Results, text) > 0;
}

/// The loop of an expression over @0, rows or columns, and @1, a row of all;
/// its outputs are the same, but for results.
semantics::Plan planOf(std::string_view text, unsigned length, bool isAlongRows,
                       AccessPattern rows = AccessPattern::Rows,
                       bool isInParts = false) {
  const auto output = isResult(text) ? AccessPattern::Contiguous : rows;
  const semantics::Plan whole = planFor(text);
  const auto sweeps = semantics::sweepsOf(whole, true);
  std::vector<semantics::RowTensor> tensors;
  std::map<std::pair<SweepTarget::Kind, std::uint32_t>, std::uint32_t> numbers;
  const auto numberOf = [&](SweepTarget::Kind kind, std::uint32_t index,
                            std::optional<AccessPattern> pattern) {
    const auto [at, isNew] = numbers.try_emplace(
        {kind, index}, static_cast<std::uint32_t>(tensors.size()));
    if (isNew)
      tensors.push_back({pattern});
    return at->second;
  };
  // Operands have no kind: they have that of scans, of which there are none.
  std::vector<std::vector<std::uint32_t>> slots;
  for (const semantics::Sweep &sweep : sweeps) {
    auto &own = slots.emplace_back();
    for (const SweepTarget &target : sweep.targets)
      own.push_back(target.kind == SweepTarget::Kind::Stored
                        ? numberOf(target.kind, target.index, output)
                        : numberOf(SweepTarget::Kind::Kept, target.index, {}));
    for (const std::uint32_t input : sweep.plan.graph.inputs)
      own.push_back(
          input >= Graph::FirstValue
              ? numberOf(SweepTarget::Kind::Kept, input - Graph::FirstValue, {})
              : numberOf(SweepTarget::Kind::Scanned, input,
                         input == 0 ? rows : AccessPattern::Row));
  }
  std::vector<semantics::RowSweep> all;
  for (std::size_t i = 0; i < sweeps.size(); ++i)
    all.push_back({sweeps[i].plan, slots[i]});
  return semantics::wholeRows(tensors, all, {length, isAlongRows, isInParts})
      .plan;
}

constexpr const char *Texts[] = {"softmax(@0,-1)", "log_softmax(@0,-1)",
                                 "layer_norm(@0,-1,@1,@1)",
                                 "add(log(@0),amax(sin(@0),-1,True))"};

/// Code for few registers on a machine that has more, and would take AVX-512.
std::optional<codegen::Target> targetOfAvx2() {
  if (code::ownArchitecture() != code::X86 ||
      !code::missingHere(std::array{std::string("avx512vl")}).empty())
    return std::nullopt;
  return *codegen::makeTarget(
      {.triple = {}, .cpu = "haswell", .features = {}, .vectorBits = 0});
}

/// NaN has no sign.
std::uint32_t bitsOf(float value) {
  return std::bit_cast<std::uint32_t>(std::isnan(value) ? NAN : value);
}

TEST(RowCode, StaysInItsRows) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 3);
  std::vector<const char *> texts(std::begin(Texts), std::end(Texts));
  texts.insert(texts.end(), std::begin(Results), std::end(Results));
  const auto ofAvx2 = targetOfAvx2();
  for (const char *text : texts)
    for (const unsigned length : {2, 7, 12, 16, 17, 33, 48})
      for (const std::int64_t rows : {1, 2, 3, 5, 16, 21, 40}) {
        SCOPED_TRACE(std::string(text) + ", " + std::to_string(rows) +
                     " rows of " + std::to_string(length));
        const auto count = static_cast<std::size_t>(rows) * length;
        std::vector<float> values(count), first;
        for (float &value : values) {
          value = normal(random);
          if (random() % 16 == 0) // Rare for a logarithm.
            value *= 1e-40f;
        }
        const auto run = [&](const codegen::Target &target,
                             codegen::OptLevel level, bool isAlongRows,
                             GuardedFloats::Edge edge, bool isInPlace,
                             bool areColumns = false) {
          static std::map<std::string, std::unique_ptr<CompiledLoop>> loops;
          const semantics::Plan plan =
              planOf(text, length, isAlongRows,
                     areColumns ? AccessPattern::Columns : AccessPattern::Rows);
          auto &loop = loops[plan.key() + target.cpu +
                             std::to_string(target.vectorBits) +
                             std::to_string(static_cast<int>(level))];
          if (!loop)
            loop = std::make_unique<CompiledLoop>(plan, target, level);
          ASSERT_TRUE(*loop);
          const std::size_t made = isResult(text) ? rows : count;
          GuardedFloats x(count, edge), out(made, edge), row(length, edge);
          // The place of an element of the rows, of results as they are.
          const auto placeOf = [&](std::size_t i) {
            return areColumns ? i % length * rows + i / length : i;
          };
          for (std::size_t i = 0; i < count; ++i)
            x.data()[placeOf(i)] = values[i];
          std::copy_n(values.begin(), length, row.data());
          float *to = isInPlace ? x.data() : out.data();
          std::vector<const void *> pointers = {to, x.data()};
          if (plan.inputs.size() > 1)
            pointers.push_back(row.data());
          loop->run(rows, pointers, {4 * rows, 4 * rows, 0});
          std::vector<float> results;
          for (std::size_t i = 0; i < made; ++i)
            results.push_back(to[made == count ? placeOf(i) : i]);
          if (first.empty())
            first = results;
          for (std::size_t i = 0; i < made; ++i)
            ASSERT_EQ(bitsOf(results[i]), bitsOf(first[i]))
                << i << " of rows "
                << (areColumns    ? "in columns"
                    : isAlongRows ? "along"
                                  : "in lanes")
                << (isInPlace ? ", in place" : "");
        };
        forEachTier(
            [&](const codegen::Target &target, codegen::OptLevel level) {
              // Also of rows that are whole steps.
              const auto edge = rows % 3 == 1 ? GuardedFloats::Edge::End
                                              : GuardedFloats::Edge::Begin;
              for (const bool isInPlace : {false, true})
                if (!isInPlace || !isResult(text)) {
                  run(target, level, true, edge, isInPlace);
                  if (rows % 2 == 1 && length % 4 != 0) // With tails.
                    run(target, level, false, edge, isInPlace, true);
                }
              if (length <= 16)
                run(target, level, false, edge,
                    rows % 3 == 0 && !isResult(text));
            });
        for (const bool areColumns : {false, true})
          if (ofAvx2)
            run(*ofAvx2, codegen::OptLevel::Optimized, !areColumns,
                GuardedFloats::Edge::End, !isResult(text), areColumns);
      }
}

TEST(RowCode, TakesPartsInItsRows) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal(0, 3);
  for (const char *text :
       {"softmax(@0,-1)", "layer_norm(@0,-1,@1,@1)", "rms_norm(@0,-1,@1)",
        "sub(@0,amax(@0,-1,True))", "sum(@0,-1)", "var(@0,-1)"})
    for (const unsigned length : {33, 100, 128, 2050, 4200})
      for (const std::int64_t rows : {1, 2, 5}) {
        SCOPED_TRACE(std::string(text) + ", " + std::to_string(rows) +
                     " rows of " + std::to_string(length));
        const auto count = static_cast<std::size_t>(rows) * length,
                   made = text[0] == 'v' || text[2] == 'm'
                              ? static_cast<std::size_t>(rows)
                              : count;
        std::vector<float> values(count), first;
        std::ranges::generate(values, [&] { return normal(random); });
        const auto run = [&](const semantics::Plan &plan,
                             const codegen::Target &target,
                             codegen::OptLevel level, GuardedFloats::Edge edge,
                             bool isInPlace) {
          const CompiledLoop loop(plan, target, level);
          ASSERT_TRUE(loop);
          GuardedFloats x(count, edge), out(made, edge), row(length, edge);
          std::ranges::copy(values, x.data());
          std::copy_n(values.begin(), length, row.data());
          float *to = isInPlace ? x.data() : out.data();
          std::vector<const void *> pointers = {to, x.data()};
          if (plan.inputs.size() > 1)
            pointers.push_back(row.data());
          loop.run(rows, pointers, {4, 4, 0});
          if (first.empty())
            first.assign(to, to + made);
          for (std::size_t i = 0; i < made; ++i)
            ASSERT_EQ(bitsOf(to[i]), bitsOf(first[i])) << i;
        };
        if (length <= 128)
          run(planOf(text, length, true), *codegen::makeTarget({}),
              codegen::OptLevel::Optimized, GuardedFloats::Edge::End, false);
        forEachTier(
            [&](const codegen::Target &target, codegen::OptLevel level) {
              semantics::Plan plan =
                  planOf(text, length, true, AccessPattern::Rows, true);
              for (const auto edge :
                   {GuardedFloats::Edge::Begin, GuardedFloats::Edge::End}) {
                run(plan, target, level, edge, made == count && rows == 2);
                // Rows begin no lines.
                plan.streams =
                    semantics::streamsAnywhere(plan, semantics::partsOf(plan));
              }
            });
      }
}

TEST(RowCode, IsMadeForEveryProcessor) {
  const auto expectCode = [](const char *triple, const char *cpu) {
    const auto target = codegen::makeTarget(
        {.triple = triple, .cpu = cpu, .features = {}, .vectorBits = 0});
    if (!target)
      return; // This LLVM has no code for it.
    for (const char *text : Texts)
      for (const unsigned length : {3, 8, 40}) {
        for (auto level :
             {codegen::OptLevel::Baseline, codegen::OptLevel::Optimized})
          EXPECT_TRUE(codegen::compile(planOf(text, length, length > 24),
                                       *target, level))
              << cpu << ", " << text << " of " << length;
        const auto ofColumns =
            planOf(text, length, false, AccessPattern::Columns);
        EXPECT_TRUE(
            codegen::compile(ofColumns, *target, codegen::OptLevel::Optimized))
            << cpu << ", " << text << " of columns of " << length;
        const auto inParts =
            planOf(text, 50 * length, true, AccessPattern::Rows, true);
        if (!semantics::mayTakeParts(inParts))
          continue;
        EXPECT_TRUE(
            codegen::compile(inParts, *target, codegen::OptLevel::Optimized))
            << cpu << ", " << text << " in parts of " << 50 * length;
      }
  };
  for (const char *cpu : {"haswell", "znver3", "skylake-avx512", "znver4"})
    expectCode("x86_64-linux-gnu", cpu);
  for (const char *cpu : {"neoverse-n1", "neoverse-v1", "a64fx"})
    expectCode("aarch64-linux-gnu", cpu);
}

TEST(RowCode, FetchesRowsWhereAProcessorDoesNot) {
  const semantics::Plan plan = planOf("sub(@0,amax(@0,-1,True))", 32, true);
  for (const auto &[cpu, bytes] :
       {std::pair{"haswell", 4096u}, {"znver3", 1536u}, {"znver4", 0u}}) {
    const auto target = codegen::makeTarget(
        {.triple = "x86_64-linux-gnu", .cpu = cpu, .features = {}});
    ASSERT_TRUE(target);
    const std::string ir = *codegen::dump(
        plan, *target, codegen::OptLevel::Optimized, codegen::Stage::Llvm);
    const auto at = ir.find("%x0.ahead");
    ASSERT_EQ(at == std::string::npos, bytes == 0) << cpu;
    if (bytes == 0)
      continue;
    const std::string line = ir.substr(at, ir.find('\n', at) - at);
    EXPECT_TRUE(line.ends_with(" i64 " + std::to_string(bytes)))
        << cpu << ": " << line;
  }
}

TEST(RowCode, TakesSeveralRowsAtOnce) {
  const auto stepOf = [](const char *cpu, const char *text, unsigned length) {
    const auto target = codegen::makeTarget(
        {.triple = "x86_64-linux-gnu", .cpu = cpu, .features = {}});
    const std::string ir =
        *codegen::dump(planOf(text, length, true), *target,
                       codegen::OptLevel::Optimized, codegen::Stage::Llvm);
    const std::string_view next = "%i.next = add nuw i64 %i, ";
    return std::stoi(ir.substr(ir.find(next) + next.size()));
  };
  for (const char *cpu : {"haswell", "znver3"}) {
    EXPECT_EQ(stepOf(cpu, "amax(@0,-1)", 12), 8) << cpu;
    EXPECT_EQ(stepOf(cpu, "amax(@0,-1)", 100), 4) << cpu;
    EXPECT_EQ(stepOf(cpu, "softmax(@0,-1)", 20), 8) << cpu;
    EXPECT_EQ(stepOf(cpu, "softmax(@0,-1)", 32), 1) << cpu;
  }
  // Beside more registers, what is not stored and what takes little.
  EXPECT_EQ(stepOf("znver4", "amax(@0,-1)", 12), 8);
  EXPECT_EQ(stepOf("znver4", "sum(@0,-1)", 40), 4);
  EXPECT_EQ(stepOf("znver4", "amax(@0,-1)", 64), 4);
  EXPECT_EQ(stepOf("znver4", "amax(@0,-1)", 100), 1);
  EXPECT_EQ(stepOf("znver4", "sub(@0,mean(@0,-1,True))", 20), 8);
  EXPECT_EQ(stepOf("znver4", "sub(@0,mean(@0,-1,True))", 40), 1);
  EXPECT_EQ(stepOf("znver4", "softmax(@0,-1)", 20), 8);
  EXPECT_EQ(stepOf("znver4", "softmax(@0,-1)", 32), 1);
  EXPECT_EQ(stepOf("znver4", "normalize(@0,2,-1)", 16), 8);
  EXPECT_EQ(stepOf("znver4", "normalize(@0,2,-1)", 17), 1);
}

TEST(RowCode, MasksTheLastOfSeveralRows) {
  const auto target = codegen::makeTarget(
      {.triple = "x86_64-linux-gnu", .cpu = "haswell", .features = {}});
  const std::string ir =
      *codegen::dump(planOf("sub(@0,amax(@0,-1,True))", 12, true), *target,
                     codegen::OptLevel::Optimized, codegen::Stage::Llvm);
  for (const std::string_view call :
       {" call <8 x float> @llvm.masked.load", " call void @llvm.masked.store"})
    for (const std::string_view block : {"vector.loop:", "rows.left:"}) {
      const std::string part = ir.substr(ir.find(block));
      const auto body = part.substr(0, part.find("br i1"));
      EXPECT_EQ(body.find(call), body.rfind(call)) << block << call;
      EXPECT_NE(body.find(call), std::string::npos) << block << call;
    }
}

TEST(RowCode, FindsNothingRareBehindRows) {
  for (const char *cpu : {"haswell", "znver4"}) {
    const auto target = codegen::makeTarget(
        {.triple = "x86_64-linux-gnu", .cpu = cpu, .features = {}});
    std::istringstream ir(*codegen::dump(
        planOf("sub(log(@0),amax(@0,-1,True))", 13, true), *target,
        codegen::OptLevel::Optimized, codegen::Stage::Llvm));
    bool leavesOut = false;
    for (std::string line; std::getline(ir, line);)
      leavesOut |= line.find(" = and <") != std::string::npos &&
                   line.find("i1 true, i1 false") != std::string::npos;
    EXPECT_TRUE(leavesOut) << cpu;
  }
}

} // namespace
} // namespace kexpr::test::row_code
