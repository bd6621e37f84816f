//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Render.h"

#include "Inspect/Explain.h"
#include "Semantics/Sweeps.h"
#include "Support/Guarded.h"
#include "Support/Quote.h"
#include "Support/Text.h"

#include <algorithm>
#include <iterator>
#include <vector>

using namespace kexpr;
using namespace kexpr::inspect;
using semantics::Graph;
using semantics::Value;
using semantics::ValueId;
using semantics::ValueKind;

namespace {
struct StageNames {
  std::string_view name, file;
};
} // namespace

static constexpr StageNames Names[] = {
    {"tokens", "tokens.txt"}, {"ast", "ast.txt"},
    {"rpn", "rpn.txt"},       {"graph", "graph.txt"},
    {"dot", "graph.dot"},     {"plan", "plan.txt"},
    {"llvm", "kernel.ll"},    {"llvm-opt", "kernel.opt.ll"},
    {"mir", "kernel.mir"},    {"asm", "kernel.s"},
    {"obj", "kernel.o"},      {"explain", "explain.txt"}};
static_assert(std::size(Names) == StageCount);

std::string_view kexpr::nameOf(Stage stage) {
  const auto index = static_cast<std::size_t>(stage);
  return index < StageCount ? Names[index].name : "?";
}

Expected<Stage> kexpr::parseStage(std::string_view name) {
  return guarded([name]() -> Expected<Stage> {
    std::string names;
    for (std::size_t i = 0; i < StageCount; ++i) {
      if (Names[i].name == name)
        return static_cast<Stage>(i);
      names += (i ? ", " : "") + std::string(Names[i].name);
    }
    return Error(ErrorCode::InvalidArgument,
                 "unknown stage " + quote(name) + "; the stages are " + names);
  });
}

std::string_view inspect::fileNameOf(Stage stage) {
  return Names[static_cast<std::size_t>(stage)].file;
}

bool inspect::isOfText(Stage stage) { return stage <= Stage::Rpn; }

bool inspect::isOfCode(Stage stage) { return stage >= Stage::Llvm; }

static std::string rangeText(SourceRange range) {
  return concat(range.begin, "..", range.end);
}

/// The text that a node was read from.
static std::string_view spelling(const Expression &expression,
                                 const Node &node) {
  return expression.text().substr(node.range.begin,
                                  node.range.end - node.range.begin);
}

/// A node without its children: `add`, `list`, `@0`, `0.5`.
static std::string_view label(const Expression &expression, const Node &node) {
  switch (node.kind) {
  case NodeKind::Call:
  case NodeKind::Word:
    return node.name;
  case NodeKind::List:
    return "[]";
  default:
    return spelling(expression, node);
  }
}

/// One line a token: its bytes in the text, its kind, its spelling.
static std::string tokensOf(const Expression &expression) {
  std::string out;
  for (const Token &token : expression.tokens())
    out +=
        concat(padded(rangeText(token.range), 10),
               padded(std::string(nameOf(token.kind)), 18), token.text, '\n');
  return out;
}

/// One line a node, each indented below its parent.
static std::string treeOf(const Expression &expression) {
  const auto nodes = expression.nodes();
  struct Entry {
    std::uint32_t node;
    int depth;
  };
  std::string out;
  std::vector<bool> isShown(nodes.size());
  // An explicit stack: the tree may be thousands of levels deep.
  std::vector<Entry> pending = {
      {static_cast<std::uint32_t>(nodes.size() - 1), 0}};
  while (!pending.empty()) {
    const auto [id, depth] = pending.back();
    pending.pop_back();
    const Node &node = nodes[id];
    out.append(static_cast<std::size_t>(depth) * 2, ' ');
    out += concat(nameOf(node.kind), ' ', label(expression, node), "  ",
                  rangeText(node.range), '\n');
    // Arguments of a shared call are shown at its first use only.
    if (isShown[id])
      continue;
    isShown[id] = true;
    for (std::size_t i = node.children.size(); i-- > 0;)
      pending.push_back({node.children[i], depth + 1});
  }
  return out;
}

