//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Instrumentation.h"

#include "Inspect/Names.h"
#include "Inspect/Render.h"
#include "Runtime/KernelImpl.h"
#include "Support/Guarded.h"
#include "Support/Text.h"

#include <algorithm>
#include <cstdlib>

using namespace kexpr;
using namespace kexpr::runtime;
using codegen::OptLevel;
using semantics::Plan;

/// What an option says, or else the environment, which does not count in
/// programs of raised privileges.
static std::string chosen(const std::string &option, const char *variable) {
  const char *given = option.empty() ? secure_getenv(variable) : nullptr;
  return given ? given : option;
}

std::unique_ptr<const Instrumentation>
Instrumentation::of(const EngineOptions &options) {
  const std::string words = chosen(options.log, "KEXPR_LOG");
  const std::string path = chosen(options.dumpDirectory, "KEXPR_DUMP");
  if (words.empty() && path.empty())
    return nullptr;
  EventLog log(words, options.logSink);
  if (!log.isOn() && log.status() && path.empty())
    return nullptr;
  std::unique_ptr<Instrumentation> made(new Instrumentation(std::move(log)));
  if (path.empty())
    return made;
  made->targetOptions = {.triple = {},
                         .cpu = options.cpu,
                         .features = options.features,
                         .vectorBits = options.vectorBits};
  if (auto directory = code::Directory::open(path)) {
    // Drafts of processes that were killed long ago.
    (*directory)->removeDrafts(std::chrono::hours(1));
    made->directory = std::move(*directory);
  } else {
    made->dumpFault = directory.error();
  }
  return made;
}

Status Instrumentation::dumpStatus() const {
  std::lock_guard lock(mutex);
  return dumpFault;
}

static std::string microseconds(std::chrono::nanoseconds time) {
  return concat(time.count() / 1000, " us");
}

static std::string subjectOf(const Plan &plan, OptLevel level) {
  return concat(inspect::shortened(plan.source->expression.canonical()), ' ',
                inspect::signatureOf(plan), ' ', inspect::nameOf(level));
}

/// Logs the line that `text` returns, unless memory runs out.
template <class F> void Instrumentation::say(bool isOn, F text) const {
  if (!isOn)
    return;
  try {
    log.write(text());
  } catch (...) {
    return;
  }
}

void Instrumentation::compiled(const Plan &plan, OptLevel level,
                               const codegen::Target &target,
                               const CompileTimes &times,
                               std::size_t bytes) const {
  say(log.isOfCompile(), [&] {
    // Only the first loop of a kernel is planned from an expression.
    const std::string planned =
        times.plan.count() ? concat("plan ", microseconds(times.plan), ", ")
                           : "";
    return concat("compile ", subjectOf(plan, level), ' ', target.cpu, ": ",
                  planned, "emit ", microseconds(times.emit), ", codegen ",
                  microseconds(times.codegen), ", link ",
                  microseconds(times.link), ", ", bytes, " bytes");
  });
}

void Instrumentation::improved(const Plan &plan, OptLevel level) const {
  say(log.isOfCompile(), [&] {
    return concat("compile ", subjectOf(plan, level), ": takes over");
  });
}

void Instrumentation::failed(const Plan &plan, OptLevel level,
                             const Error &error) const {
  say(log.isOfCompile(), [&] {
    return concat("compile ", subjectOf(plan, level),
                  ": fails: ", error.message());
  });
}

void Instrumentation::diskAsked(const Plan &plan, OptLevel level, bool isFound,
                                Time time) const {
  say(log.isOfCache(), [&] {
    return concat("cache disk ", isFound ? "hit " : "miss ",
                  subjectOf(plan, level), ": ", microseconds(time));
  });
}

void Instrumentation::diskStored(const Plan &plan, OptLevel level,
                                 const Expected<std::size_t> &bytes,
                                 Time time) const {
  say(log.isOfCache(), [&] {
    return concat("cache disk store ", subjectOf(plan, level), ": ",
                  bytes ? concat(*bytes, " bytes")
                        : concat("fails: ", bytes.error().message()),
                  ", ", microseconds(time));
  });
}

