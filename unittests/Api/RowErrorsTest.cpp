//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of reductions and of functions over rows, against the same in long
// double, where others are bad: large means, wide logits, sums that grow.
//
//===----------------------------------------------------------------------===//
#include "Api/Rows.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <sstream>

namespace kexpr::test::rows::errors {
namespace {
using Real = long double;
using Row = std::vector<Real>;

/// The distance between a result and what it should be, in units in the last
/// place of `scale` in T.
template <class T> double ulps(T got, Real exact, Real scale) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact))
    return std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(exact) || std::isinf(got))
    return got == static_cast<T>(exact) ? 0 : INFINITY;
  constexpr int least = Limits::min_exponent - 1;
  const int exponent = scale == 0 ? least : std::max(std::ilogb(scale), least);
  return static_cast<double>(
      std::fabs(Real{got} - exact) /
      std::ldexp(Real{1}, exponent - Limits::digits + 1));
}

Row softmaxOf(const Row &x) {
  const Real most = *std::max_element(x.begin(), x.end());
  Row result;
  for (Real each : x)
    result.push_back(std::exp(each - most));
  const Real sum = std::accumulate(result.begin(), result.end(), Real{0});
  for (Real &each : result)
    each /= sum;
  return result;
}

Row logSoftmaxOf(const Row &x) {
  const auto first = std::max_element(x.begin(), x.end());
  Real others = 0;
  for (auto each = x.begin(); each != x.end(); ++each)
    others += each == first ? 0 : std::exp(*each - *first);
  Row result;
  for (Real each : x)
    result.push_back(each - *first - std::log1p(others));
  return result;
}

Real meanOf(const Row &x) {
  return std::accumulate(x.begin(), x.end(), Real{0}) /
         static_cast<Real>(x.size());
}

Real varianceOf(const Row &x, Real correction) {
  const Real mean = meanOf(x);
  Real sum = 0;
  for (Real each : x)
    sum += (each - mean) * (each - mean);
  return sum / (static_cast<Real>(x.size()) - correction);
}

Real squaresOf(const Row &x) {
  return std::inner_product(x.begin(), x.end(), x.begin(), Real{0});
}

/// The sum has a second part: one has lost what is left of an element close to
/// the mean (Knuth's TwoSum).
Row layerNormOf(const Row &x) {
  Real sum = 0, lost = 0;
  for (Real each : x) {
    const Real next = sum + each, part = next - sum;
    lost += (sum - (next - part)) + (each - part);
    sum = next;
  }
  const auto count = static_cast<Real>(x.size());
  const Real scale = count * std::sqrt(varianceOf(x, 0) + 1e-5L);
  Row result;
  for (Real each : x)
    result.push_back((std::fma(each, count, -sum) - lost) / scale);
  return result;
}

Row rmsNormOf(const Row &x) {
  const Real scale =
      std::sqrt(squaresOf(x) / static_cast<Real>(x.size()) + 1e-6L);
  Row result;
  for (Real each : x)
    result.push_back(each / scale);
  return result;
}

Row normalizeOf(const Row &x) {
  const Real norm = std::max(std::sqrt(squaresOf(x)), 1e-12L);
  Row result;
  for (Real each : x)
    result.push_back(each / norm);
  return result;
}

struct Case {
  const char *text;
  std::function<Row(const Row &)> reference;
  double bound, boundF64;
  /// An error that is none, absolute, of f32 and at `Accurate`.
  Real least = 0, leastAccurate = least;
};

const Case Cases[] = {
    {"softmax(@0,-1)", softmaxOf, 2, 3},
    {"log_softmax(@0,-1)", logSoftmaxOf, 2, 3, 0x1p-50L},
    {"layer_norm(@0,-1,None,None,1e-05)", layerNormOf, 2, 4},
    {"rms_norm(@0,-1,None,1e-06)", rmsNormOf, 2, 3},
    {"normalize(@0,2,-1,1e-12)", normalizeOf, 2, 3},
    {"sum(@0,-1)",
     [](const Row &x) {
       return Row{std::accumulate(x.begin(), x.end(), 0.0L)};
     },
     0.51, 2},
    {"mean(@0,-1)", [](const Row &x) { return Row{meanOf(x)}; }, 0.51, 2},
    {"var(@0,-1)", [](const Row &x) { return Row{varianceOf(x, 1)}; }, 0.51, 3},
    {"std(@0,-1,False,0)",
     [](const Row &x) { return Row{std::sqrt(varianceOf(x, 0))}; }, 0.51, 2},
    {"norm(@0,2,-1)", [](const Row &x) { return Row{std::sqrt(squaresOf(x))}; },
     0.51, 2},
    {"cosine_similarity(@0,@0,-1,1e-08)",
     [](const Row &x) {
       const Real size = std::max(std::sqrt(squaresOf(x)), 1e-8L);
       return Row{squaresOf(x) / (size * size)};
     },
     0.51, 3},
    {"logsumexp(@0,-1)",
     [](const Row &x) { return Row{x[0] - logSoftmaxOf(x)[0]}; }, 0.51,
     INFINITY, 0x1p-47L, 0x1p-50L},
};

