//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time on inputs of one class over time on ordinary ones, which are uniform
// over the operator's domain: a table of the worst share of each class, one row
// a kernel, and with --tsv FILE every measurement and the domain, which
// utils/cliffs.py draws beside what NumPy and PyTorch take. Rows called `C++`
// are plain loops, whose ratios are the processor's own.
//
//   CliffsBenchmark [--tsv FILE] [--cpu NAME] [--bits N] [--only TEXT]
//                   [--bar RATIO]
//
// --only takes kernels whose name contains the text; --bar prints nothing but
// what is above a ratio.
//
//===----------------------------------------------------------------------===//
#include "Bench/Table.h"
#include "kexpr/kexpr.h"

#include "Ops/InputClasses.h"
#include "Ops/Table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <span>

using namespace kexpr;
using namespace kexpr::tools;

static constexpr std::int64_t elements = 8000;

/// Classes of inputs of i32 and i64.
static constexpr ops::InputClass integerClasses[] = {
    {"0", 0, 0},
    {"1", 1, 1},
    {"-1", -1, -1},
    {"even", 0x1p30, 0x1p62},
    {"most", 0x1p31 - 1, 0x1p63 - 0x1p10},
    {"least", -0x1p31, -0x1p63},
};

static std::span<const ops::InputClass> classesOf(DType type) {
  if (type == DType::F32 || type == DType::F64)
    return ops::InputClasses;
  return integerClasses;
}

static constexpr double shares[] = {0.001, 0.01, 0.1, 0.5, 1};

namespace {

struct Subject {
  std::string name;
  std::string text; ///< Empty: `loop` is timed.
  unsigned arity = 1;
  ops::Domain domain = {};
  DType type = DType::F32;
  Precision precision = Precision::Default;
  void (*loop)(const float *x, const float *y, float *out) = nullptr;
};

struct Settings {
  std::string tsv, only, cpu;
  unsigned bits = 0;
  double bar = 0;
};

/// One operand of all classes and shares, and one of ordinary numbers.
template <class T> class Inputs {
public:
  explicit Inputs(ops::Domain domain) : domain(domain) {
    fill(ordinary);
    fill(other);
  }
  void mix(const ops::InputClass &kind, double share) {
    mixed = ordinary;
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> draw(0, 1);
    const double value = sizeof(T) == 4 ? kind.single : kind.twice;
    for (T &element : mixed)
      if (draw(generator) < share)
        element =
            static_cast<T>(kind.isSpread ? value * draw(generator) : value);
  }

  std::vector<T> ordinary = std::vector<T>(elements), other = ordinary,
                 mixed = ordinary;

private:
  void fill(std::vector<T> &to) {
    std::uniform_real_distribution<double> draw(domain.low, domain.high);
    for (T &element : to)
      element = static_cast<T>(draw(generator));
  }

  ops::Domain domain;
  std::mt19937 generator{3};
};

/// Runs that are timed against each other.
using Run = std::function<void()>;

} // namespace

/// Median seconds of each run, in interleaved rounds.
static std::vector<double> timeAll(const std::vector<Run> &runs) {
  constexpr int rounds = 9;
  constexpr double enough = 40e-6;
  using Clock = std::chrono::steady_clock;
  auto timed = [](const Run &run, int times) {
    const auto begin = Clock::now();
    for (int i = 0; i < times; ++i)
      run();
    return std::chrono::duration<double>(Clock::now() - begin).count() / times;
  };
  std::vector<int> times;
  for (const Run &run : runs) {
    run();
    times.push_back(1 + static_cast<int>(enough / timed(run, 1)));
  }
  std::vector<std::vector<double>> all(runs.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < runs.size(); ++i)
      all[i].push_back(timed(runs[i], times[i]));
  std::vector<double> medians;
  for (auto &each : all) {
    std::nth_element(each.begin(), each.begin() + rounds / 2, each.end());
    medians.push_back(each[rounds / 2]);
  }
  return medians;
}

static void stop(const std::string &why) {
  std::cerr << "CliffsBenchmark: " << why << '\n';
  std::exit(1);
}

template <class T> static T orStop(Expected<T> value) {
  if (!value)
    stop(value.error().message());
  return *std::move(value);
}

static std::string cell(double ratio) { return number(ratio, 2); }

