//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time on inputs of one class over time on ordinary ones, which are uniform
// over the operator's domain: a table of the worst share of each class, in one
// operand or in all, one row a kernel, and with --tsv FILE every measurement
// and the domain, which utils/cliffs.py draws beside what NumPy and PyTorch
// take. A row called `C++` is a plain loop that computes the same, whose ratios
// are the processor's own; one called `over C++` has the kernel's time over
// that loop's, on the same inputs of a class.
//
//   CliffsBenchmark [--tsv FILE] [--cpu NAME] [--bits N] [--only TEXT]
//                   [--bar RATIO]
//
// --only takes kernels whose name contains the text; --bar prints nothing but
// what is above a ratio.
//
//===----------------------------------------------------------------------===//
#include "CliffLoops.h"

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
#include <new>
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

/// The same of f16.
static constexpr ops::InputClass halfClasses[] = {
    {"0", 0, 0},
    {"-0", -0.0, 0},
    {"subnormal", 6e-5, 0, true},
    {"least", 6.2e-5, 0},
    {"90", 90, 0},
    {"-90", -90, 0},
    {"1e4", 1e4, 0},
    {"-1e4", -1e4, 0},
    {"max", 65504, 0},
    {"inf", ops::InfiniteInput, 0},
    {"-inf", -ops::InfiniteInput, 0},
    {"nan", std::numeric_limits<double>::quiet_NaN(), 0},
    {"ln p", 0, 0, false, true},
};

static std::span<const ops::InputClass> classesOf(DType type) {
  if (type == DType::F16)
    return halfClasses;
  if (type != DType::I32 && type != DType::I64)
    return ops::InputClasses;
  return integerClasses;
}

static constexpr double shares[] = {0.001, 0.01, 0.1, 0.5, 1};