/// Rows of numbers that others find hard.
struct Data {
  const char *name;
  std::function<double(std::mt19937 &)> draw;
  /// What is put into a row besides.
  std::function<void(std::span<double>)> amend = [](std::span<double>) {};
};

double normal(std::mt19937 &random) {
  return std::normal_distribution<double>()(random);
}
double uniform(std::mt19937 &random) {
  return std::uniform_real_distribution<double>()(random);
}

const Data All[] = {
    {"normal", [](auto &random) { return normal(random); }},
    {"logits spread over 1", [](auto &random) { return uniform(random); }},
    {"logits spread over 20",
     [](auto &random) { return 20 * uniform(random); }},
    {"logits spread over 87",
     [](auto &random) { return 87 * uniform(random); }},
    {"mean / std of 1e5", [](auto &random) { return 1e5 + normal(random); }},
    {"mean of -1e5", [](auto &random) { return -1e5 + normal(random); }},
    {"of many sizes",
     [](auto &random) { return std::exp(4 * normal(random)); }},
    {"tiny", [](auto &random) { return 1e-20 * normal(random); }},
    {"large", [](auto &random) { return 1e15 * normal(random); }},
    {"one far above others",
     [](auto &random) { return 200 + 30 * normal(random); }},
    {"many equal largest",
     [](auto &random) { return 40 + std::min(5 * normal(random), 0.3); }},
    {"next to 512", [](auto &random) { return 507 + 10 * uniform(random); }},
    {"masked",
     [](auto &random) {
       return uniform(random) < 0.5 ? -1e9 : 2 + uniform(random);
     }},
    {"one whose others are lost beside it", [](auto &) { return -36.9; },
     [](std::span<double> row) { row[row.size() / 2] = 0; }},
    {"one whose others show a little beside it",
     [](auto &random) { return -26 - 4 * uniform(random); },
     [](std::span<double> row) { row[0] = 0; }},
    {"a mean next to an element",
     [](auto &random) {
       return std::ldexp(std::floor(uniform(random) * 4e6), -23);
     },
     [](std::span<double> row) {
       // One last place of the sum is a part of one of the first element.
       for (std::size_t i = 0; i < row.size(); ++i)
         row[i] = i % 2 == 1 && i + 1 < row.size() ? row[i]
                  : i > 0 && i % 2 == 0            ? -row[i - 1]
                                                   : 0;
       row.back() += 0x1p-23;
       for (double &each : row)
         each += 1.5;
     }},
};

template <class T>
Row rowOf(const std::vector<T> &values, std::int64_t row, std::int64_t length) {
  return {values.begin() + row * length, values.begin() + (row + 1) * length};
}

/// Whether so much cancels that a sum is not bounded.
bool cancels(const Row &x) {
  Real sum = 0, sizes = 0;
  for (Real each : x) {
    sum += each;
    sizes += std::fabs(each);
  }
  return std::fabs(sum) < 0x1p-15L * sizes;
}

class RowErrors : public testing::TestWithParam<Case> {};

template <class T> constexpr DType typeOf = DType::F32;
template <> constexpr DType typeOf<double> = DType::F64;

