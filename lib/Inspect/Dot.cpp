//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Dot.h"

#include "Support/Text.h"

using namespace kexpr;
using namespace kexpr::inspect;
using semantics::Graph;
using semantics::Value;
using semantics::ValueId;
using semantics::ValueKind;

/// A text between double quotes. Graphviz reads `\n`, `\l`, `\G`... in labels,
/// so that each backslash is one of two.
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
