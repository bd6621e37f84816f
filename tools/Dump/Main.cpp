//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kexpr-dump: prints what each stage makes of an expression.
//
//===----------------------------------------------------------------------===//
#include "CodeGen/CodeGen.h"
#include "Common/CommandLine.h"
#include "Common/Files.h"
#include "Dump/Calls.h"
#include "Dump/Json.h"
#include "Dump/Types.h"
#include "Inspect/Explain.h"
#include "Inspect/Render.h"
#include "Page/Page.h"
#include "Support/Text.h"
#include "kexpr/Precision.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kexpr;
using namespace kexpr::tools;

namespace {
struct Options {
  std::string expression;
  std::optional<Syntax> syntax;
  /// A stage's name, `json`, `html` or `all`.
  std::string stage = "graph";
  /// Of `--print-after`; empty without it.
  std::string pass;
  std::string types;
  /// Of the operands of a call; without it loops are shown, not a call's.
  std::optional<std::string> shapes;
  std::vector<std::uint32_t> zeroDims;
  std::string outputs;
  bool streams = false;
  codegen::TargetOptions target;
  codegen::OptLevel level = codegen::OptLevel::Optimized;
  bool measure = true;
  std::int64_t elements = 4000000;
  Precision precision = Precision::Default;
  /// Where the result goes: a file, or a directory for `all`; standard output
  /// if empty or `-`.
  std::string path;
  /// Of a comparison: as `diff -u` prints it.
  bool isUnified = false;

  bool isForStdout() const { return path.empty() || path == "-"; }
  /// Whether this stage is asked for, and no pass.
  bool isStage(std::string_view name) const {
    return pass.empty() && stage == name;
  }
};
} // namespace

static constexpr const char *footer = R"(
Stages:
  tokens   the words of the text and their ranges
  ast      the tree
  rpn      the reverse Polish order and the height of its stack
  graph    the checked, simplified graph
  dot      the same for Graphviz
  plan     the graph, how operands are accessed, and the work of one element
  llvm     the LLVM IR of the loop as it is emitted
  llvm-opt the IR as instruction selection gets it
  mir      the finished machine function, as LLVM's MIR text
  asm      its assembly
  obj      its object file
  explain  its shape, what LLVM's model of the CPU predicts, and what it takes
           here if this is the machine
  json     the same as data, with the code of each operator
  html     these data as a page that shows what each operator became
  all      all of them but data and page; with -o, a directory with a file each

Operands: 'f32[n]' is contiguous, 'f32' one value, 'f32[]' that of a 0-d tensor,
'f32[n:s]' strided. Types: f32 f64 f16 bf16 i8 i16 i32 i64 u8
u16 u32 u64 bool.

Names of infix text (--syntax=infix) are @0, @1... as they first appear, and
types are NumPy's.

Examples:
  kexpr-dump 'add(mul(@0,@1),@2)' --emit=llvm --types 'f32[n],f32'
  kexpr-dump 'mul(@0,sigmoid(@0))' --emit=asm --mcpu=skylake-avx512
  kexpr-dump 'mul(@0,sigmoid(@0))' --print-after=machine-scheduler
  kexpr-dump 'mul(@0,sigmoid(@0))' --emit=all -o sigmoid
  kexpr-dump 'softmax(@0,-1)' --emit=asm --shapes 'f32[1000,16]'
  kexpr-dump --emit=asm --diff 'mul(@0,sigmoid(@0))' 'silu(@0)'
  kexpr-dump 'silu(@0)' --emit=asm --diff --mcpu=znver3 --mcpu=skylake-avx512

A comparison fits its columns to COLUMNS, the terminal, or 160. Its gutter says
'|' of a line that changed, '<' and '>' of one on the left or right alone.

Exit status: 0 success, also of a comparison that finds differences; 1 a bad
expression, type or target, or a file that cannot be written; 2 bad usage.)";

