//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect/Render.h"

#include "Inspect/Dot.h"
#include "Inspect/Explain.h"
#include "Inspect/Syntax.h"

using namespace kexpr;
using namespace kexpr::inspect;

std::string_view inspect::fileNameOf(Stage stage) {
  constexpr std::string_view names[] = {
      "tokens.txt", "ast.txt",  "rpn.txt",   "graph.txt",
      "graph.dot",  "plan.txt", "kernel.ll", "kernel.opt.ll",
      "kernel.mir", "kernel.s", "kernel.o",  "explain.txt"};
  static_assert(std::size(names) == StageCount);
  return names[static_cast<std::size_t>(stage)];
}

bool inspect::isOfText(Stage stage) { return stage <= Stage::Rpn; }

bool inspect::isOfCode(Stage stage) { return stage >= Stage::Llvm; }

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
/// What code is made with.
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

static codegen::Stage codeStage(Stage stage) {
  switch (stage) {
  case Stage::Llvm:
    return codegen::Stage::Llvm;
  case Stage::LlvmOpt:
    return codegen::Stage::LlvmOpt;
  case Stage::Mir:
    return codegen::Stage::Mir;
  case Stage::Asm:
    return codegen::Stage::Asm;
  default:
    return codegen::Stage::Obj;
  }
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
  return machine->backend->dump(subject.plan, machine->target, subject.level,
                                codeStage(stage));
}

Expected<std::string> inspect::renderAfter(std::string_view pass,
                                           const Subject &subject) {
  auto machine = machineFor(subject);
  if (!machine)
    return machine.error();
  return machine->backend->dumpAfter(subject.plan, machine->target,
                                     subject.level, pass);
}