/// One line an entry, each with what the stack holds after it.
static std::string rpnOf(const Expression &expression) {
  if (expression.rpn().empty())
    return "the expression names values, and a stack has each once\n";
  std::string out;
  std::size_t height = 0;
  for (const RpnEntry &entry : expression.rpn()) {
    height = height + 1 - entry.arity;
    std::string text(label(expression, expression.nodes()[entry.node]));
    if (entry.kind == NodeKind::Call || entry.kind == NodeKind::List)
      text += concat('/', entry.arity);
    out += concat(padded(std::move(text), 20), " stack ", height, '\n');
  }
  return out;
}

/// A text between double quotes. Graphviz reads `\n`, `\l`, `\G`... in labels,
/// so backslashes are doubled.
static std::string dotString(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

static std::string_view shapeOf(ValueKind kind) {
  switch (kind) {
  case ValueKind::Input:
    return "box";
  case ValueKind::Parameter:
  case ValueKind::Constant:
    return "note";
  case ValueKind::Convert:
  case ValueKind::View:
    return "diamond";
  case ValueKind::Reduce:
  case ValueKind::Scan:
  case ValueKind::Fold:
    return "invtriangle";
  case ValueKind::Call:
    break;
  }
  return "ellipse";
}

static std::string nodeOf(const Graph &graph, ValueId id) {
  const Value &value = graph.values[id];
  return concat("  v", id, " [shape=", shapeOf(value.kind),
                ", label=", dotString(graph.nameOf(value)), "];\n");
}

static std::string edge(const Graph &graph, ValueId from,
                        const std::string &to) {
  return concat("  v", from, " -> ", to,
                " [label=", dotString(nameOf(graph.values[from].type)), "];\n");
}

std::string inspect::dotOf(const Graph &graph, std::string_view title) {
  std::string text =
      concat("digraph ", dotString(title), " {\n  label=", dotString(title),
             ";\n  node [ordering=in];\n");
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    text += nodeOf(graph, id);
    for (ValueId arg : graph.args(graph.values[id]))
      text += edge(graph, arg, concat('v', id));
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    text += concat("  out", i, " [shape=house, label=\"out", i, "\"];\n",
                   edge(graph, graph.outputs[i], concat("out", i)));
  return text + "}\n";
}

std::string inspect::render(Stage stage, const Expression &expression) {
  switch (stage) {
  case Stage::Tokens:
    return tokensOf(expression);
  case Stage::Ast:
    return treeOf(expression);
  default:
    return rpnOf(expression);
  }
}

namespace {
/// The code generator and its target.
struct Machine {
  const backend::Backend *backend;
  codegen::Target target;
};
} // namespace

static Expected<Machine> machineFor(const Subject &subject) {
  auto backend = backend::load();
  if (!backend)
    return backend.error();
  auto target = subject.target();
  if (!target)
    return target.error();
  return Machine{*backend, std::move(*target)};
}

static Expected<std::string> explainOn(const Machine &machine,
                                       const Subject &subject) {
  auto report =
      machine.backend->reportLoop(subject.plan, machine.target, subject.level);
  if (!report)
    return report.error();
  return explain(subject.plan, machine.target, subject.level, *report);
}

/// A stage of a plan that does not reduce.
static Expected<std::string> renderLoop(Stage stage, const Subject &subject) {
  if (stage == Stage::Plan)
    return subject.plan.str();
  auto machine = machineFor(subject);
  if (!machine)
    return machine.error();
  if (stage == Stage::Explain)
    return explainOn(*machine, subject);
  // The stages of code stand in the same order there.
  static_assert(static_cast<int>(codegen::Stage::Obj) ==
                static_cast<int>(Stage::Obj) - static_cast<int>(Stage::Llvm));
  const int position = static_cast<int>(stage) - static_cast<int>(Stage::Llvm);
  return machine->backend->dump(subject.plan, machine->target, subject.level,
                                static_cast<codegen::Stage>(position));
}

/// "sum r4 over -1, which stay, kept r3".
static std::string textOf(const Graph &graph, const semantics::Sweep &sweep) {
  using enum semantics::SweepTarget::Kind;
  std::string text;
  for (const semantics::SweepTarget &target : sweep.targets) {
    text += text.empty() ? "" : ", ";
    text += target.kind == Reduced || target.kind == Scanned
                ? concat(graph.nameOf(graph.values[target.index]), " r")
            : target.kind == Kept ? "kept r"
                                  : "output ";
    text += std::to_string(target.index);
  }
  return sweep.axisSet
             ? concat(text, ", ", graph.axisSets[*sweep.axisSet].str())
             : text;
}

std::vector<LoopOf> inspect::loopsOf(const semantics::Plan &plan) {
  if (!plan.graph.hasReductions())
    return {{plan, ""}};
  std::vector<LoopOf> loops;
  auto sweeps = semantics::sweepsOf(plan, true);
  std::vector<bool> isOfRows(plan.graph.values.size());
  for (semantics::Sweep &sweep : sweeps) {
    const auto &inputs = sweep.plan.graph.inputs;
    const auto hasElements = [&](std::uint32_t input) {
      return input < Graph::FirstValue || !isOfRows[input - Graph::FirstValue];
    };
    const bool isOfElements =
        std::any_of(inputs.begin(), inputs.end(), hasElements);
    for (std::size_t i = 0; isOfElements && i < inputs.size(); ++i)
      if (!hasElements(inputs[i]))
        sweep.plan.inputs[i].pattern = semantics::AccessPattern::Constant;
    using enum semantics::SweepTarget::Kind;
    for (const semantics::SweepTarget &target : sweep.targets)
      if (target.kind == Reduced || (target.kind == Kept && !isOfElements))
        isOfRows[target.index] = true;
    loops.push_back({std::move(sweep.plan),
                     concat("sweep ", loops.size() + 1, " of ", sweeps.size(),
                            ": ", textOf(plan.graph, sweep))});
  }
  return loops;
}

/// Files in the archive that programs such as objdump and nm read.
static std::string archiveOf(const std::vector<std::string> &files) {
  std::string text = "!<arch>\n";
  for (std::size_t i = 0; i < files.size(); ++i) {
    text += concat(padded(concat("sweep", i + 1, ".o/"), 16), padded("0", 12),
                   padded("0", 6), padded("0", 6), padded("100644", 8),
                   padded(std::to_string(files[i].size()), 10), "`\n", files[i],
                   files[i].size() % 2 ? "\n" : "");
  }
  return text;
}

/// What starts a comment in the texts of a stage.
static std::string_view commentOf(Stage stage) {
  if (stage == Stage::Llvm || stage == Stage::LlvmOpt)
    return "; ";
  return stage == Stage::Mir || stage == Stage::Asm ? "# " : "";
}

/// Calls `show` for each loop, and puts their texts under headings.
template <class F>
static Expected<std::string> showLoops(const Subject &subject,
                                       std::string_view comment, bool isBytes,
                                       F show) {
  std::vector<std::string> texts;
  std::string all;
  for (const LoopOf &loop : loopsOf(subject.plan)) {
    auto text =
        show({subject.expression, loop.plan, subject.level, subject.target});
    if (!text || loop.heading.empty())
      return text;
    all += concat(all.empty() ? "" : "\n", comment, loop.heading, '\n', *text);
    texts.push_back(std::move(*text));
  }
  return isBytes ? archiveOf(texts) : all;
}

Expected<std::string> inspect::render(Stage stage, const Subject &subject) {
  if (isOfText(stage))
    return render(stage, subject.expression);
  if (stage == Stage::Graph)
    return subject.plan.graph.str();
  if (stage == Stage::Dot)
    return dotOf(subject.plan.graph, subject.expression.canonical());
  return showLoops(
      subject, commentOf(stage), stage == Stage::Obj,
      [stage](const Subject &loop) { return renderLoop(stage, loop); });
}

Expected<std::string> inspect::renderAfter(std::string_view pass,
                                           const Subject &subject) {
  return showLoops(subject, "# ", false,
                   [pass](const Subject &loop) -> Expected<std::string> {
                     auto machine = machineFor(loop);
                     if (!machine)
                       return machine.error();
                     return machine->backend->dumpAfter(
                         loop.plan, machine->target, loop.level, pass);
                   });
}
