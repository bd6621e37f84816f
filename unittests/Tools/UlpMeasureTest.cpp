//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Common/Files.h"
#include "TestUtil/Floats.h"
#include "Tools/Command.h"
#include "Ulp/Inputs.h"
#include "Ulp/Measure.h"
#include "Ulp/Records.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace kexpr;
using namespace kexpr::tools;

static MeasureRequest quickRequest(std::string_view name,
                                   DType type = DType::F32) {
  return {.op = *ops::find(name), .type = type, .step = 1 << 14, .count = 4096};
}

/// What `inputs` hold for their first operand.
static std::vector<double> all(const Inputs &inputs, std::size_t operands = 1) {
  std::vector<double> numbers, arguments(operands);
  for (std::uint64_t i = 0; i < inputs.count; ++i) {
    inputs.at(i, arguments);
    numbers.insert(numbers.end(), arguments.begin(), arguments.end());
  }
  return numbers;
}

TEST(UlpInputs, SteppedFloatsAreOneOfEachCell) {
  const std::uint32_t step = 1 << 20;
  const auto numbers = all(steppedFloats(step));
  ASSERT_EQ(numbers.size(), 4096 + specialNumbers(DType::F32).size());
  std::set<std::uint32_t> rests;
  for (std::uint32_t i = 0; i < 4096; ++i) {
    const auto bits =
        std::bit_cast<std::uint32_t>(static_cast<float>(numbers[i]));
    // Storing a signalling NaN as a double makes it a quiet one.
    if (!std::isnan(numbers[i])) {
      EXPECT_EQ(bits / step, i);
    }
    rests.insert(bits % step);
  }
  EXPECT_GT(rests.size(), 3000u);
}

TEST(UlpInputs, StepOneIsEveryPattern) {
  const Inputs inputs = steppedFloats(1);
  EXPECT_EQ(inputs.count, std::uint64_t{1} << 32);
  double x = 0;
  inputs.at(0x3f800001, {&x, 1});
  EXPECT_EQ(x, 0x1.000002p0);
}

TEST(UlpInputs, FloatsInARangeAreAllOfThem) {
  EXPECT_EQ(floatsIn({1, 2}).count, (1u << 23) + 1);
  EXPECT_EQ(floatsIn({-0x1p-149, 0x1p-149}).count, 4u); // both zeros
  EXPECT_EQ(all(floatsIn({5, 5})), std::vector<double>{5});
}

TEST(UlpInputs, RangesAreKeptAndTheirEndsMet) {
  const Range range{-0.1f, 3};
  const auto numbers = all(inputsIn(DType::F32, {range}, 5000));
  for (double x : numbers) {
    EXPECT_LE(range.low, x);
    EXPECT_LE(x, range.high);
    EXPECT_EQ(x, static_cast<float>(x));
  }
  EXPECT_EQ(*std::min_element(numbers.begin(), numbers.end()), range.low);
  EXPECT_EQ(*std::max_element(numbers.begin(), numbers.end()), range.high);
}

TEST(UlpInputs, OperatorInputsAreTheSameEachTime) {
  for (DType type : {DType::F32, DType::F64})
    for (unsigned arity : {1u, 2u, 3u}) {
      const auto make = [&] {
        return all(operatorInputs(type, arity, {-5, 5}, 3000), arity);
      };
      const auto first = make(), second = make();
      EXPECT_TRUE(
          std::equal(first.begin(), first.end(), second.begin(), sameNumber));
      for (double x : {0.0, -0.0, 1.0, std::numeric_limits<double>::infinity()})
        EXPECT_TRUE(std::any_of(first.begin(), first.end(),
                                [x](double y) { return sameNumber(x, y); }));
    }
}

TEST(UlpMeasure, OperatorsAreWithinTheirBounds) {
  for (const char *name : {"add", "sqrt", "exp", "log1p", "clamp"}) {
    const auto measured = measure(quickRequest(name));
    ASSERT_TRUE(measured) << name;
    EXPECT_TRUE(measured->isWithinBounds()) << name;
    EXPECT_EQ(measured->kernels.size(), hostWidths().size());
    EXPECT_GT(measured->kernels[0].tally.inputs, 4000u);
  }
}