static std::string textOf(const Expression &expression) {
  return inspect::shortened(expression.canonical());
}

void Instrumentation::missed(const Expression &expression) const {
  say(log.isOfCache(),
      [&] { return concat("cache miss ", textOf(expression)); });
}

void Instrumentation::inserted(const KernelImpl &kernel, Time time) const {
  say(log.isOfCache(), [&] {
    return concat("cache insert ", textOf(kernel.expression()), ": ",
                  microseconds(time), ", ", kernel.codeSize(), " bytes");
  });
}

void Instrumentation::evicted(const KernelImpl &kernel) const {
  say(log.isOfCache(), [&] {
    return concat("cache evict ", textOf(kernel.expression()), ": ",
                  kernel.codeSize(), " bytes");
  });
}

/// Whether a plan is no sweep, and has all outputs of its expression.
static bool isWhole(const Plan &plan) {
  const Node &root = plan.source->expression.root();
  const bool isOfSweeps =
      std::ranges::any_of(
          plan.outputs,
          [](const auto &access) { return access.reducing.has_value(); }) ||
      std::ranges::any_of(plan.graph.inputs, [](std::uint32_t input) {
        return input >= semantics::Graph::FirstValue;
      });
  return !isOfSweeps && (root.kind != NodeKind::List ||
                         root.children.size() == plan.outputs.size());
}

static std::string readmeOf(const Plan &plan, const codegen::Target &target,
                            const codegen::TargetOptions &options,
                            OptLevel level) {
  const auto isInRows = [](const semantics::Access &access) {
    return access.isInRows();
  };
  const char *note = "";
  if (std::ranges::any_of(plan.inputs, isInRows) ||
      std::ranges::any_of(plan.outputs, isInRows))
    note = "\nThis loop takes rows whole; of calls of such shapes, --shapes "
           "shows it.\n";
  else if (!isWhole(plan))
    note = "\nThis loop is a part of what the command shows.\n";
  return concat(inspect::commandFor(plan, options, level), "\n\nfor ",
                target.cpu, ", ", target.triple, '\n', note);
}

/// Io, or what kept a stage from being made: the folder then lacks it.
Status Instrumentation::writeFolder(const Plan &plan, OptLevel level,
                                    const codegen::Target &target) const {
  const std::string name = inspect::folderNameOf(plan, target, level);
  if (directory->has(name))
    return {};
  const Expression &expression = plan.source->expression;
  Plan listed = plan;
  if (!listed.listing)
    listed.listing =
        std::make_shared<const syntax::Listing>(syntax::list(expression));
  const inspect::Subject subject{
      expression, listed, level,
      [&]() -> Expected<codegen::Target> { return target; }};
  std::vector<code::NamedFile> files = {
      {"README", readmeOf(plan, target, targetOptions, level)},
      {"expression.txt", concat(expression.canonical(), '\n')}};
  Status fault;
  for (Stage stage : inspect::AllStages) {
    auto text = inspect::render(stage, subject);
    if (text)
      files.push_back(
          {std::string(inspect::fileNameOf(stage)), std::move(*text)});
    else
      fault = text.error();
  }
  auto status = directory->addFolder(name, files);
  return status ? fault : status;
}

void Instrumentation::dump(
    const Plan &plan, OptLevel level,
    const Expected<const codegen::Target *> &target) const {
  Status status;
  try {
    status = target ? writeFolder(plan, level, **target) : target.error();
  } catch (...) {
    status = errorOfException();
  }
  if (status)
    return;
  say(log.isOn(), [&] {
    return concat("dump ", subjectOf(plan, level), ": ",
                  status.error().message());
  });
  std::lock_guard lock(mutex);
  dumpFault = std::move(status);
}
