//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loops whose outputs are states of reductions, as machine code of every width
/// and level that this machine runs, against the interpreter.
///
//===----------------------------------------------------------------------===//
#include "CodeGen/CompiledLoop.h"
#include "CodeGen/InnerLoop.h"
#include "CodeGen/LoopReport.h"
#include "Ops/Conversion.h"
#include "Semantics/Interpreter.h"
#include "Semantics/Sweeps.h"
#include "TestUtil/Floats.h"
#include "TestUtil/GuardedBytes.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <sstream>

namespace kexpr::test::reduced {
namespace {
using semantics::AccessPattern;

/// What an output is; "" where it is stored.
struct Result {
  const char *reduction;
  DType form;
};

struct Case {
  const char *name, *text;
  std::vector<DType> types; ///< Of operands.
  std::vector<Result> results;
  std::vector<AccessPattern> patterns; ///< Of inputs.
};

constexpr auto F32 = DType::F32, F64 = DType::F64, I64 = DType::I64,
               I32 = DType::I32, U8 = DType::U8, I8 = DType::I8;
constexpr auto Contiguous = AccessPattern::Contiguous,
               Constant = AccessPattern::Constant,
               Strided = AccessPattern::Strided;

/// The plan with each reduced output made an element of its reduction.
semantics::Plan planOf(const Case &each, AccessPattern states) {
  const semantics::Signature signature{each.types, {}};
  semantics::Plan plan{
      .graph = *semantics::check(*Expression::parse(each.text), signature),
      .inputs = {},
      .outputs = {}};
  semantics::Graph &graph = plan.graph;
  plan.setContiguous();
  for (std::size_t i = 0; i < each.patterns.size(); ++i)
    plan.inputs[i].pattern = each.patterns[i];
  for (std::size_t i = 0; i < each.results.size(); ++i) {
    const Result &result = each.results[i];
    if (!*result.reduction)
      continue;
    semantics::Reducing reducing{*ops::findReduction(result.reduction),
                                 result.form};
    const DType element = reducing.loops().element;
    EXPECT_GT(reducing.loops().parts, 0u) << result.reduction;
    if (graph.values[graph.outputs[i]].type != element) {
      semantics::Value convert{.kind = semantics::ValueKind::Convert,
                               .type = element};
      convert.args[0] = graph.outputs[i];
      graph.values.push_back(convert);
      graph.origins.push_back(0);
      graph.outputs[i] =
          static_cast<semantics::ValueId>(graph.values.size() - 1);
    }
    plan.outputs[i] = {element, states, reducing};
  }
  return plan;
}

bool isSame(DType type, const std::byte *a, const std::byte *b) {
  auto same = [&]<class T>(T) {
    T x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    return sameFloat(x, y);
  };
  return type == F64   ? same(0.0)
         : type == F32 ? same(0.0f)
                       : std::memcmp(a, b, sizeOf(type)) == 0;
}

/// Memory of an output between pages that fault, with what is in it before.
class Output {
public:
  Output(const semantics::Access &access, std::int64_t count)
      : access(access), room(roomOf(access, count)),
        parts(access.reducing ? access.reducing->loops().parts : 1),
        memory(room * parts * sizeOf(access.type), GuardedBytes::Edge::End) {
    std::memset(memory.data(), 0, bytes());
    if (!access.reducing)
      return;
    const ops::ReductionLoops &loops = access.reducing->loops();
    loops.reset(room, memory.data(), room, 0, 1);
    // What states hold shows whether they take part.
    std::vector<double> elements(room);
    for (std::size_t i = 0; i < room; ++i)
      put(elements, i, static_cast<int>(i % 7) - 2);
    loops.across(room, elements.data(), memory.data(), room);
  }