static void addSignature(CLI::App &app, Options &options) {
  addSyntax(app, options.syntax);
  app.add_option("--types", options.types,
                 "types and access of @0, @1...; contiguous f32 by default")
      ->type_name("LIST");
  app.add_option(
         "--zero-dims", options.zeroDims,
         "operands that are 0-d tensors, as '0,2', whatever their access")
      ->delimiter(',')
      ->type_name("LIST");
  app.add_option("--shapes", options.shapes,
                 "types and shapes of @0, @1..., as 'f32[1000,16],f32[16]': "
                 "shows what loops such a call runs here")
      ->type_name("LIST")
      ->excludes("--types", "--zero-dims");
  app.add_option("--outputs", options.outputs,
                 "access of outputs, as '[n],[n:s]'; contiguous by default")
      ->type_name("LIST");
  app.add_flag("--streamed", options.streams,
               "outputs are written past the caches");
  addPrecision(app, options.precision);
}

static void addTarget(CLI::App &app, Options &options) {
  app.add_option("--triple", options.target.triple,
                 "the machine, as LLVM names it; the CPU's, or the host")
      ->type_name("TRIPLE");
  app.add_option("--mcpu", options.target.cpu, "its CPU")->type_name("CPU");
  app.add_option("--mattr", options.target.features,
                 "features to add or remove, as '+avx2,-avx512f'")
      ->type_name("LIST");
  app.add_option("--vector-bits", options.target.vectorBits,
                 "width of the vectors; the machine's best by default")
      ->check(CLI::IsMember({128, 256, 512}))
      ->type_name("N");
  app.add_flag_callback(
      "--baseline", [&options] { options.level = codegen::OptLevel::Baseline; },
      "code of LLVM's fastest code generator");
}

static void addOptions(CLI::App &app, Options &options) {
  // What a side of a comparison says comes last.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("EXPR", options.expression,
                 "the expression; '-' reads it from standard input")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
      ->required();
  std::vector<std::string> stages = {"all", "html", "json"};
  for (Stage stage : inspect::AllStages)
    stages.emplace_back(nameOf(stage));
  app.add_option("--emit", options.stage, "the stage; 'graph' by default")
      ->check(CLI::IsMember(stages))
      ->type_name("STAGE");
  app.add_option("--print-after", options.pass,
                 "instead of a stage, the IR or machine IR after each of "
                 "LLVM's passes of this name, or after 'all'")
      ->type_name("PASS");
  app.add_option("-o,--output", options.path,
                 "the file to write, or the directory for 'all'")
      ->type_name("PATH");
  app.add_flag("--diff")->description(
      "followed by A and B: what two command lines show, beside each other. "
      "Each is an expression, options, or both; the rest is common to them");
  app.add_flag("--unified", options.isUnified,
               "a comparison as 'diff -u' prints it");
  addSignature(app, options);
  addTarget(app, options);
  app.add_flag("!--no-measure", options.measure,
               "explain, json, html: time nothing");
  app.add_option(
         "--elements", options.elements,
         "explain, json, html: the largest size to time, 4000000 by default; "
         "at most 1 GiB of operands")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32))
      ->type_name("N");
  app.footer(footer);
}

/// Ends the program with a sentence about its command line.
[[noreturn]] static void exitForUsage(const char *sentence) {
  std::cerr << sentence << '\n';
  std::exit(exitUsage);
}

/// The options of a command line of `words`; ends the program where there is
/// nothing to show.
static Options read(std::vector<std::string> words) {
  CLI::App app("Prints what each stage of kexpr makes of an expression.",
               "kexpr-dump");
  Options options;
  addOptions(app, options);
  words.insert(words.begin(), "kexpr-dump");
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  if (auto exit = parseCommandLine(app, static_cast<int>(arguments.size()),
                                   arguments.data()))
    std::exit(*exit);
  if (app.count("--diff"))
    exitForUsage("--diff needs two sides, once");
  return options;
}

static Expected<codegen::Target> targetOf(const Options &options) {
  auto backend = backend::load();
  return backend ? (*backend)->makeTarget(options.target) : backend.error();
}