namespace {

/// Times one subject on all classes.
template <class T> class Measurement {
public:
  Measurement(const Engine &engine, const Subject &subject)
      : engine(engine), subject(subject), inputs(subject.domain) {
    if (subject.text.empty())
      return;
    CompileOptions options{.precision = subject.precision,
                           .operandTypes =
                               std::vector(subject.arity, subject.type)};
    kernel = orStop(engine.compile(subject.text, options));
    options.mode = Mode::Interpret;
    interpreted = orStop(engine.compile(subject.text, options));
  }

  /// The ratio of each share of a class that is put in one operand.
  std::vector<double> ratios(const ops::InputClass &kind, unsigned operand) {
    std::vector<std::vector<T>> mixed;
    for (double share : shares) {
      inputs.mix(kind, share);
      mixed.push_back(inputs.mixed);
      if (kernel)
        check(mixed.back(), operand);
    }
    std::vector<Run> runs = {runOf(inputs.ordinary, operand)};
    for (const auto &each : mixed)
      runs.push_back(runOf(each, operand));
    const auto seconds = timeAll(runs);
    std::vector<double> result;
    for (std::size_t i = 1; i < seconds.size(); ++i)
      result.push_back(seconds[i] / seconds[0]);
    return result;
  }

private:
  TensorView view(const T *data) const {
    return {const_cast<T *>(data), subject.type, Shape{elements}};
  }

  std::vector<TensorView> tensors(const std::vector<T> &x, unsigned operand) {
    std::vector<TensorView> all;
    for (unsigned i = 0; i < subject.arity; ++i)
      all.push_back(view((i == operand ? x : inputs.other).data()));
    return all;
  }

  Run runOf(const std::vector<T> &x, unsigned operand) {
    if constexpr (std::is_same_v<T, float>)
      if (subject.loop) {
        const float *in[] = {x.data(), inputs.other.data()};
        return [this, a = in[operand], b = in[1 - operand]] {
          subject.loop(a, b, out.data());
        };
      }
    auto bound = orStop(
        kernel->bind(tensors(x, operand), view(out.data()), {.maxThreads = 1}));
    return [bound] { (void)bound.run(); };
  }

  /// Results are the interpreter's, any NaN being one.
  void check(const std::vector<T> &x, unsigned operand) {
    std::vector<T> expected(elements);
    for (auto [each, to] :
         {std::pair(&*kernel, &out), std::pair(&*interpreted, &expected)})
      if (auto status = each->run(tensors(x, operand), view(to->data()),
                                  {.maxThreads = 1});
          !status)
        stop(status.error().message());
    for (std::int64_t i = 0; i < elements; ++i)
      if ((out[i] != expected[i] ||
           std::signbit(out[i]) != std::signbit(expected[i])) &&
          !(std::isnan(out[i]) && std::isnan(expected[i])))
        stop("wrong results of " + subject.name);
  }

  const Engine &engine;
  const Subject &subject;
  Inputs<T> inputs;
  std::vector<T> out = std::vector<T>(elements);
  std::optional<Kernel> kernel, interpreted;
};

} // namespace

template <float F(float, float)>
static void plainLoop(const float *x, const float *y, float *out) {
  for (std::int64_t i = 0; i < elements; ++i)
    out[i] = F(x[i], y[i]);
}

static float multiplied(float x, float y) { return x * y; }
static float divided(float x, float y) { return x / y; }
static float twelfth(float x, float) { return x / 12; }
static float root(float x, float) { return std::sqrt(x); }

static std::vector<Subject> subjects() {
  std::vector<Subject> all = {
      {"C++ x * y", "", 2, {}, DType::F32, {}, plainLoop<multiplied>},
      {"C++ x / y", "", 2, {}, DType::F32, {}, plainLoop<divided>},
      {"C++ x / 12", "", 1, {}, DType::F32, {}, plainLoop<twelfth>},
      {"C++ sqrt(x)", "", 1, {0, 100}, DType::F32, {}, plainLoop<root>},
      {"x / 12", "div(@0,12)"},
      {"fmod by 3", "fmod(@0,3)"},
      {"remainder by 3", "remainder(@0,3)"},
      {"e^-x^2", "exp(neg(mul(@0,@0)))", 1, {-4, 4}},
      {"E3", "mul(@0,sigmoid(@0))", 1, {-10, 10}},
      {"E6",
       "mul(mul(@0,0.5),add(tanh(mul(add(@0,mul(pow(@0,3),0.044715)),"
       "0.79788456)),1))",
       1,
       {-5, 5}},
      {"E7", "add(sin(@0),mul(cos(@1),exp(neg(mul(@0,@0)))))", 2, {-4, 4}},
  };
  struct Variant {
    const char *suffix;
    DType type;
    Precision precision;
    ops::Arithmetic arithmetic;
  };
  constexpr Variant variants[] = {
      {"", DType::F32, Precision::Default, ops::Arithmetic::F32},
      {" accurate", DType::F32, Precision::Accurate,
       ops::Arithmetic::F32Accurate},
      {" fast", DType::F32, Precision::Fast, ops::Arithmetic::F32Fast},
      {" f64", DType::F64, Precision::Default, ops::Arithmetic::F64},
      {" i32", DType::I32, Precision::Default, ops::Arithmetic::I32},
      {" i64", DType::I64, Precision::Default, ops::Arithmetic::I64},
  };
  for (const Variant &variant : variants)
    for (const ops::OpEntry &op : ops::table()) {
      const bool isOfIntegers =
          !op.works(ops::Arithmetic::F32) && !op.works(ops::Arithmetic::F64);
      if (!op.works(variant.arithmetic) ||
          (!op.isFloatToFloat() && !isOfIntegers))
        continue;
      std::string call = std::string(op.info.name) + "(";
      for (unsigned i = 0; i < op.arity; ++i)
        call += (i ? ",@" : "@") + std::to_string(i);
      all.push_back({std::string(op.info.name) + variant.suffix, call + ")",
                     op.arity, op.info.domain, variant.type,
                     variant.precision});
    }
  return all;
}