  void *data() { return memory.data(); }
  std::int64_t stride() const {
    return static_cast<std::int64_t>(room * sizeOf(access.type));
  }
  void expectLike(Output &other) {
    const std::size_t size = sizeOf(access.type);
    auto *a = static_cast<std::byte *>(data());
    auto *b = static_cast<std::byte *>(other.data());
    for (std::size_t i = 0; i < room * parts; ++i)
      ASSERT_TRUE(isSame(access.type, a + i * size, b + i * size))
          << "part " << i / room << " of " << i % room;
  }

private:
  static std::size_t roomOf(const semantics::Access &access,
                            std::int64_t count) {
    if (!access.reducing)
      return static_cast<std::size_t>(count);
    return access.pattern == Constant
               ? ops::ReductionLanes
               : static_cast<std::size_t>((count + 63) / 64 * 64);
  }
  std::size_t bytes() const { return room * parts * sizeOf(access.type); }
  void put(std::vector<double> &elements, std::size_t i, int x) const {
    auto *to = reinterpret_cast<char *>(elements.data());
    ops::visitType(access.type, [i, x, to]<DType D>() {
      const auto value = static_cast<ops::Element<D>>(x);
      std::memcpy(to + i * sizeof value, &value, sizeof value);
    });
  }

  semantics::Access access;
  std::size_t room, parts;
  GuardedBytes memory;
};

/// Elements of an operand, `step` apart, a few of them where formulas have a
/// slow way if it is `wild`.
std::vector<std::byte> elementsOf(DType type, std::int64_t count, int step,
                                  bool isWild, std::mt19937 &generator) {
  static const auto specials = specialFloats();
  std::vector<std::byte> bytes(sizeOf(type) *
                               static_cast<std::size_t>(count * step + 1));
  std::uniform_real_distribution<float> draw(-3, 3);
  for (std::int64_t i = 0; i < count * step + 1; ++i)
    ops::visitType(type, [&]<DType D>() {
      using T = ops::Element<D>;
      T x;
      if constexpr (std::is_floating_point_v<T>)
        x = isWild && generator() % 37 == 0
                ? static_cast<T>(specials[generator() % specials.size()])
                : static_cast<T>(draw(generator));
      else
        x = static_cast<T>(generator() * std::uint64_t{0x9e3779b97f4a7c15} >>
                           17);
      if constexpr (D == U8)
        x &= 1; // A truth value.
      std::memcpy(&bytes[static_cast<std::size_t>(i) * sizeof x], &x, sizeof x);
    });
  return bytes;
}

const Case Cases[] = {
    {"SumOfF32", "@0", {F32}, {{"sum", F32}}, {}},
    {"MeanOfStrided", "@0", {F32}, {{"mean", F32}}, {Strided}},
    {"SumOfF16", "@0", {DType::F16}, {{"sum", F32}}, {}},
    {"SumOfF64", "@0", {F64}, {{"sum", F64}}, {}},
    {"SumOfConstant", "@0", {F32}, {{"sum", F32}}, {Constant}},
    {"SumOfI64", "@0", {I64}, {{"sum", I64}}, {}},
    {"SumOfI8", "@0", {I8}, {{"sum", I64}}, {}},
    {"CountOfTruths", "gt(@0,0.5)", {F32}, {{"sum", I64}}, {}},
    {"ProdOfF32", "@0", {F32}, {{"prod", F32}}, {}},
    {"ProdOfF64", "@0", {F64}, {{"prod", F64}}, {}},
    {"ProdOfI64", "@0", {I64}, {{"prod", I64}}, {}},
    {"AmaxOfF32", "@0", {F32}, {{"amax", F32}}, {}},
    {"AminOfF64", "@0", {F64}, {{"amin", F64}}, {}},
    {"AmaxOfI8", "@0", {I8}, {{"amax", I8}}, {}},
    {"AminOfI32", "@0", {I32}, {{"amin", I32}}, {}},
    {"AmaxOfU8", "@0", {U8}, {{"amax", U8}}, {}},
    {"AnyOfBool", "@0", {DType::Bool}, {{"any", U8}}, {}},
    {"AllOfComparison", "lt(@0,2.9)", {F32}, {{"all", U8}}, {}},
    {"Dot", "mul(@0,@1)", {}, {{"sum", F32}}, {}},
    {"DotOfConstant", "mul(@0,@1)", {}, {{"sum", F32}}, {Contiguous, Constant}},
    {"SumOfExp", "exp(sub(@0,@1))", {}, {{"sum", F32}}, {Contiguous, Constant}},
    {"SumOfSin", "sin(mul(@0,3))", {}, {{"sum", F32}}, {Strided}},
    {"AmaxOfLog", "log(@0)", {}, {{"amax", F32}}, {}},
    {"SumOfPow", "pow(@0,@1)", {F64, F64}, {{"sum", F64}}, {}},
    {"Moments",
     "[sub(@0,@1),square(sub(@0,@1))]",
     {},
     {{"sum", F32}, {"sum", F32}},
     {Contiguous, Constant}},
    {"StoredToo",
     "[exp(@0),exp(@0),@0]",
     {},
     {{"sum", F32}, {"", F32}, {"amax", F32}},
     {}},
    {"StoredFirst", "[neg(@0),@0]", {}, {{"", F32}, {"amin", F32}}, {}},
    {"SumOfQuotients", "div(@0,3)", {}, {{"sum", F32}}, {}},
    {"AmaxOfQuotients", "div(@0,7)", {}, {{"amax", F32}}, {}},
    {"MeanOfSilu", "mul(@0,sigmoid(@0))", {}, {{"mean", F32}}, {}},
    {"LogStoredToo", "[log(@0),log(@0)]", {}, {{"", F32}, {"sum", F32}}, {}},
    {"QuotientsStoredToo",
     "[div(@0,3),div(@0,3)]",
     {},
     {{"", F32}, {"sum", F32}},
     {}},
    {"Everything",
     "[@0,@0,@0,@0,gt(@0,1)]",
     {},
     {{"sum", F32}, {"prod", F32}, {"amax", F32}, {"amin", F32}, {"any", U8}},
     {}},
};

class EveryReduction
    : public testing::TestWithParam<std::tuple<Case, AccessPattern>> {};

std::string nameOfCase(
    const testing::TestParamInfo<std::tuple<Case, AccessPattern>> &info) {
  return std::string(std::get<0>(info.param).name) +
         (std::get<1>(info.param) == Constant ? "InLanes" : "OfEach");
}

} // namespace

namespace {

/// Memory that a loop is run on, and the interpreter on the same.
struct Memory {
  std::vector<Output> outputs;
  std::vector<const void *> pointers;
};

class Runs {
public:
  Runs(const semantics::Plan &plan, std::int64_t count, bool isWild,
       unsigned seed)
      : plan(plan), count(count) {
    std::mt19937 generator(seed);
    for (const semantics::Access &access : plan.inputs)
      inputs.push_back(
          elementsOf(access.type, count, stepOf(access), isWild, generator));
    for (const semantics::Access &access : plan.outputs)
      strides.push_back(Output(access, count).stride());
    for (const semantics::Access &access : plan.inputs)
      strides.push_back(static_cast<std::int64_t>(sizeOf(access.type)) *
                        stepOf(access));
  }