static std::string explainLoop(const semantics::Plan &plan,
                               const Options &options) {
  const auto target = orExit(targetOf(options));
  const auto *backend = orExit(backend::load());
  const auto report = orExit(backend->reportLoop(plan, target, options.level));
  const Measured measured =
      measureHere(*backend, plan, target, options.level, options.elements);
  return concat(inspect::explain(plan, target, options.level, report), '\n',
                measured.times.empty()
                    ? concat("Not measured: ", measured.reason, '\n')
                    : timesText(measured.times, report));
}

static std::string explainAndMeasure(const semantics::Plan &plan,
                                     const Options &options) {
  std::string text;
  for (const inspect::LoopOf &loop : inspect::loopsOf(plan))
    text += concat(text.empty() ? "" : "\n", loop.heading,
                   loop.heading.empty() ? "" : "\n",
                   explainLoop(loop.plan, options));
  return text;
}

/// Leaves out what a page would not show of a large function: lines in a row,
/// in the loop or not. The first of them becomes a label that says how many.
static void cutCode(nlohmann::json &code) {
  constexpr std::size_t mostInLoop = 4000, mostAround = 600;
  nlohmann::json shown = nlohmann::json::array();
  for (std::size_t begin = 0, end = 0; begin < code.size(); begin = end) {
    const bool isInLoop = code[begin]["in_loop"];
    while (end < code.size() && code[end]["in_loop"] == isInLoop)
      ++end;
    const std::size_t last =
        std::min(end, begin + (isInLoop ? mostInLoop : mostAround));
    for (std::size_t i = begin; i < last; ++i)
      shown.push_back(std::move(code[i]));
    if (last < end)
      shown.push_back({{"text", concat("and ", end - last, " more lines")},
                       {"is_label", true},
                       {"in_loop", isInLoop}});
  }
  code = std::move(shown);
}

static nlohmann::json jsonOf(const Expression &expression,
                             const inspect::LoopOf &loop,
                             const Options &options) {
  const auto target = orExit(targetOf(options));
  const auto *backend = orExit(backend::load());
  const auto measured = options.measure
                            ? measureHere(*backend, loop.plan, target,
                                          options.level, options.elements)
                            : Measured{{}, "measuring was turned off"};
  return orExit(
      kernelJson(expression, loop, target, options.level, *backend, measured));
}

/// The data of a kernel: as JSON, or as the page that shows them.
static std::string dataOf(const Expression &expression,
                          const semantics::Plan &plan, const Options &options) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const inspect::LoopOf &loop : inspect::loopsOf(plan))
    kernels.push_back(jsonOf(expression, loop, options));
  if (options.stage == "html")
    for (nlohmann::json &kernel : kernels)
      for (const char *code : {"ir", "assembly"})
        cutCode(kernel[code]);
  const nlohmann::json &data = kernels.size() > 1 ? kernels : kernels[0];
  return options.stage == "json" ? jsonText(data, 1)
                                 : fillPage(kernelPage, data);
}

static semantics::Plan planOf(const Expression &expression,
                              const Options &options) {
  auto operands = orExit(parseOperands(options.types));
  operands.outputs = orExit(parsePatterns(options.outputs));
  operands.zeroDims.insert(operands.zeroDims.end(), options.zeroDims.begin(),
                           options.zeroDims.end());
  auto plan = orExit(makePlan(expression, operands, options.precision));
  plan.streams = options.streams;
  plan.listing = std::make_shared<syntax::Listing>(syntax::list(expression));
  for (const semantics::Access &output : plan.outputs)
    if (plan.streams && output.pattern != semantics::AccessPattern::Contiguous)
      exitWith({ErrorCode::InvalidArgument,
                "outputs that are streamed cannot be strided"});
  return plan;
}

static std::string showStage(Stage stage, const Expression &expression,
                             const Options &options) {
  if (inspect::isOfText(stage))
    return inspect::render(stage, expression);
  const auto plan = planOf(expression, options);
  if (stage == Stage::Explain && options.measure)
    return explainAndMeasure(plan, options);
  return orExit(inspect::render(stage, {expression, plan, options.level,
                                        [&] { return targetOf(options); }}));
}

