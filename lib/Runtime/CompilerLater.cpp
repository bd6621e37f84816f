//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Compile.h"
#include "Runtime/Compiler.h"

using namespace kexpr;
using namespace kexpr::runtime;
using codegen::OptLevel;

// What the background thread builds. It may outlive the engine but for its
// jobs, and LLVM is loaded before one that needs it.

static void loadBackend() {
  guardedOr(0, [] {
    (void)backend::load();
    return 0;
  });
}

/// It is shown afterwards, which takes longer than it took to make.
void Compiler::takeOver(Loop &loop, CodePtr code, const semantics::Plan &plan,
                        OptLevel level) const {
  loop.improve(std::move(code));
  if (watching)
    watching->improved(plan, level);
  dump(plan, level);
}

/// Has the loop run code of the disk, if there is some.
Expected<bool> Compiler::improveFromDisk(Loop &loop,
                                         const semantics::Plan &plan,
                                         OptLevel level) const {
  return withStack(Mode::Tiered, [&]() -> Expected<bool> {
    const Log::Deferral lines;
    auto code = find(plan, level, nullptr);
    if (!code)
      return false;
    takeOver(loop, std::move(code), plan, level);
    return true;
  });
}

/// What fails leaves the tier there is.
void Compiler::improve(Loop &loop, const semantics::Plan &plan,
                       OptLevel level) const {
  const auto work = [&]() -> Status {
    const Log::Deferral lines;
    auto code = newCode(plan, level, nullptr);
    if (!code)
      return code.error();
    if (*code)
      takeOver(loop, std::move(*code), plan, level);
    return {};
  };
  const auto status = guarded([&] {
    const Status done = withStack(Mode::Optimized, work);
    if (!done && watching)
      watching->failed(plan, level, done.error());
    return done;
  });
  if (!status)
    ++failed;
}

/// Baseline code comes soon, before any loop's optimised code.
void Compiler::improveLater(const std::shared_ptr<Loop> &loop,
                            const PlanPtr &plan, OptLevel level) const {
  const bool isUrgent = level == OptLevel::Baseline;
  const std::weak_ptr<Loop> later = loop;
  backend::waitAtExit();
  // A loop that nobody has any more is not worth the work.
  const auto generate = [this, later, plan, level] {
    if (const auto loop = later.lock())
      improve(*loop, *plan, level);
  };
  if (!disk)
    return workers.add(isUrgent, loop, generate, loadBackend);
  workers.add(isUrgent, loop, [this, later, plan, level, generate, isUrgent] {
    try {
      const auto loop = later.lock();
      const auto found = loop ? improveFromDisk(*loop, *plan, level) : true;
      if (!found || !*found)
        workers.add(isUrgent, later, generate, loadBackend);
    } catch (...) {
      ++failed;
    }
  });
}

void Compiler::warmUpLater() {
  backend::waitAtExit();
  workers.add(
      true, [this] { warmUp(); }, loadBackend);
}

/// What a process does once, while nobody waits for it: LLVM is loaded, its
/// tables and a target machine are made, and the code that generates code is
/// brought into memory.
void Compiler::warmUp() const {
  try {
    const auto machine = target();
    const auto expression = Expression::parse("add(mul(@0,@1),exp(@2))");
    if (!machine || !(*machine)->hasFma || !expression)
      return;
    const auto plan = planOf(*expression);
    auto backend = backend::load();
    for (OptLevel level : {OptLevel::Optimized, OptLevel::Baseline})
      if (!(*backend)->compile(*plan, **machine, level))
        return;
  } catch (...) {
    return;
  }
}