template <class T>
static std::vector<std::string> measure(const Engine &engine,
                                        const Subject &subject, double bar,
                                        std::ostream &tsv) {
  Measurement<T> measurement(engine, subject);
  std::vector<std::string> row = {subject.name};
  for (const ops::InputClass &kind : classesOf(subject.type)) {
    double worst = 0;
    for (unsigned operand = 0; operand < subject.arity; ++operand) {
      const auto ratios = measurement.ratios(kind, operand);
      for (std::size_t i = 0; i < ratios.size(); ++i)
        tsv << subject.name << '\t' << operand << '\t' << kind.name << '\t'
            << shares[i] << '\t' << cell(ratios[i]) << '\t'
            << subject.domain.low << '\t' << subject.domain.high << '\n';
      worst = std::max(worst, *std::max_element(ratios.begin(), ratios.end()));
    }
    row.push_back(worst > bar ? cell(worst) : "");
  }
  return row;
}

static std::vector<std::string> measureAny(const Engine &engine,
                                           const Subject &subject, double bar,
                                           std::ostream &tsv) {
  switch (subject.type) {
  case DType::F64:
    return measure<double>(engine, subject, bar, tsv);
  case DType::I32:
    return measure<std::int32_t>(engine, subject, bar, tsv);
  case DType::I64:
    return measure<std::int64_t>(engine, subject, bar, tsv);
  default:
    return measure<float>(engine, subject, bar, tsv);
  }
}

/// The table of subjects that have the same classes.
static void print(const Engine &engine, std::span<const Subject> subjects,
                  const Settings &settings, std::ostream &tsv) {
  std::vector<std::string> header = {"kernel"};
  for (const ops::InputClass &kind : classesOf(subjects.front().type))
    header.emplace_back(kind.name);
  Table table(header);
  for (const Subject &subject : subjects) {
    if (subject.name.find(settings.only) == std::string::npos)
      continue;
    auto row = measureAny(engine, subject, settings.bar, tsv);
    if (std::any_of(row.begin() + 1, row.end(),
                    [](const auto &text) { return !text.empty(); }))
      table.add(std::move(row));
  }
  std::cout << '\n';
  table.print(std::cout);
}

static Settings settingsOf(int argc, char **argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const char *value = argv[i + 1];
    if (name == "--tsv")
      settings.tsv = value;
    else if (name == "--only")
      settings.only = value;
    else if (name == "--cpu")
      settings.cpu = value;
    else if (name == "--bits")
      settings.bits = static_cast<unsigned>(std::atoi(value));
    else if (name == "--bar")
      settings.bar = std::atof(value);
    else
      stop("unknown option " + std::string(name));
  }
  return settings;
}

int main(int argc, char **argv) {
  const Settings settings = settingsOf(argc, argv);
  EngineOptions options;
  options.cpu = settings.cpu;
  options.vectorBits = settings.bits;
  const Engine engine(options);
  std::ofstream tsv(settings.tsv.empty() ? "/dev/null" : settings.tsv);
  tsv << "kernel\toperand\tclass\tshare\tratio\tlow\thigh\n";
  std::cout << (settings.cpu.empty() ? "host" : settings.cpu) << ", "
            << engine.vectorBits() << "-bit vectors, one thread, " << elements
            << " elements in cache: time over that of ordinary inputs, the "
               "worst of shares from 0.1 % to all.\n";
  const std::vector<Subject> all = subjects();
  const auto isWhole = [](const Subject &subject) {
    return classesOf(subject.type).data() == integerClasses;
  };
  const auto first = std::find_if(all.begin(), all.end(), isWhole);
  print(engine, {all.begin(), first}, settings, tsv);
  print(engine, {first, all.end()}, settings, tsv);
}