  /// An output that is stored may be the first input.
  Memory make(bool isInPlace) const {
    Memory run;
    run.outputs.reserve(plan.outputs.size());
    for (const semantics::Access &access : plan.outputs)
      run.pointers.push_back(run.outputs.emplace_back(access, count).data());
    for (const auto &input : inputs)
      run.pointers.push_back(input.data());
    for (std::size_t i = 0; isInPlace && i < plan.outputs.size(); ++i)
      if (!plan.outputs[i].reducing) {
        std::memcpy(run.outputs[i].data(), inputs[0].data(),
                    static_cast<std::size_t>(count) * sizeof(float));
        run.pointers[plan.outputs.size()] = run.outputs[i].data();
        break;
      }
    return run;
  }

  std::vector<std::int64_t> strides;

private:
  static int stepOf(const semantics::Access &access) {
    return access.pattern == Strided ? 3 : 1;
  }

  const semantics::Plan &plan;
  std::int64_t count;
  std::vector<std::vector<std::byte>> inputs;
};

} // namespace

TEST_P(EveryReduction, AsMachineCodeGivesTheInterpretersStates) {
  const auto &[each, states] = GetParam();
  const semantics::Plan plan = planOf(each, states);
  const semantics::Interpreter oracle(plan);
  const std::vector<std::uint64_t> parameters = parametersOf(plan);
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(plan, target, level);
    ASSERT_TRUE(loop);
    for (std::int64_t count :
         {0, 1, 2, 31, 32, 33, 63, 64, 65, 100, 511, 777, 2047, 2048})
      for (unsigned kind = 0; kind < 4; ++kind) {
        SCOPED_TRACE(count);
        const Runs runs(plan, count, kind & 1, kind / 2);
        Memory got = runs.make(kind / 2), expected = runs.make(kind / 2);
        loop.run(count, got.pointers, runs.strides);
        for (const std::uint64_t &parameter : parameters)
          expected.pointers.push_back(&parameter);
        oracle.run(count, const_cast<void *const *>(expected.pointers.data()),
                   runs.strides.data());
        for (std::size_t i = 0; i < got.outputs.size(); ++i)
          got.outputs[i].expectLike(expected.outputs[i]);
        if (HasFailure())
          return;
      }
  });
}

