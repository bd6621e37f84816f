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
#include "Semantics/Interpreter.h"
#include "TestUtil/Floats.h"
#include "TestUtil/GuardedBytes.h"

#include <cstring>
#include <random>

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
    loops.reset(room, memory.data(), room);
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
    ops::visitType(access.type, [&]<DType D>() {
      const auto element = static_cast<ops::Element<D>>(x);
      std::memcpy(reinterpret_cast<char *>(elements.data()) +
                      i * sizeof element,
                  &element, sizeof element);
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

std::vector<Case> everyCase() {
  std::vector<Case> cases = {
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
      {"DotOfConstant",
       "mul(@0,@1)",
       {},
       {{"sum", F32}},
       {Contiguous, Constant}},
      {"SumOfExp",
       "exp(sub(@0,@1))",
       {},
       {{"sum", F32}},
       {Contiguous, Constant}},
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
      {"Everything",
       "[@0,@0,@0,@0,gt(@0,1)]",
       {},
       {{"sum", F32}, {"prod", F32}, {"amax", F32}, {"amin", F32}, {"any", U8}},
       {}},
  };
  return cases;
}

class EveryReduction
    : public testing::TestWithParam<std::tuple<Case, AccessPattern>> {};

std::string nameOfCase(
    const testing::TestParamInfo<std::tuple<Case, AccessPattern>> &info) {
  return std::string(std::get<0>(info.param).name) +
         (std::get<1>(info.param) == Constant ? "InLanes" : "OfEach");
}

} // namespace

TEST_P(EveryReduction, AsMachineCodeGivesTheInterpretersStates) {
  const auto &[each, states] = GetParam();
  const semantics::Plan plan = planOf(each, states);
  const semantics::Interpreter oracle(plan);
  const std::vector<std::uint64_t> parameters = parametersOf(plan);
  forEachTier([&](const codegen::Target &target, codegen::OptLevel level) {
    const CompiledLoop loop(plan, target, level);
    ASSERT_TRUE(loop);
    std::mt19937 generator(11);
    for (std::int64_t count :
         {0, 1, 2, 31, 32, 33, 63, 64, 65, 100, 511, 777, 2047, 2048})
      for (bool isWild : {false, true}) {
        SCOPED_TRACE(count);
        std::vector<Output> expected, got;
        std::vector<std::vector<std::byte>> inputs;
        std::vector<const void *> expectedPointers, pointers;
        std::vector<std::int64_t> strides;
        expected.reserve(plan.outputs.size());
        got.reserve(plan.outputs.size());
        for (const semantics::Access &access : plan.outputs) {
          expectedPointers.push_back(
              expected.emplace_back(access, count).data());
          pointers.push_back(got.emplace_back(access, count).data());
          strides.push_back(got.back().stride());
        }
        for (const semantics::Access &access : plan.inputs) {
          const int step = access.pattern == Strided ? 3 : 1;
          inputs.push_back(
              elementsOf(access.type, count, step, isWild, generator));
          pointers.push_back(inputs.back().data());
          expectedPointers.push_back(inputs.back().data());
          strides.push_back(step * static_cast<int>(sizeOf(access.type)));
        }
        loop.run(count, pointers, strides);
        for (const std::uint64_t &parameter : parameters)
          expectedPointers.push_back(&parameter);
        oracle.run(count, const_cast<void *const *>(expectedPointers.data()),
                   strides.data());
        for (std::size_t i = 0; i < got.size(); ++i)
          got[i].expectLike(expected[i]);
        if (HasFailure())
          return;
      }
  });
}

INSTANTIATE_TEST_SUITE_P(Plans, EveryReduction,
                         testing::Combine(testing::ValuesIn(everyCase()),
                                          testing::Values(Constant,
                                                          Contiguous)),
                         nameOfCase);

} // namespace kexpr::test::reduced
