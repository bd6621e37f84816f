//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-ulp: measures the errors of operators and expressions.
//
//===----------------------------------------------------------------------===//
#include "Common/CommandLine.h"
#include "Common/Files.h"
#include "Support/Quote.h"
#include "Support/Text.h"
#include "Ulp/Records.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <unistd.h>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
struct Options {
  std::vector<std::string> names;
  std::string expression;
  std::vector<std::string> ranges;
  std::vector<DType> types;
  std::string step = "1";
  std::string count = "262144";
  std::string json;
  std::string markdown;
  std::vector<std::string> resume;
  MeasureRequest request = {.precisions = {}};
};
} // namespace

static constexpr const char *footer = R"(
Errors are in units in the last place (ulp) of the exact result. f32 operators
of one argument are measured at all 2^32 numbers, or one bit pattern out of
--step; others at --count special, structured and random inputs, the same at
every run. A kernel passes if its largest error is within the bound that the
operator table states, no zero has the wrong sign, and its bits are those of
the interpreter.

An expression is held against the same tree in wide precision. Its literals are
taken as kernels take them: computed with each other in double, and rounded to
the element type where they meet an operand. Operands without a --range are
drawn from -10 to 10.

Examples:
  kexpr-ulp exp log --step 4096
  kexpr-ulp --json all.json --resume all.json --markdown docs/accuracy.md
  kexpr-ulp --expr 'mul(@0,sigmoid(@1))' --range 0=-10:10 --range 1=0:1

Exit status: 0 all within the bounds; 1 a kernel that is not, or a bad name,
expression, range, number or file; 2 bad usage.)";

/// Options that take lists with commas.
static void addLists(CLI::App &app, Options &options) {
  const auto add = [&app](const char *name, auto &values, const char *help,
                          const char *text) {
    return app.add_option(name, values, help)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->option_text(text);
  };
  const std::map<std::string, DType> types{{"f32", DType::F32},
                                           {"f64", DType::F64}};
  add("--type", options.types,
      "element types; both by default, f32 with --expr", "f32|f64,...")
      ->transform(CLI::CheckedTransformer(types));
  add("--precision", options.request.precisions,
      "of f32; all by default, 'default' with --expr",
      "default|accurate|fast,...")
      ->transform(CLI::CheckedTransformer(precisionNames()));
  add("--width", options.request.widths,
      "bits of vectors: 128, 256, 512; by default all that this CPU has",
      "N,...")
      ->check(CLI::IsMember({128, 256, 512}));
}

static void addOptions(CLI::App &app, Options &options) {
  auto *names = app.add_option("OPERATOR", options.names,
                               "the operators to measure; all by default");
  auto *expression =
      app.add_option("--expr", options.expression,
                     "measure an expression instead; '-' reads it from "
                     "standard input")
          ->excludes(names)
          ->type_name("EXPR");
  app.add_option("--range", options.ranges,
                 "where an operand is drawn from, as 0=-10:10, ends included; "
                 "once for each operand")
      ->needs(expression)
      ->allow_extra_args(false)
      ->type_name("K=LOW:HIGH");
  app.add_flag("--exhaustive", options.request.exhaustive,
               "take all f32 numbers in the range of the only operand")
      ->needs(expression);
  addLists(app, options);
  app.add_option("--step", options.step,
                 "take one bit pattern out of N; 1, the default, takes all")
      ->type_name("N");
  app.add_option("--count", options.count,
                 "inputs where not all can be taken; 262144 by default")
      ->type_name("N");
  addThreads(app, options.request.sweep.threads);
  app.add_flag("--check-widths,!--no-check-widths", options.request.checkWidths,
               "also hold all bits against the interpreter's; on by default");
  const auto addFile = [&](const char *name, auto &value, const char *help) {
    return app.add_option(name, value, help)
        ->excludes(expression)
        ->type_name("FILE");
  };
  addFile("--json", options.json,
          "write all rows to a file, anew after each operator");
  addFile("--markdown", options.markdown,
          "write all rows as a page, when all are there");
  addFile("--resume", options.resume,
          "take rows from a file that --json wrote and measure the others; may "
          "be the file of --json, and may then be missing")
      ->allow_extra_args(false);
  app.footer(footer);
}

static constexpr const char *eraseLine = "\r\x1b[K";