/// Infix text is shown as the expression that it is for these types.
static Expression parse(const Options &options) {
  return orExit(parseExpression(expressionText(options.expression),
                                options.syntax,
                                orExit(parseOperands(options.types))));
}

/// A stage of the loops that a call runs.
static std::string showCall(const Options &options) {
  const auto stage = parseStage(options.stage);
  if (!stage || inspect::isOfText(*stage) || *stage == Stage::Obj ||
      !options.pass.empty() || !options.outputs.empty() || options.streams ||
      !options.target.triple.empty())
    exitForUsage("--shapes goes with one stage of loops, as text, for this "
                 "machine, and outputs are contiguous");
  const auto shapes = orExit(parseShapes(*options.shapes));
  const Operands operands = operandsOf(shapes);
  EngineOptions engine;
  engine.cpu = options.target.cpu;
  engine.features = options.target.features;
  engine.vectorBits = options.target.vectorBits;
  CompileOptions compile;
  compile.mode = options.level == codegen::OptLevel::Baseline ? Mode::Baseline
                                                              : Mode::Optimized;
  compile.precision = options.precision;
  compile.zeroDimOperands = operands.zeroDims;
  for (const TypedShape &each : shapes)
    compile.operandTypes.push_back(each.type);
  const Expression expression = orExit(parseExpression(
      expressionText(options.expression), options.syntax, operands));
  return orExit(tools::showCall(expression, shapes, engine, compile, *stage));
}

/// A file for every stage.
static std::vector<File> showAll(const Options &options) {
  const Expression expression = parse(options);
  Options stable = options;
  stable.measure = false;
  std::vector<File> files;
  for (Stage stage : inspect::AllStages)
    files.push_back({std::string(inspect::fileNameOf(stage)),
                     showStage(stage, expression, stable)});
  return files;
}

/// One stage, or what `--print-after` asks for. Of `all`, the stages that are
/// text, each under its name.
static std::string show(const Options &options) {
  if (options.shapes)
    return showCall(options);
  if (options.isStage("all")) {
    const auto files = showAll(options);
    std::string text;
    for (std::size_t i = 0; i < files.size(); ++i)
      if (inspect::AllStages[i] != Stage::Obj)
        text += concat(text.empty() ? "" : "\n",
                       "=== ", nameOf(inspect::AllStages[i]), " ===\n",
                       files[i].contents);
    return text;
  }
  const Expression expression = parse(options);
  if (const auto stage = parseStage(options.stage);
      options.pass.empty() && stage)
    return showStage(*stage, expression, options);
  const auto plan = planOf(expression, options);
  if (options.pass.empty())
    return dataOf(expression, plan, options);
  return orExit(
      inspect::renderAfter(options.pass, {expression, plan, options.level,
                                          [&] { return targetOf(options); }}));
}

static int put(const Options &options, const std::string &text) {
  if (!options.isForStdout()) {
    orExit(writeFile(options.path, text));
    return 0;
  }
  std::cout << text << std::flush;
  return std::cout ? 0 : exitFault;
}

static int emit(const Options &options) {
  if (options.isStage("all") && !options.isForStdout()) {
    orExit(writeFolder(options.path, showAll(options)));
    return 0;
  }
  const bool isBytes = options.isStage("obj");
  if (isBytes && options.path.empty() && isatty(STDOUT_FILENO))
    exitForUsage("an object file is not for terminals; name a file with -o");
  std::string text = show(options);
  if (!isBytes && !text.ends_with('\n'))
    text += '\n';
  return put(options, text);
}

namespace {
/// A text and what it is of.
struct Side {
  std::string title;
  std::string text;
};
} // namespace

/// A text as a file that a child of this process can open.
using TextFile = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;
static TextFile textFile(const std::string &text) {
  TextFile file(fdopen(memfd_create("kexpr", 0), "w"), std::fclose);
  if (file) {
    std::fwrite(text.data(), 1, text.size(), file.get());
    std::fputs(text.ends_with('\n') || text.empty() ? "" : "\n", file.get());
    std::fflush(file.get());
  }
  return file;
}

