//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Render.h"

#include "Inspect/Explain.h"
#include "Support/Guarded.h"
#include "Support/Quote.h"
#include "Support/Text.h"

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
    return "diamond";
  case ValueKind::Reduce:
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

Expected<std::string> inspect::render(Stage stage, const Subject &subject) {
  if (isOfText(stage))
    return render(stage, subject.expression);
  if (stage == Stage::Graph)
    return subject.plan.graph.str();
  if (stage == Stage::Dot)
    return dotOf(subject.plan.graph, subject.expression.canonical());
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

Expected<std::string> inspect::renderAfter(std::string_view pass,
                                           const Subject &subject) {
  auto machine = machineFor(subject);
  if (!machine)
    return machine.error();
  return machine->backend->dumpAfter(subject.plan, machine->target,
                                     subject.level, pass);
}
