//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Instrumentation.h"

#include "Inspect/Names.h"
#include "Runtime/KernelImpl.h"
#include "Support/Guarded.h"
#include "Support/Text.h"

#include <cstdlib>
#include <new>

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
  std::unique_ptr<Instrumentation> watcher(new Instrumentation(std::move(log)));
  if (path.empty())
    return watcher;
  auto dumper = Dumper::open(path, {.triple = {},
                                    .cpu = options.cpu,
                                    .features = options.features,
                                    .vectorBits = options.vectorBits});
  if (dumper)
    watcher->dumper = std::move(*dumper);
  else
    watcher->dumpFault = dumper.error();
  return watcher;
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

/// A line that `text` gives; there is none where resources run out.
template <class F> void Instrumentation::say(F text) const {
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
  if (!log.isOfCompile())
    return;
  say([&] {
    // Only the loop that a kernel begins with is planned.
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
  if (log.isOfCompile())
    say([&] {
      return concat("compile ", subjectOf(plan, level), ": takes over");
    });
}

void Instrumentation::failed(const Plan &plan, OptLevel level,
                             const Error &error) const {
  if (log.isOfCompile())
    say([&] {
      return concat("compile ", subjectOf(plan, level),
                    ": fails: ", error.message());
    });
}

void Instrumentation::diskAsked(const Plan &plan, OptLevel level, bool isFound,
                                Time time) const {
  if (log.isOfCache())
    say([&] {
      return concat("cache disk ", isFound ? "hit " : "miss ",
                    subjectOf(plan, level), ": ", microseconds(time));
    });
}

void Instrumentation::diskStored(const Plan &plan, OptLevel level,
                                 std::size_t bytes, Time time) const {
  if (log.isOfCache())
    say([&] {
      return concat("cache disk store ", subjectOf(plan, level), ": ",
                    bytes ? concat(bytes, " bytes") : "failed", ", ",
                    microseconds(time));
    });
}

static std::string textOf(const Expression &expression) {
  return inspect::shortened(expression.canonical());
}

void Instrumentation::missed(const Expression &expression) const {
  if (log.isOfCache())
    say([&] { return concat("cache miss ", textOf(expression)); });
}

void Instrumentation::inserted(const KernelImpl &kernel, Time time) const {
  if (log.isOfCache())
    say([&] {
      return concat("cache insert ", textOf(kernel.expression()), ": ",
                    microseconds(time), ", ", kernel.codeSize(), " bytes");
    });
}

void Instrumentation::evicted(const KernelImpl &kernel) const {
  if (log.isOfCache())
    say([&] {
      return concat("cache evict ", textOf(kernel.expression()), ": ",
                    kernel.codeSize(), " bytes");
    });
}

void Instrumentation::dump(
    const Plan &plan, OptLevel level,
    const Expected<const codegen::Target *> &target) const {
  Status status;
  try {
    status = target ? dumper->write(plan, **target, level) : target.error();
  } catch (...) {
    status = errorOfException();
  }
  if (status)
    return;
  if (log.isOn())
    say([&] {
      return concat("dump ", subjectOf(plan, level), ": ",
                    status.error().message());
    });
  std::lock_guard lock(mutex);
  dumpFault = std::move(status);
}