/// The output of the program diff for two texts.
static std::string differences(const std::string &options,
                               const std::string &left,
                               const std::string &right) {
  const TextFile first = textFile(left), second = textFile(right);
  std::string command = concat("LC_ALL=C.UTF-8 diff -a ", options);
  for (const auto *file : {&first, &second})
    command += concat(" /dev/fd/", *file ? fileno(file->get()) : -1);
  std::FILE *pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (std::size_t size = pipe ? fread(buffer, 1, sizeof buffer, pipe) : 0)
    text.append(buffer, size);
  const int status = pipe ? pclose(pipe) : -1;
  // 1 says that there are differences.
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
    exitWith({ErrorCode::Io, "cannot compare: diff cannot be run"});
  return text;
}

/// Both texts in columns, `width` columns together, under their titles. The
/// gutter between them says `|` of a line that changed, `<` of one on the left
/// alone and `>` of one on the right alone. Lines that do not fit are cut.
static std::string sideBySide(const Side &left, const Side &right,
                              std::size_t width) {
  // With an even width the gutter would have a blank more on its right.
  return differences(concat("-y -t -W ", (width - 1) | 1),
                     concat(left.title, "\n\n", left.text),
                     concat(right.title, "\n\n", right.text));
}

/// The changes with three lines around each, as `diff -u` prints them.
static std::string unified(const Side &left, const Side &right) {
  std::string text = differences("-u", left.text, right.text);
  // The names of the files are not those of the texts.
  for (int line = 0; line < 2; ++line)
    text.erase(0, text.find('\n') + 1);
  return concat("--- ", left.title, "\n+++ ", right.title, '\n', text);
}

/// A text as words of a command line: cut at blanks that stand in no quotes and
/// in no brackets, so that `add(@0, @1) --mcpu=znver3` is two. Quotes go.
static std::vector<std::string> splitWords(std::string_view text) {
  std::vector<std::string> words;
  bool isInside = false;
  char quote = 0;
  int depth = 0;
  for (char c : text) {
    if (!quote && depth == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      isInside = false;
      continue;
    }
    if (!isInside)
      words.emplace_back();
    isInside = true;
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c;
      continue;
    }
    depth += c == '(' || c == '[';
    depth -= depth > 0 && (c == ')' || c == ']');
    words.back() += c;
  }
  return words;
}

static std::size_t terminalWidth() {
  constexpr std::size_t least = 40, most = 10000, usual = 160;
  const char *columns = std::getenv("COLUMNS");
  std::size_t width = columns ? std::strtoul(columns, nullptr, 10) : 0;
  winsize window = {};
  if (width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0)
    width = window.ws_col;
  return width ? std::clamp(width, least, most) : usual;
}

/// What both command lines show, beside each other. A side is what `words` say
/// without `--diff LEFT RIGHT`, which begins at `diff`, followed by what LEFT
/// or RIGHT say.
static int compare(std::vector<std::string> words, std::size_t diff) {
  Side sides[2] = {{words[diff + 1], {}}, {words[diff + 2], {}}};
  const auto option = words.begin() + static_cast<std::ptrdiff_t>(diff);
  words.erase(option, option + 3);
  Options options;
  for (Side &side : sides) {
    auto all = words;
    const auto more = splitWords(side.title);
    all.insert(all.end(), more.begin(), more.end());
    options = read(all);
    if (options.isStage("obj"))
      exitForUsage("object files cannot be compared line by line");
    side.text = show(options);
  }
  return put(options, options.isUnified
                          ? unified(sides[0], sides[1])
                          : sideBySide(sides[0], sides[1], terminalWidth()));
}

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto option = std::ranges::find(words, "--diff");
  if (words.end() - option >= 3)
    return compare(words, static_cast<std::size_t>(option - words.begin()));
  return emit(read(words));
}