INSTANTIATE_TEST_SUITE_P(Plans, EveryReduction,
                         testing::Combine(testing::ValuesIn(Cases),
                                          testing::Values(Constant,
                                                          Contiguous)),
                         nameOfCase);

namespace {

codegen::Target targetOf(const char *triple, const char *cpu, unsigned bits) {
  return *codegen::makeTarget(
      {.triple = triple, .cpu = cpu, .features = {}, .vectorBits = bits});
}
codegen::Target zen4(unsigned bits) {
  return targetOf("x86_64-pc-linux-gnu", "znver4", bits);
}

std::string textOf(const semantics::Plan &plan, const codegen::Target &target,
                   codegen::Stage stage) {
  const auto text =
      codegen::dump(plan, target, codegen::OptLevel::Optimized, stage);
  EXPECT_TRUE(text);
  return text ? *text : std::string();
}

/// How many instructions of the main loop name one of these.
std::size_t countIn(const std::vector<std::string> &loop,
                    std::initializer_list<const char *> names) {
  return static_cast<std::size_t>(std::count_if(
      loop.begin(), loop.end(), [&](const std::string &instruction) {
        return std::any_of(names.begin(), names.end(), [&](const char *name) {
          return instruction.find(name) != std::string::npos;
        });
      }));
}

/// What calls, or moves elements to other lanes.
constexpr auto Sideways = {"call",   "vextract", "vinsert", "vperm",  "vshuf",
                           "vunpck", "vhadd",    "vpack",   "vpsrldq"};

} // namespace

TEST(Reduced, ASumIsOneConversionAndOneAdditionAVector) {
  const semantics::Plan plan =
      planOf({"", "@0", {F32}, {{"sum", F32}}, {}}, Constant);
  for (const char *cpu : {"znver4", "sapphirerapids"})
    for (unsigned bits : {128, 256, 512}) {
      const auto target = targetOf("x86_64-pc-linux-gnu", cpu, bits);
      const auto loop = innerLoop(textOf(plan, target, codegen::Stage::Asm));
      const std::size_t vectors = ops::ReductionLanes * 64 / bits;
      EXPECT_EQ(countIn(loop, {"vcvtps2pd"}), vectors) << cpu << bits;
      // Where additions are in the way of conversions, by 1.
      const char *adds = target.convertsWhereItAdds ? "vfmadd231pd" : "vaddpd";
      EXPECT_EQ(countIn(loop, {adds}), vectors) << cpu << bits;
      // The index, and the jump back.
      EXPECT_LE(loop.size(), 2 * vectors + 3) << cpu << bits;
    }
}

TEST(Reduced, WhatIsOnlyConvertedHasNarrowerVectorsOnZen4) {
  const auto bitsOf = [](const char *text, const char *reduction, DType form,
                         const codegen::Target &target) {
    return codegen::vectorBitsOf(
        planOf({"", text, {form, form}, {{reduction, form}}, {}}, Constant),
        target);
  };
  const auto intel = targetOf("x86_64-pc-linux-gnu", "sapphirerapids", 0);
  EXPECT_EQ(bitsOf("@0", "sum", F32, zen4(0)), 256u);
  EXPECT_EQ(bitsOf("@0", "mean", F32, zen4(0)), 256u);
  EXPECT_EQ(bitsOf("@0", "sum", F32, zen4(512)), 512u); // as asked for
  EXPECT_EQ(bitsOf("@0", "sum", F32, intel), 512u);
  EXPECT_EQ(bitsOf("@0", "sum", F64, zen4(0)), 512u);
  EXPECT_EQ(bitsOf("@0", "amax", F32, zen4(0)), 512u);
  EXPECT_EQ(bitsOf("mul(@0,@1)", "sum", F32, zen4(0)), 512u);
  EXPECT_EQ(bitsOf("exp(@0)", "sum", F32, zen4(0)), 512u);
}