namespace {
/// A bar with the time that is left, on stderr; nothing where that is no
/// terminal. It is erased when this is destroyed.
class Progress {
public:
  explicit Progress(std::string label) : label(std::move(label)) {}
  ~Progress() {
    if (isTerminal)
      std::cerr << eraseLine << std::flush;
  }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// `part`, of 1, is done.
  void show(double part) const;

private:
  std::string label;
  bool isTerminal = isatty(STDERR_FILENO);
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

/// "1 h 2 min", "3 min 20 s", "7 s".
static std::string timeText(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole >= 3600)
    return concat(whole / 3600, " h ", whole % 3600 / 60, " min");
  if (whole >= 60)
    return concat(whole / 60, " min ", whole % 60, " s");
  return concat(whole, " s");
}

void Progress::show(double part) const {
  if (!isTerminal)
    return;
  constexpr std::size_t full = 24;
  const auto done = static_cast<std::size_t>(std::clamp(part, 0., 1.) * full);
  const std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  std::cerr << eraseLine << label << " [" << std::string(done, '#')
            << std::string(full - done, ' ') << "] "
            << static_cast<int>(part * 100) << " %";
  if (part > 0)
    std::cerr << ", " << timeText(spent.count() * (1 - part) / part) << " left";
  std::cerr << std::flush;
}

/// The faults of a kernel; empty if there are none.
static std::string faultsOf(const Accuracy &row) {
  const Tally &tally = row.tally;
  std::string text;
  if (!(tally.ulp.error <= row.bound))
    text += "  ABOVE ITS BOUND";
  if (tally.wrongSigns)
    text += concat("  ", tally.wrongSigns, " ZEROS OF THE WRONG SIGN, as at ",
                   hexText(tally.wrongSign.arguments));
  if (tally.differing)
    text += concat("  ", tally.differing, " UNLIKE THE INTERPRETER, as at ",
                   hexText(tally.different.arguments));
  return text;
}

static std::string_view precisionText(const Accuracy &row) {
  return row.type == DType::F64 ? "-" : nameOf(row.precision);
}

static void printKernels(const Measured &measured) {
  auto cells = [](std::string_view type, std::string_view precision, auto width,
                  auto bound, const std::string &worst,
                  const std::string &misrounded, auto inputs) {
    std::cout << "  " << std::left << std::setw(6) << type << std::setw(11)
              << precision << std::right << std::setw(5) << width
              << std::setw(7) << bound << std::setw(11) << worst
              << std::setw(24) << misrounded << std::setw(12) << inputs << "  ";
  };
  cells("type", "precision", "width", "bound", "worst", "not nearest",
        "inputs");
  std::cout << "at\n";
  for (const Accuracy &row : measured.kernels) {
    const auto &[inputs, misrounded] =
        std::tie(row.tally.inputs, row.tally.misrounded);
    cells(nameOf(row.type), precisionText(row), row.width, row.bound,
          ulpText(row.tally.ulp.error),
          concat(misrounded, " (", shareText(misrounded, inputs), ")"), inputs);
    std::cout << hexText(row.tally.ulp.arguments) << faultsOf(row) << '\n';
  }
}

static void printSpecials(const Measured &measured) {
  auto cell = [](std::string text) { return padded(std::move(text), 25); };
  auto print = [](std::string line) {
    std::cout << line.erase(line.find_last_not_of(' ') + 1) << '\n';
  };
  std::string header = "  " + cell("special number") + cell("reference");
  for (std::string_view last; const Accuracy &row : measured.kernels)
    if (const auto name = precisionText(row); name != last) {
      last = name;
      header += concat(' ', cell(name == "-" ? "kernel" : std::string(name)));
    }
  print(header);
  for (const SpecialCase &special : measured.specials) {
    std::string line = "  " + cell(hexText(special.argument)) +
                       cell(hexText(special.expected));
    for (double got : special.got)
      line +=
          (isOtherKind(got, special.expected) ? '*' : ' ') + cell(hexText(got));
    print(line);
  }
}

/// Prints a line for each kernel of one operator and type, and the table of
/// special numbers; what differs from the reference in kind or sign has a star.
static void printMeasured(const Measured &measured) {
  const Accuracy &first = measured.kernels.front();
  const ops::OpInfo &info = ops::table()[first.op].info;
  std::cout << info.name << ": " << info.doc << '\n';
  printKernels(measured);
  if (!measured.specials.empty())
    printSpecials(measured);
  std::cout << '\n' << std::flush;
}

static void printHistogram(const Tally &tally) {
  constexpr double full = 40;
  for (std::size_t i = 0; i < tally.counts.size(); ++i) {
    const double step = Tally::Steps[i];
    if (tally.counts[i] == 0)
      continue;
    const double share = static_cast<double>(tally.counts[i]) /
                         static_cast<double>(tally.inputs);
    const std::string label = std::isinf(step) ? "infinite"
                              : step > Tally::Steps[i - (i > 0)] * 1e9
                                  ? "more"
                                  : concat("<= ", step);
    std::cout << "    " << std::left << std::setw(10) << label << std::right
              << std::setw(12) << tally.counts[i] << std::setw(10)
              << shareText(tally.counts[i], tally.inputs) << "  "
              << std::string(static_cast<std::size_t>(std::ceil(share * full)),
                             '#')
              << '\n';
  }
}

/// " at @0 = 0x1p+0, @1 = 0x1.8p+1"; empty where there is no error.
static std::string argumentsText(const Largest &largest) {
  std::string text;
  for (std::size_t k = 0; k < largest.arguments.size(); ++k)
    text +=
        concat(k ? ", @" : " at @", k, " = ", hexText(largest.arguments[k]));
  return text;
}

static void printTally(const Tally &tally) {
  std::cout << "  worst     " << ulpText(tally.ulp.error) << " ulp"
            << argumentsText(tally.ulp) << "\n  absolute  "
            << tally.absolute.error << argumentsText(tally.absolute)
            << "\n  mean      " << tally.mean() << " ulp\n  not nearest "
            << tally.misrounded << " of " << tally.inputs << " ("
            << shareText(tally.misrounded, tally.inputs) << ")\n";
  if (tally.wrongSigns)
    std::cout << "  zeros of the wrong sign " << tally.wrongSigns << ", as"
              << argumentsText(tally.wrongSign) << '\n';
  std::cout << "  errors in ulp\n";
  printHistogram(tally);
}

static void printWidths(const KernelSet &set,
                        const std::vector<Tally> &tallies) {
  std::uint64_t differing = 0;
  std::string widths;
  for (std::size_t k = 0; k < tallies.size(); ++k) {
    differing += tallies[k].differing;
    widths += concat(k ? ", " : "", set.widths[k]);
    if (tallies[k].differing)
      std::cout << "  width " << set.widths[k] << ": " << tallies[k].differing
                << " UNLIKE THE INTERPRETER, as"
                << argumentsText(tallies[k].different) << '\n';
  }
  if (differing == 0 && set.interpreter)
    std::cout << "  widths " << widths
              << " and the interpreter gave the same bits\n";
}

/// Prints for each precision and output of a study the largest errors, the
/// mean, and how the errors are spread.
static void printStudy(const Study &study) {
  for (std::size_t s = 0; s < study.sets.size(); ++s)
    for (std::size_t o = 0; o < study.outputs; ++o) {
      std::cout << study.text << ", " << nameOf(study.type);
      if (study.type == DType::F32)
        std::cout << ' ' << nameOf(study.sets[s].precision);
      if (study.outputs > 1)
        std::cout << ", output " << o;
      std::cout << '\n';
      printTally(study.tallies[s][o].back());
      printWidths(study.sets[s], study.tallies[s][o]);
      std::cout << '\n';
    }
}

/// Prints which kernels are not within their bounds; whether all are.
static bool printSummary(const Records &records) {
  std::size_t within = 0;
  for (const Accuracy &row : records.rows()) {
    within += row.isWithinBound();
    if (!row.isWithinBound())
      std::cout << "not within its bound: " << ops::table()[row.op].info.name
                << ' ' << nameOf(row.type) << ' ' << nameOf(row.precision)
                << ' ' << row.width << '\n';
  }
  const std::size_t all = records.rows().size();
  std::cout << all << " kernels measured, " << within
            << " within their bounds\n";
  return within == all;
}

static ops::OpId operatorOf(const std::string &name) {
  const auto op = ops::find(name);
  if (!op) {
    const std::string_view close = ops::closest(name);
    exitWith(
        {ErrorCode::UnknownOperator,
         concat("unknown operator ", quote(name),
                close.empty() ? "" : concat("; did you mean '", close, "'?"))});
  }
  const ops::OpInfo &info = ops::table()[*op].info;
  if (!isMeasurable(*op))
    exitWith(
        {ErrorCode::Unsupported,
         concat("operator ", quote(name),
                info.types == ops::TypeRule::Composed ? " is made of others"
                : ops::worksIn(info.types, ops::Arithmetic::F32)
                    ? " gives bools"
                    : " takes integers",
                " and has no error to measure")});
  return *op;
}

/// The operators of those names, in the order of the table, each once; all that
/// have an error to measure if there is no name.
static std::vector<ops::OpId>
operatorsOf(const std::vector<std::string> &names) {
  std::vector<ops::OpId> all;
  for (const std::string &name : names)
    all.push_back(operatorOf(name));
  for (ops::OpId op = 0; names.empty() && op < ops::table().size(); ++op)
    if (isMeasurable(op))
      all.push_back(op);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

static std::uint64_t numberOf(const char *option, const std::string &text,
                              std::uint64_t most) {
  const auto number = parseWhole(text);
  if (number && *number != 0 && *number <= most)
    return *number;
  exitWith({ErrorCode::InvalidArgument,
            concat(option, " must be a whole number from 1 to ", most, ", not ",
                   quote(text))});
}

static void resume(Records &records, const Options &options) {
  for (const std::string &path : options.resume) {
    // The first run of one that is to be resumed.
    if (path == options.json && !std::filesystem::exists(path))
      continue;
    const Status status = records.addJson(orExit(readFile(path)));
    if (!status)
      exitWith(
          {status.error().code(), concat("cannot resume from ", quote(path),
                                         ": ", status.error().message())});
  }
}

static void saveRows(const Records &records, const Options &options) {
  if (!options.json.empty())
    orExit(writeFile(options.json, records.json()));
}

/// Measures the kernels of one operator and type that there is no row of.
static void measureOne(MeasureRequest request, const std::string &label,
                       Records &records, const Options &options) {
  if (request.type == DType::F64)
    request.precisions = {Precision::Default};
  std::erase_if(request.precisions, [&](Precision precision) {
    return !request.widths.empty() &&
           std::ranges::all_of(request.widths, [&](unsigned width) {
             return records.has(request.op, request.type, precision, width);
           });
  });
  if (request.precisions.empty())
    return;
  const Measured measured = orExit([&] {
    const Progress progress(label);
    request.sweep.progress = [&](double part) { progress.show(part); };
    return measure(request);
  }());
  printMeasured(measured);
  for (const Accuracy &accuracy : measured.kernels)
    records.add(accuracy);
  saveRows(records, options);
}

static int runOperators(const Options &options) {
  const auto chosen = operatorsOf(options.names);
  MeasureRequest request = options.request;
  request.step = static_cast<std::uint32_t>(
      numberOf("--step", options.step, ~std::uint32_t{0}));
  request.count = numberOf("--count", options.count, std::uint64_t{1} << 40);
  if (request.precisions.empty())
    request.precisions = {Precision::Default, Precision::Accurate,
                          Precision::Fast};
  if (request.widths.empty())
    request.widths = hostWidths();
  Records records(request.step, request.count);
  resume(records, options);
  for (const std::string *path : {&options.json, &options.markdown})
    if (!path->empty())
      orExit(checkWritable(*path));
  auto types = options.types;
  if (types.empty())
    types = {DType::F32, DType::F64};
  for (std::size_t i = 0; i < chosen.size(); ++i)
    for (DType type : types) {
      request.op = chosen[i];
      request.type = type;
      measureOne(request,
                 concat('(', i + 1, " of ", chosen.size(), ") ",
                        ops::table()[request.op].info.name, ' ', nameOf(type)),
                 records, options);
    }
  // Also where nothing was left to measure: rows of several files join here.
  saveRows(records, options);
  if (!options.markdown.empty())
    orExit(writeFile(options.markdown, records.markdown()));
  return printSummary(records) ? 0 : exitFault;
}

static int runExpression(const Options &options) {
  if (options.types.size() > 1)
    return report(Error(ErrorCode::InvalidArgument,
                        "an expression is measured in one type at a time"));
  MeasureRequest request = options.request;
  request.count = numberOf("--count", options.count, std::uint64_t{1} << 40);
  request.expression = expressionText(options.expression);
  if (!options.types.empty())
    request.type = options.types.front();
  if (request.precisions.empty())
    request.precisions = {Precision::Default};
  for (const std::string &range : options.ranges)
    orExit(addRange(range, request.ranges));
  const Study found = orExit([&] {
    const Progress progress("measuring");
    request.sweep.progress = [&](double part) { progress.show(part); };
    return study(request);
  }());
  printStudy(found);
  return found.isConsistent() ? 0 : exitFault;
}

int main(int argc, char **argv) {
  CLI::App app("Measures the errors of operators and expressions through the "
               "compiled kernels.",
               "kexpr-ulp");
  Options options;
  addOptions(app, options);
  if (auto exit = parseCommandLine(app, argc, argv))
    return *exit;
  return app.count("--expr") ? runExpression(options) : runOperators(options);
}