namespace {

struct Subject {
  std::string name;
  std::string text;
  unsigned arity = 1;
  ops::Domain domain = {};
  DType type = DType::F32;
  Precision precision = Precision::Default;
};

struct Settings {
  std::string tsv, only, cpu;
  unsigned bits = 0;
  double bar = 0;
};

/// An element of f16 or bf16.
template <DType Type> class Half {
public:
  Half() = default;
  explicit Half(double number) {
    const auto single = static_cast<float>(number);
    const void *from[] = {&single};
    ops::conversion(DType::F32, Type)(1, from, &bits);
  }
  explicit operator double() const {
    float single;
    const void *from[] = {&bits};
    ops::conversion(Type, DType::F32)(1, from, &single);
    return static_cast<double>(single);
  }

private:
  std::uint16_t bits = 0;
};

/// Pages, so that no operand is luckier in its place than another.
template <class T> struct InPages {
  using value_type = T;
  static constexpr std::align_val_t page{4096};

  InPages() = default;
  template <class U> InPages(const InPages<U> &) {}
  T *allocate(std::size_t count) {
    return static_cast<T *>(::operator new(count * sizeof(T), page));
  }
  void deallocate(T *memory, std::size_t) { ::operator delete(memory, page); }
  bool operator==(const InPages &) const = default;
};
template <class T> using Elements = std::vector<T, InPages<T>>;

/// Operands of ordinary numbers, and with some of a class among them.
template <class T> class Inputs {
public:
  Inputs(ops::Domain domain, unsigned arity)
      : ordinary(arity, Elements<T>(elements)) {
    std::mt19937 generator(3);
    std::uniform_real_distribution<double> draw(domain.low, domain.high);
    for (Elements<T> &operand : ordinary)
      for (T &element : operand)
        element = static_cast<T>(draw(generator));
  }
  /// Elements of the class are at the same places of every operand.
  Elements<T> mixed(const ops::InputClass &kind, double share,
                    unsigned operand) const {
    Elements<T> result = ordinary[operand];
    std::mt19937 places(7), values(kind.isOfSums ? 11 : 11 + operand);
    std::uniform_real_distribution<double> draw(0, 1);
    for (T &element : result)
      if (draw(places) < share)
        element = kind.number<T>(operand, draw(values));
    return result;
  }

  std::vector<Elements<T>> ordinary;
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

/// For each share of a class: times over those of ordinary inputs, and over
/// those of the loop in C++ on the same inputs.
struct Ratios {
  std::vector<double> own, plain, overPlain;
  double ordinary, plainOrdinary; ///< Nanoseconds an element.
};

/// Times one subject on all classes.
template <class T> class Measurement {
public:
  using Operands = std::vector<const T *>;

  Measurement(const Engine &engine, const Subject &subject)
      : subject(subject), inputs(subject.domain, subject.arity) {
    for (const CliffLoop &each : cliffLoops())
      if (subject.name == each.kernel)
        loop = &each;
    CompileOptions options{.precision = subject.precision,
                           .operandTypes =
                               std::vector(subject.arity, subject.type)};
    kernel = orStop(engine.compile(subject.text, options));
    options.mode = Mode::Interpret;
    interpreted = orStop(engine.compile(subject.text, options));
  }

  bool hasLoop() const { return loop; }

  /// Those of a class that is put in one operand, or in each if there are not
  /// so many.
  Ratios ratios(const ops::InputClass &kind, unsigned operand) {
    const bool isInAll = operand == subject.arity;
    Operands ordinary;
    for (const Elements<T> &each : inputs.ordinary)
      ordinary.push_back(each.data());
    std::vector<Operands> mixed = {ordinary};
    std::vector<Elements<T>> memory;
    for (double share : shares) {
      mixed.push_back(ordinary);
      for (unsigned i = 0; i < subject.arity; ++i)
        if (isInAll || i == operand) {
          memory.push_back(inputs.mixed(kind, share, i));
          mixed.back()[i] = memory.back().data();
        }
      check(mixed.back());
    }
    if (loop) {
      // Loops bound exponents: e^-100 is e^-87 in f32.
      constexpr double ofOnes = 1e-5;
      checkLoop(mixed.front(), loop->cancels ? ofOnes : 1e-30);
      const bool isSmall = kind.single > 0 && kind.single < 1;
      if (isSmall && !isInAll)
        checkLoop(mixed.back(),
                  loop->cancels
                      ? ofOnes
                      : 4 * static_cast<double>(
                                std::numeric_limits<T>::denorm_min()));
    }
    std::vector<Run> runs;
    for (const Operands &each : mixed)
      runs.push_back(runOf(each));
    for (const Operands &each : mixed)
      if (loop)
        runs.push_back(plainRunOf(each));
    const auto seconds = timeAll(runs);
    constexpr double unit = 1e9 / elements;
    Ratios result;
    result.ordinary = seconds[0] * unit;
    result.plainOrdinary = loop ? seconds[mixed.size()] * unit : 0;
    for (std::size_t i = 1; i < mixed.size(); ++i) {
      result.own.push_back(seconds[i] / seconds[0]);
      if (!loop)
        continue;
      const double plain = seconds[mixed.size() + i];
      result.plain.push_back(plain / seconds[mixed.size()]);
      result.overPlain.push_back(seconds[i] / plain);
    }
    return result;
  }

private:
  TensorView view(const T *data) const {
    return {const_cast<T *>(data), subject.type, Shape{elements}};
  }
  std::vector<TensorView> tensors(const Operands &x) const {
    std::vector<TensorView> all;
    for (const T *each : x)
      all.push_back(view(each));
    return all;
  }

  /// Half a page from the operands: a load that looks like one of what was
  /// just stored would wait.
  T *out() { return memory.data() + 2048 / sizeof(T); }

  Run runOf(const Operands &x) {
    auto bound =
        orStop(kernel->bind(tensors(x), view(out()), {.maxThreads = 1}));
    return [bound] { (void)bound.run(); };
  }
  Run plainRunOf(const Operands &x) {
    const std::vector<const void *> in(x.begin(), x.end());
    return [this, in] { loop->run(elements, out(), in.data()); };
  }

  void runOnce(const Kernel &of, const Operands &x, T *to) {
    const auto status = of.run(tensors(x), view(to), {.maxThreads = 1});
    if (!status)
      stop(status.error().message());
  }

  /// Results are the interpreter's, any NaN being one.
  void check(const Operands &x) {
    std::vector<T> expected(elements);
    runOnce(*kernel, x, out());
    runOnce(*interpreted, x, expected.data());
    for (std::int64_t i = 0; i < elements; ++i)
      if (const auto got = static_cast<double>(out()[i]),
          right = static_cast<double>(expected[i]);
          (got != right || std::signbit(got) != std::signbit(right)) &&
          !(std::isnan(got) && std::isnan(right)))
        stop("wrong results of " + subject.name);
  }

  /// Results of the loop are the kernel's within a tolerance, or a slack near
  /// 0.
  void checkLoop(const Operands &x, double slack) {
    constexpr double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-6;
    std::vector<T> expected(elements);
    runOnce(*kernel, x, expected.data());
    plainRunOf(x)();
    for (std::int64_t i = 0; i < elements; ++i) {
      const auto got = static_cast<double>(out()[i]);
      const auto right = static_cast<double>(expected[i]);
      if (got != right &&
          !(std::abs(got - right) < slack + tolerance * std::abs(right)))
        stop("wrong results of C++ " + subject.name);
    }
  }

  const Subject &subject;
  const CliffLoop *loop = nullptr;
  Inputs<T> inputs;
  Elements<T> memory = Elements<T>(elements + 2048 / sizeof(T));
  std::optional<Kernel> kernel, interpreted;
};

} // namespace

static std::vector<Subject> subjects() {
  std::vector<Subject> all = {
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
      {" f16", DType::F16, Precision::Default, ops::Arithmetic::F32},
      {" bf16", DType::BF16, Precision::Default, ops::Arithmetic::F32},
      {" i32", DType::I32, Precision::Default, ops::Arithmetic::I32},
      {" i64", DType::I64, Precision::Default, ops::Arithmetic::I64},
  };
  for (const Variant &variant : variants)
    for (const ops::OpEntry &op : ops::table()) {
      const bool isOfIntegers =
          !op.works(ops::Arithmetic::F32) && !op.works(ops::Arithmetic::F64);
      if (!op.works(variant.arithmetic) ||
          (!op.isFloatToFloat() &&
           (!isOfIntegers || classesOf(variant.type).data() != integerClasses)))
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

using Rows = std::vector<std::vector<std::string>>;

template <class T>
static Rows measure(const Engine &engine, const Subject &subject, double bar,
                    std::ostream &tsv) {
  Measurement<T> measurement(engine, subject);
  const std::size_t count = measurement.hasLoop() ? 3 : 1;
  const std::string names[] = {subject.name, "C++ " + subject.name,
                               subject.name + " over C++"};
  Rows rows;
  for (std::size_t row = 0; row < count; ++row)
    rows.push_back({names[row]});
  for (const ops::InputClass &kind : classesOf(subject.type)) {
    double worst[3] = {};
    for (unsigned operand = 0; operand <= subject.arity; ++operand) {
      if (!kind.isPutIn(operand, subject.arity))
        continue;
      const std::string place =
          operand < subject.arity ? std::to_string(operand) : "all";
      const Ratios ratios = measurement.ratios(kind, operand);
      const std::vector<double> *each[] = {&ratios.own, &ratios.plain,
                                           &ratios.overPlain};
      const double ordinary[] = {ratios.ordinary, ratios.plainOrdinary, 1};
      for (std::size_t row = 0; row < count; ++row)
        for (std::size_t i = 0; i < std::size(shares); ++i) {
          const double ratio = (*each[row])[i];
          worst[row] = std::max(worst[row], ratio);
          tsv << names[row] << '\t' << place << '\t' << kind.name << '\t'
              << shares[i] << '\t' << cell(ratio) << '\t' << subject.domain.low
              << '\t' << subject.domain.high << '\t' << number(ordinary[row], 4)
              << '\n';
        }
    }
    for (std::size_t row = 0; row < count; ++row)
      rows[row].push_back(worst[0] > bar ? cell(worst[row]) : "");
  }
  return rows;
}

static Rows measureAny(const Engine &engine, const Subject &subject, double bar,
                       std::ostream &tsv) {
  switch (subject.type) {
  case DType::F64:
    return measure<double>(engine, subject, bar, tsv);
  case DType::F16:
    return measure<Half<DType::F16>>(engine, subject, bar, tsv);
  case DType::BF16:
    return measure<Half<DType::BF16>>(engine, subject, bar, tsv);
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
    for (auto &row : measureAny(engine, subject, settings.bar, tsv))
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
  tsv << "kernel\toperand\tclass\tshare\tratio\tlow\thigh\tordinary_ns\n";
  std::cout << (settings.cpu.empty() ? "host" : settings.cpu) << ", "
            << engine.vectorBits() << "-bit vectors, one thread, " << elements
            << " elements in cache: time over that of ordinary inputs, the "
               "worst of shares from 0.1 % to all.\n";
  const std::vector<Subject> all = subjects();
  for (auto first = all.begin(); first != all.end();) {
    const auto *classes = classesOf(first->type).data();
    const auto last = std::find_if(first, all.end(), [&](const Subject &each) {
      return classesOf(each.type).data() != classes;
    });
    print(engine, {first, last}, settings, tsv);
    first = last;
  }
}