TEST(Reduced, LongElementsBeginBeforeTheOneBeforeIsDone) {
  const semantics::Plan plan =
      planOf({"", "exp(@0)", {F32}, {{"sum", F32}}, {}}, Contiguous)
          .unrolled(16, true);
  const auto loop = innerLoop(textOf(plan, zen4(256), codegen::Stage::Asm));
  const auto done = std::find_if(
      loop.begin(), loop.end(), [](const std::string &instruction) {
        return instruction.find("vcvtps2pd") != std::string::npos;
      });
  const std::vector<std::string> first(loop.begin(), done);
  const std::size_t begun = countIn(first, {",4), %ymm"});
  EXPECT_GE(begun, 3u);
  EXPECT_LE(begun, 9u);
}

TEST(Reduced, WithFewRegistersALineOfManyColumnsIsReadAtOnce) {
  const auto avx2 = targetOf("x86_64-pc-linux-gnu", "znver3", 0);
  const auto readsLines = [&](unsigned elements) {
    const semantics::Plan plan =
        planOf({"", "@0", {F32}, {{"amax", F32}}, {}}, Contiguous)
            .unrolled(elements, true);
    return textOf(plan, avx2, codegen::Stage::Llvm).find("load <16 x float>") !=
           std::string::npos;
  };
  EXPECT_TRUE(readsLines(16));
  EXPECT_FALSE(readsLines(8)); // They stay in the first cache.
  EXPECT_FALSE(readsLines(64));
}

TEST(Reduced, ExactSquaresAreAddedByOneOperation) {
  auto sweeps = semantics::sweepsOf(planFor("norm(@0,2)"), true);
  semantics::Plan &plan = sweeps[0].plan;
  plan.outputs[0].pattern = Constant;
  const auto loop = innerLoop(textOf(plan, zen4(512), codegen::Stage::Asm));
  EXPECT_EQ(countIn(loop, {"vfmadd"}), ops::ReductionLanes / 8);
  EXPECT_EQ(countIn(loop, {"vaddpd", "vmulpd"}), 0u);
  // Of f64 they are not exact.
  const auto wide = innerLoop(
      textOf(planOf({"", "mul(@0,@0)", {F64}, {{"mean", F64}}, {}}, Constant),
             zen4(512), codegen::Stage::Asm));
  EXPECT_GT(countIn(wide, {"vmulpd"}), 0u);
}

TEST(Reduced, SumsOfF64TakeAllLanesAndOnZenUnitsThatMultiply) {
  constexpr std::size_t vectors = ops::ReductionLanes / 8;
  const semantics::Plan plan =
      planOf({"", "@0", {F64}, {{"sum", F64}}, {}}, Constant);
  for (const auto &[cpu, fused] :
       {std::pair{"znver4", 3u}, {"sapphirerapids", 0u}}) {
    const auto target = targetOf("x86_64-pc-linux-gnu", cpu, 512);
    const auto loop = innerLoop(textOf(plan, target, codegen::Stage::Asm));
    EXPECT_EQ(countIn(loop, {"vfmadd", "vfmsub"}), fused * vectors) << cpu;
    EXPECT_EQ(countIn(loop, {"vaddpd", "vsubpd"}), (7 - fused) * vectors)
        << cpu;
  }
}

TEST(Reduced, NothingGoesSidewaysInMainLoops) {
  for (const auto &[text, reduction, form] : {std::tuple{"@0", "amax", F32},
                                              {"@0", "sum", F64},
                                              {"@0", "prod", F32},
                                              {"mul(@0,@1)", "sum", F64},
                                              {"exp(@0)", "amax", F32}}) {
    const semantics::Plan plan =
        planOf({"", text, {form, form}, {{reduction, form}}, {}}, Constant);
    for (unsigned bits : {256, 512}) {
      const auto loop =
          innerLoop(textOf(plan, zen4(bits), codegen::Stage::Asm));
      EXPECT_FALSE(loop.empty());
      EXPECT_EQ(countIn(loop, Sideways), 0u) << reduction << text << bits;
    }
  }
}