/// The worst error over many rows.
template <class T>
double worstOf(const Case &test, const Data &data, std::int64_t length,
               Precision precision = Precision::Default) {
  const bool isSum = std::string_view(test.text).substr(0, 3) == "sum" ||
                     std::string_view(test.text).substr(0, 4) == "mean";
  const Real least = std::is_same_v<T, double>         ? 0
                     : precision == Precision::Default ? test.least
                                                       : test.leastAccurate;
  std::mt19937 random(21);
  const std::int64_t rows = 20000 / length + 1;
  std::vector<double> drawn(static_cast<std::size_t>(rows * length));
  std::ranges::generate(drawn, [&] { return data.draw(random); });
  for (std::int64_t row = 0; row < rows; ++row)
    data.amend(std::span(drawn).subspan(row * length, length));
  std::vector<T> values(drawn.size());
  std::ranges::transform(drawn, values.begin(),
                         [](double each) { return static_cast<T>(each); });
  const Tensor x(typeOf<T>, {rows, length}, values);
  const auto results = outputsOf(test.text, {x}, {.precision = precision})[0]
                           .template values<T>();
  const std::size_t each = results.size() / static_cast<std::size_t>(rows);
  double worst = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const Row in = rowOf(values, row, length);
    const Row exact = test.reference(in);
    EXPECT_EQ(exact.size(), each);
    if (isSum && cancels(in))
      continue;
    for (std::size_t i = 0; i < each; ++i) {
      const T got = results[static_cast<std::size_t>(row) * each + i];
      if (std::isnan(got) || std::fabs(Real{got} - exact[i]) > least)
        worst = std::max(worst, ulps(got, exact[i], exact[i]));
    }
  }
  return worst;
}

TEST_P(RowErrors, AreWithinTheirBounds) {
  for (const Data &data : All)
    for (const std::int64_t length : {1, 5, 64, 777, 5000}) {
      SCOPED_TRACE(std::string(GetParam().text) + " of rows of " +
                   std::to_string(length) + ", " + data.name);
      EXPECT_LE(worstOf<float>(GetParam(), data, length), GetParam().bound);
      EXPECT_LE(worstOf<float>(GetParam(), data, length, Precision::Accurate),
                0.51);
      // INFINITY: what cancels in f64 has no bound relative to what is left.
      EXPECT_LE(worstOf<double>(GetParam(), data, length), GetParam().boundF64);
    }
}

INSTANTIATE_TEST_SUITE_P(Functions, RowErrors, testing::ValuesIn(Cases),
                         [](const auto &info) {
                           std::string name = info.param.text;
                           return name.substr(0, name.find('('));
                         });

TEST(RowErrorsOf, ASoftmaxOfOneElementThatIsLeft) {
  for (const std::int64_t length : {1, 2, 8, 100}) {
    std::vector<float> values;
    for (const float masked : {-INFINITY, -1e9f, -200.0f})
      for (float x = -40; x <= 40; x += 0.37f) {
        values.resize(values.size() + static_cast<std::size_t>(length), masked);
        values.back() = x;
      }
    const auto rows = static_cast<std::int64_t>(values.size()) / length;
    const Tensor x(DType::F32, {rows, length}, values);
    const auto powers = outputsOf("softmax(@0,-1)", {x})[0].values<float>();
    const auto logs = outputsOf("log_softmax(@0,-1)", {x})[0].values<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool isLeft = values[i] > -100;
      EXPECT_EQ(powers[i], isLeft ? 1 : 0) << values[i];
      EXPECT_TRUE(isLeft ? logs[i] == 0 : logs[i] <= -100) << logs[i];
    }
  }
}

class LayerNormErrors : public testing::TestWithParam<Precision> {};

TEST_P(LayerNormErrors, WithWeightAndBias) {
  constexpr std::int64_t rows = 30, length = 500;
  std::mt19937 random(22);
  for (const double mean : {0.0, 1.0, 1e5}) {
    std::vector<float> values(rows * length), weight(length), bias(length);
    for (float &each : values)
      each = static_cast<float>(mean + normal(random));
    for (float &each : weight)
      each = static_cast<float>(normal(random));
    for (float &each : bias)
      each = static_cast<float>(normal(random));
    const auto results = outputsOf("layer_norm(@0,-1,@1,@2,1e-05)",
                                   {{DType::F32, {rows, length}, values},
                                    {DType::F32, {length}, weight},
                                    {DType::F32, {length}, bias}},
                                   {.precision = GetParam()})[0]
                             .values<float>();
    double worst = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      const Row normalised = layerNormOf(rowOf(values, row, length));
      for (std::int64_t i = 0; i < length; ++i) {
        const Real product = normalised[i] * weight[i];
        const Real sum = product + bias[i];
        // What is rounded once is off by half a place of itself.
        Real scale = std::max(std::fabs(product), std::fabs(Real{bias[i]}));
        if (GetParam() == Precision::Accurate)
          scale = std::max(scale, std::fabs(sum));
        worst = std::max(worst, ulps(results[row * length + i], sum, scale));
      }
    }
    EXPECT_LE(worst, GetParam() == Precision::Accurate ? 0.51 : 2) << mean;
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, LayerNormErrors,
                         testing::Values(Precision::Default,
                                         Precision::Accurate),
                         [](const auto &info) {
                           return info.param == Precision::Accurate ? "Accurate"
                                                                    : "Default";
                         });