TEST(UlpMeasure, F64IsMeasuredOnce) {
  auto request = quickRequest("mul", DType::F64);
  request.precisions = {Precision::Default, Precision::Accurate};
  const auto measured = measure(request);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->kernels.size(), hostWidths().size());
  EXPECT_TRUE(measured->isWithinBounds());
  EXPECT_EQ(measured->kernels[0].tally.ulp.error, 0.5);
}

TEST(UlpMeasure, ThreadsDoNotMatter) {
  auto request = quickRequest("exp");
  request.sweep.threads = 1;
  const auto one = measure(request);
  request.sweep.threads = 3;
  const auto three = measure(request);
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->kernels[0].tally.ulp.error, three->kernels[0].tally.ulp.error);
  EXPECT_EQ(one->kernels[0].tally.ulp.arguments,
            three->kernels[0].tally.ulp.arguments);
  EXPECT_EQ(one->kernels[0].tally.misrounded,
            three->kernels[0].tally.misrounded);
}

TEST(UlpMeasure, AWrongResultIsReported) {
  // The kernel computes the cosine, the reference is the sine's.
  Subject subject = operatorSubject(*ops::find("sin"), DType::F32);
  subject.expression = *Expression::parse("cos(@0)");
  const auto measured = measure(subject, quickRequest("sin"));
  ASSERT_TRUE(measured);
  EXPECT_FALSE(measured->isWithinBounds());
  const Tally &worst = measured->kernels[0].tally;
  EXPECT_GT(worst.ulp.error, 1e6);
  EXPECT_EQ(worst.ulp.arguments.size(), 1u);
  EXPECT_GT(worst.misrounded, worst.inputs / 3);
}

TEST(UlpMeasure, AWrongSignOfZeroIsReported) {
  Subject subject = operatorSubject(*ops::find("abs"), DType::F32);
  subject.expression = *Expression::parse("mul(@0,sign(@0))"); // -0 at 0
  subject.exact = [](std::span<const double> arguments,
                     std::span<Real> results) {
    results[0] = arguments[0] == 0 ? Real(-0.0) : fabs(Real(arguments[0]));
  };
  subject.quick = nullptr;
  const auto measured = measure(subject, quickRequest("abs"));
  ASSERT_TRUE(measured);
  EXPECT_GT(measured->kernels[0].tally.wrongSigns, 0u);
  EXPECT_EQ(measured->kernels[0].tally.wrongSign.arguments,
            std::vector<double>{0});
  EXPECT_FALSE(measured->isWithinBounds());
  EXPECT_TRUE(isOtherKind(measured->specials[0].got[0],
                          measured->specials[0].expected));
}

TEST(UlpMeasure, AQuickReferenceThatIsWrongIsNotBelieved) {
  Subject subject = operatorSubject(*ops::find("exp"), DType::F32);
  subject.quick = [](std::span<const double> arguments,
                     std::span<double> results) {
    results[0] = std::exp(arguments[0]) * 1.5;
  };
  const auto measured = measure(subject, quickRequest("exp"));
  ASSERT_TRUE(measured);
  EXPECT_TRUE(measured->isWithinBounds());
}

TEST(UlpSweep, KernelsThatDifferAreCounted) {
  const auto sine = *Expression::parse("sin(@0)");
  const auto widths = std::span(hostWidths()).first(1);
  const std::vector precisions = {Precision::Default};
  auto sets = compileKernels(sine, DType::F32, precisions, widths, true);
  auto other = compileKernels(*Expression::parse("cos(@0)"), DType::F32,
                              precisions, widths, false);
  ASSERT_TRUE(sets && other);
  (*sets)[0].widths.push_back(widths[0]);
  (*sets)[0].kernels.push_back((*other)[0].kernels[0]);
  const Subject subject = operatorSubject(*ops::find("sin"), DType::F32);
  const auto tallies =
      sweep(subject, *sets, inputsIn(DType::F32, {{-3, 3}}, 1000), {});
  ASSERT_TRUE(tallies);
  EXPECT_EQ((*tallies)[0][0][0].differing, 0u);
  EXPECT_GT((*tallies)[0][0][1].differing, 900u);
  EXPECT_EQ((*tallies)[0][0][1].different.arguments, std::vector<double>{-3});
  EXPECT_GT((*tallies)[0][0][1].ulp.error, 1e3);
  EXPECT_LT((*tallies)[0][0][0].ulp.error, 1);
}