TEST(Reduced, NoOrderIsLeftToTheCompiler) {
  for (AccessPattern states : {Constant, Contiguous})
    for (const Case &each : Cases) {
      const std::string ir =
          textOf(planOf(each, states), zen4(256), codegen::Stage::Llvm);
      for (const char *wrong :
           {"vector.reduce.f", "vector.reduce.add", " reassoc ", " fast ",
            " nnan ", " nsz ", " contract "})
        EXPECT_EQ(ir.find(wrong), std::string::npos) << each.name << wrong;
    }
}

// Where they are in registers they have enough, on machines of few and many.
TEST(Reduced, StatesOfShortLoopsAreNotSpilled) {
  constexpr auto x86 = "x86_64-pc-linux-gnu", arm = "aarch64-linux-gnu";
  for (const auto &[triple, cpu] : {std::pair{x86, "haswell"},
                                    {x86, "znver3"},
                                    {x86, "skylake-avx512"},
                                    {x86, "znver4"},
                                    {arm, "neoverse-n1"},
                                    {arm, "apple-m1"}}) {
    const auto target = targetOf(triple, cpu, 0);
    for (const Case &each : Cases) {
      const semantics::Plan plan = planOf(each, Constant);
      if (plan.work().operations > 12)
        continue;
      const auto report =
          codegen::reportLoop(plan, target, codegen::OptLevel::Optimized);
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->spills, 0u) << each.name << " on " << cpu;
    }
  }
}

/// How many fetches there are of what a pointer of this name leads to.
static std::size_t fetchesOf(const std::string &ir, const std::string &name,
                             const char *locality) {
  std::size_t count = 0;
  std::istringstream code(ir);
  for (std::string line; std::getline(code, line);)
    count +=
        line.find("@llvm.prefetch") != std::string::npos &&
        line.find('%' + name + ".ahead") != std::string::npos &&
        line.find(std::string("i32 0, i32 ") + locality) != std::string::npos;
  return count;
}

// What rows read and store later, into the second cache; what the first sweep
// reads, where prefetchers stop at a page.
TEST(Reduced, LoopsOverRowsFetchWhatComesNext) {
  auto sweeps = semantics::sweepsOf(planFor("softmax(@0,-1)"), true);
  ASSERT_EQ(sweeps.size(), 4u);
  for (semantics::Sweep &sweep : sweeps) {
    for (semantics::Access &output : sweep.plan.outputs)
      if (output.reducing)
        output.pattern = Strided;
    for (std::size_t i = 0; i < sweep.plan.inputs.size(); ++i)
      if (sweep.plan.graph.inputs[i] >= semantics::Graph::FirstValue)
        sweep.plan.inputs[i].pattern = Constant;
  }
  constexpr auto first = "3", second = "2";
  const auto intel = targetOf("x86_64-pc-linux-gnu", "skylake-avx512", 0);
  for (const codegen::Target &target : {zen4(0), intel}) {
    const std::string largest =
        textOf(sweeps[0].plan, target, codegen::Stage::Llvm);
    EXPECT_EQ(fetchesOf(largest, "x0", first) > 0, target.cpu == intel.cpu);
    EXPECT_EQ(fetchesOf(largest, "x0", second), 0u);
    semantics::Plan powers = sweeps[1].plan;
    const std::string stored = textOf(powers, target, codegen::Stage::Llvm);
    // For each vector of the main loop and in the tail.
    const unsigned fetches = target.cpu == intel.cpu ? 2 : 3;
    EXPECT_EQ(fetchesOf(stored, "x0", second), fetches);
    EXPECT_EQ(fetchesOf(stored, "out1", second), fetches);
    powers.streams = true;
    EXPECT_EQ(
        fetchesOf(textOf(powers, target, codegen::Stage::Llvm), "out1", second),
        0u);
  }
}

TEST(Reduced, PlansSayWhatBecomesOfOutputs) {
  const Result sum{"sum", F32};
  EXPECT_NE(planOf({"", "@0", {}, {sum}, {}}, Constant)
                .str()
                .find("output 0: f64, sum in lanes\n"),
            std::string::npos);
  EXPECT_NE(planOf({"", "@0", {}, {sum}, {}}, Contiguous)
                .str()
                .find("output 0: f64, sum of each\n"),
            std::string::npos);
}

} // namespace kexpr::test::reduced