/// The worst error of f32 over many rows of a size.
double worstOfSize(const std::string &text, double size,
                   const std::function<Real(const Row &)> &divisor) {
  constexpr std::int64_t rows = 50, length = 200;
  std::mt19937 random(23);
  std::vector<float> values(rows * length);
  for (float &each : values)
    each = static_cast<float>(size * (2 * uniform(random) - 1));
  const auto results =
      outputsOf(text, {{DType::F32, {rows, length}, values}})[0]
          .values<float>();
  double worst = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const Row x = rowOf(values, row, length);
    const Real scale = divisor(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float got = results[static_cast<std::size_t>(row * length) + i];
      worst = std::max(worst, ulps(got, x[i] / scale, x[i] / scale));
    }
  }
  return worst;
}

TEST(RowErrorsOf, NormsOfAllSizes) {
  for (const double size : {3e38, 1e30, 1e-12, 1e-40}) {
    for (const Real epsilon :
         {0.0L, 1e-31L, 1e-12L, 1e-6L, 1e5L, 1e75L, 1e120L, 1e150L}) {
      std::ostringstream text;
      text << "rms_norm(@0,-1,None," << epsilon << ')';
      const auto root = [epsilon](const Row &x) {
        return std::sqrt(squaresOf(x) / static_cast<Real>(x.size()) + epsilon);
      };
      EXPECT_LE(worstOfSize(text.str(), size, root), 1)
          << text.str() << " of " << size;
    }
    for (const Real least : {0.0L, 1e-31L, 1e-12L, 1e5L, 1e40L, 1e60L})
      for (const int order : {0, 1, 2, 3}) {
        std::ostringstream text;
        text << "normalize(@0," << order << ",-1," << least << ')';
        const auto norm = [=](const Row &x) {
          Real sum = 0;
          for (Real each : x)
            sum += order == 0 ? (each == 0 ? 0 : 1)
                              : std::pow(std::fabs(each), Real(order));
          return std::max(order == 0 ? sum : std::pow(sum, 1 / Real(order)),
                          least);
        };
        EXPECT_LE(worstOfSize(text.str(), size, norm), 1)
            << text.str() << " of " << size;
      }
  }
}

TEST(RowErrorsOf, AccurateIsTheResultOfF64Rounded) {
  const Tensor x = randomTensor(DType::F32, {6, 4, 50}, 24);
  std::vector<double> wide;
  for (const float each : x.values<float>())
    wide.push_back(each);
  const Tensor xF64(DType::F64, {6, 4, 50}, wide);
  for (const char *text :
       {"softmax(@0,-1)", "softmin(@0,0)", "log_softmax(@0,1)",
        "logsumexp(@0,-1)", "layer_norm(@0,[1,2])", "instance_norm(@0)",
        "group_norm(@0,2)", "rms_norm(@0,-1,None,1e-5)", "var(@0,-1)",
        "normalize(@0,2,-1)", "norm(@0,2)",
        "cosine_similarity(@0,neg(@0),1)"}) {
    const Way accurate = {.precision = Precision::Accurate};
    const auto results = outputsOf(text, {x}, accurate)[0].values<float>();
    const auto exact = outputsOf(text, {xF64})[0].values<double>();
    ASSERT_EQ(results.size(), exact.size());
    for (std::size_t i = 0; i < results.size(); ++i)
      ASSERT_EQ(results[i], static_cast<float>(exact[i])) << text;
  }
}

TEST(RowErrorsOf, ShortTypesAreRoundedOnce) {
  // 2048 + 1 + 2^-11 is nearest to 2050 in f16; by way of f32 it may be even.
  const std::vector<std::uint16_t> bits = {0x6800, 0x3c00, 0x1000};
  const Tensor x(DType::F16, {3}, bits);
  const auto sum = outputsOf("sum(@0)", {x})[0].values<std::uint16_t>();
  EXPECT_EQ(sum[0], 0x6801);
}

} // namespace
} // namespace kexpr::test::rows::errors