TEST(UlpStudy, CountsEveryInputOnce) {
  const auto found = study({.expression = "add(mul(@0,@1),1)", .count = 3000});
  ASSERT_TRUE(found);
  for (const Tally &tally : found->tallies[0][0]) {
    EXPECT_EQ(tally.inputs, 3000u);
    EXPECT_EQ(std::accumulate(tally.counts.begin(), tally.counts.end(),
                              std::uint64_t{0}),
              3000u);
    EXPECT_GT(tally.mean(), 0);
    EXPECT_GE(tally.ulp.error, tally.mean());
    EXPECT_EQ(tally.ulp.arguments.size(), 2u);
  }
  EXPECT_TRUE(found->isConsistent());
}

TEST(UlpStudy, SeesWhatCancels) {
  // (x + 1) - 1 loses x; the worst is where all of it is lost.
  const auto found = study({.expression = "sub(add(@0,1),1)",
                            .ranges = {{0, {0x1p-40, 0x1p-30}}},
                            .count = 1000});
  ASSERT_TRUE(found);
  EXPECT_GT(found->tallies[0][0][0].ulp.error, 0x1p23);
  EXPECT_EQ(found->tallies[0][0][0].absolute.error, 0x1p-30);
}

TEST(UlpStudy, StepsOutOfTheRangeOfDoubleAreSeen) {
  // e^x / e^x is 1, but inf / inf in f32 and in double.
  const auto found = study({.expression = "div(exp(@0),exp(@0))",
                            .ranges = {{0, {800, 900}}},
                            .count = 100});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tallies[0][0][0].counts.back(), 100u);
}

TEST(UlpStudy, ExhaustiveIsEveryFloat) {
  const auto found = study({.expression = "neg(@0)",
                            .ranges = {{0, {1, 0x1.002p0}}},
                            .exhaustive = true});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tallies[0][0][0].inputs, 4097u);
}

static Records smallRecords() {
  Records records(4, 100);
  records.add(
      {.op = *ops::find("exp"),
       .width = 256,
       .tally = {.inputs = 10,
                 .misrounded = 3,
                 .ulp = {std::numeric_limits<double>::infinity(), 0, {-0.1}}}});
  records.add({.op = *ops::find("add"), .type = DType::F64, .width = 128});
  return records;
}

TEST(UlpRecords, SurviveTheirFile) {
  const Records records = smallRecords();
  Records read(4, 100);
  ASSERT_TRUE(read.addJson(records.json()));
  EXPECT_EQ(read.json(), [&] {
    Records again = read;
    EXPECT_TRUE(again.addJson(records.json()));
    return again.json();
  }());
  ASSERT_EQ(read.rows().size(), 2u);
  EXPECT_EQ(read.rows()[0].op, *ops::find("add"));
  EXPECT_EQ(read.rows()[1].tally.ulp.arguments, std::vector<double>{-0.1});
  EXPECT_TRUE(std::isinf(read.rows()[1].tally.ulp.error));
  EXPECT_EQ(read.rows()[1].bound, ops::table()[read.rows()[1].op].info.ulp.f32);
  EXPECT_TRUE(read.has(*ops::find("exp"), DType::F32, Precision::Default, 256));
  EXPECT_FALSE(
      read.has(*ops::find("exp"), DType::F32, Precision::Accurate, 256));
}

TEST(UlpRecords, ForeignFilesAreRefused) {
  Records records(4, 100);
  for (const char *text :
       {"", "[]", "{}", "null", R"({"step":4,"count":100,"rows":[{}]})",
        R"({"step":4,"count":100,"rows":[{"operator":"exp","type":"f31"}]})"})
    EXPECT_FALSE(records.addJson(text)) << text;
  EXPECT_FALSE(Records(5, 100).addJson(smallRecords().json()));
  EXPECT_TRUE(records.rows().empty());
}

TEST(UlpFiles, AreWholeOrAsTheyWere) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("page.md");
  ASSERT_TRUE(tools::writeFile(path, "old"));
  ASSERT_TRUE(checkWritable(path));
  EXPECT_EQ(test::readFile(path), "old");
  ASSERT_TRUE(tools::writeFile(path, "new"));
  EXPECT_EQ(test::readFile(path), "new");
  EXPECT_FALSE(tools::writeFile(directory.path("no/such/place"), "text"));
  EXPECT_FALSE(checkWritable(directory.path("no/such/place")));
  EXPECT_FALSE(tools::readFile(directory.path("nothing")));
}
