//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Compiler.h"

#include "Runtime/LaunchPolicy.h"
#include "Runtime/Pipeline.h"
#include "Semantics/Promotion.h"
#include "Support/Text.h"

#include <cstdlib>

using namespace kexpr;
using namespace kexpr::runtime;
using codegen::OptLevel;
using semantics::Plan;

using Clock = std::chrono::steady_clock;

namespace {
/// The longest loop of a tier.
struct Bound {
  double operations;
  std::size_t slots;
};
} // namespace

// Loops that the code generator takes some two seconds for on one core (Emerald
// Rapids, 3 GHz). Slots count apart: their pointers live through the whole
// loop.
static constexpr Bound OptimizedBound = {6000, 512};
static constexpr Bound BaselineBound = {20000, 1024};

/// Primitive operations, weighted by the instructions that they become: integer
/// divisions and repeated multiplications are many.
static double lengthOf(const semantics::Plan &plan) {
  constexpr double integers = 4;
  double length = 0;
  for (const semantics::Value &value : plan.graph.values) {
    if (plan.graph.args(value).empty())
      continue; // Inputs and numbers have no type that they are computed in.
    const double operations =
        plan.graph.workOf(value, plan.precision).operations;
    length += semantics::isFloatingPoint(plan.graph.computedType(value))
                  ? operations
                  : integers * operations;
  }
  return length;
}

OptLevel runtime::levelOf(Mode mode) {
  return mode == Mode::Baseline ? OptLevel::Baseline : OptLevel::Optimized;
}

std::optional<OptLevel> runtime::lastLevel(const semantics::Plan &plan,
                                           Mode mode) {
  if (mode == Mode::Interpret)
    return std::nullopt;
  const double length = lengthOf(plan);
  const auto isWithin = [&](const Bound &bound) {
    return length <= bound.operations && plan.slots() <= bound.slots;
  };
  if (levelOf(mode) == OptLevel::Optimized && isWithin(OptimizedBound))
    return OptLevel::Optimized;
  return isWithin(BaselineBound) ? std::optional(OptLevel::Baseline)
                                 : std::nullopt;
}

Status runtime::checkFma(const codegen::Target &target) {
  if (target.hasFma)
    return {};
  return Error(ErrorCode::Unsupported,
               concat("'", target.cpu,
                      "' has no fused multiply-add, which code is made of"));
}

static void loadBackend() {
  guardedOr(0, [] {
    (void)backend::load();
    return 0;
  });
}

Compiler::Compiler(const EngineOptions &options)
    : options(options), log(Instrumentation::of(options)),
      codeListeners(options.listeners),
      namesTarget(!options.cpu.empty() || !options.features.empty() ||
                  options.vectorBits != 0) {
  openCache();
  backend::waitAtExit();
  if (options.warmUp)
    workers.add(
        true, [this] { warmUp(); }, loadBackend);
}

void Compiler::openCache() {
  std::string path = options.cacheDirectory;
  // What the environment says does not count in programs of raised privileges.
  if (const char *given = secure_getenv("KEXPR_CACHE_DIR");
      path.empty() && given)
    path = given;
  if (path.empty())
    return;
  auto directory = code::Directory::open(path);
  if (!directory) {
    cacheFault = directory.error();
    return;
  }
  disk = std::make_unique<const code::DiskCache>(*directory);
  auto made = code::AheadCache::open(*directory);
  if (made)
    ahead = std::move(*made);
  else
    cacheFault = made.error();
}

Compiler::CodePtr
Compiler::codeOf(std::shared_ptr<const code::LoadedCode> machine,
                 OptLevel level) {
  auto code = std::make_unique<Code>();
  code->machine = std::move(machine);
  code->function =
      reinterpret_cast<semantics::LoopFn>(code->machine->address());
  code->tier = level == OptLevel::Baseline ? Tier::Baseline : Tier::Optimized;
  return code;
}

/// The key of all that machine code depends on. The CPU is spelled as in the
/// options: to resolve other spellings of it would take LLVM.
std::string Compiler::keyOnDisk(const semantics::Plan &plan,
                                OptLevel level) const {
  return concat(code::buildId(), '\n', code::hostId(), '\n', options.cpu, '\n',
                options.features, '\n', options.vectorBits, '\n',
                level == OptLevel::Baseline ? "baseline\n" : "optimized\n",
                plan.key(), nameKey(plan));
}

/// Code made ahead of time is of the best tier that there is for a plan. Where
/// code can be generated it is not that of a target that options name, has no
/// names for listeners, and is not what a dump for this machine would show.
std::optional<code::Image> Compiler::findOnDisk(const Plan &plan,
                                                OptLevel &level) const {
  const bool isDumped = log && log->wantsDumps();
  const bool isFor = ahead && (!backend::isPartOfBuild() ||
                               (!namesTarget && !plan.listing && !isDumped));
  const auto best = lastLevel(plan, Mode::Optimized);
  if (isFor && best)
    if (auto image = ahead->find(plan.key())) {
      level = *best;
      return image;
    }
  return disk->find(keyOnDisk(plan, level));
}

/// What code for another machine is written with. Opened without the mutex, as
/// that may wait for other writers.
Expected<const code::AheadCache *>
Compiler::aheadWriter(const codegen::Target &target) const {
  {
    std::lock_guard lock(mutex);
    if (written)
      return written.get();
  }
  auto directory = code::Directory::open(options.aheadDirectory);
  if (!directory)
    return directory.error();
  const auto backend = backend::load();
  if (!backend)
    return backend.error();
  auto cache =
      code::AheadCache::create(*directory, (*backend)->aheadTargetOf(target));
  if (!cache)
    return cache.error();
  std::lock_guard lock(mutex);
  if (!written)
    written = std::move(*cache);
  return written.get();
}

/// Puts the best code of a plan into the directory for another machine, and
/// that which writes past the caches, where calls choose it.
Status Compiler::makeAhead(const Plan &plan) const {
  const auto level = lastLevel(plan, Mode::Optimized);
  if (!level)
    return {};
  const auto machine = target();
  if (!machine)
    return machine.error();
  const auto backend = backend::load();
  if (!backend)
    return backend.error();
  if (Status status = checkFma(**machine); !status)
    return status;
  const auto writer = aheadWriter(**machine);
  if (!writer)
    return writer.error();
  Plan each = plan;
  each.listing = nullptr;
  for (bool streams : {false, true}) {
    if (streams && !LaunchPolicy::isStreamable(plan))
      break;
    each.streams = streams;
    const auto start = Clock::now();
    const auto compiled = (*backend)->compile(each, **machine, *level);
    if (!compiled)
      return compiled.error();
    const auto took = Clock::now() - start;
    (*level == OptLevel::Baseline ? baseline : optimized).add(took);
    const auto written = (*writer)->store(each.key(), compiled->image);
    if (log)
      log->diskStored(each, *level, written, took);
    if (!written)
      return Error(written.error().code(),
                   concat("in '", options.aheadDirectory, "' ",
                          written.error().message()));
    dump(each, *level);
  }
  return {};
}

void Compiler::keep(const semantics::Plan &plan, OptLevel level,
                    const code::Image &image,
                    const backend::Backend &backend) const {
  const auto start = Clock::now();
  const auto written =
      disk->store(keyOnDisk(plan, level), image, backend.llvm());
  if (log)
    log->diskStored(plan, level, written, Clock::now() - start);
  if (!written)
    return;
  // A process that stores much prunes more often than the others.
  const std::uint64_t most = options.maxDiskBytes / 16;
  const bool isDue = unpruned.fetch_add(*written) + *written > most;
  if (isDue)
    unpruned = 0;
  backend.prune(disk->path(), options.maxDiskBytes, isDue);
}

/// Writes the dump of code for the target, if dumps are on.
void Compiler::dump(const Plan &plan, OptLevel level) const {
  if (log && log->wantsDumps())
    log->dump(plan, level, target());
}

// The background thread may outlive the engine, apart from its jobs, and loads
// LLVM before a job that needs it.

/// Has the loop run code of this tier; false where there is none.
Expected<bool> Compiler::improve(Loop &loop, const Plan &plan, OptLevel level,
                                 CodeOrigin origin) const {
  const Mode mode = origin == CodeOrigin::Disk ? Mode::Tiered : Mode::Optimized;
  return withStack(mode, [&]() -> Expected<bool> {
    auto code = codeFor(plan, level, origin, nullptr);
    if (!code)
      return code.error();
    if (!*code)
      return false;
    loop.improve(std::move(*code));
    if (log)
      log->improved(plan, level);
    // Last: a dump takes longer than the code took.
    dump(plan, level);
    return true;
  });
}

/// Baseline code is urgent: all loops get it before any gets optimised code.
void Compiler::improveLater(const std::shared_ptr<Loop> &loop,
                            const PlanPtr &plan, OptLevel level) const {
  const bool isUrgent = level == OptLevel::Baseline;
  const std::weak_ptr<Loop> later = loop;
  backend::waitAtExit();
  // A loop that nobody holds any more is not worth the work. An error leaves
  // the tier there is.
  const auto generate = [this, later, plan, level] {
    const auto loop = later.lock();
    if (!loop)
      return;
    const auto done = guarded(
        [&] { return improve(*loop, *plan, level, CodeOrigin::Generator); });
    failed += !done;
    if (!done && log)
      log->failed(*plan, level, done.error());
  };
  if (!disk) {
    if (backend::isPartOfBuild())
      workers.add(isUrgent, loop, generate, loadBackend);
    return;
  }
  workers.add(isUrgent, loop, [this, later, plan, level, generate, isUrgent] {
    const Status status = guarded([&]() -> Status {
      const auto loop = later.lock();
      if (!loop)
        return {};
      const auto found = improve(*loop, *plan, level, CodeOrigin::Disk);
      if (backend::isPartOfBuild() && (!found || !*found))
        workers.add(isUrgent, later, generate, loadBackend);
      return {};
    });
    failed += !status;
  });
}

/// Does in the background what the first compilation of a process would: loads
/// LLVM, makes its tables and a target machine, and pages its code in.
void Compiler::warmUp() const {
  guardedOr(0, [this] {
    const auto machine = target();
    const auto expression = Expression::parse("add(mul(@0,@1),exp(@2))");
    if (!machine || !(*machine)->hasFma || !expression)
      return 0;
    const auto plan = planOf(*expression);
    const auto backend = backend::load();
    for (OptLevel level : {OptLevel::Optimized, OptLevel::Baseline})
      if (!backend || !(*backend)->compile(*plan, **machine, level))
        break;
    return 0;
  });
}

static Expected<codegen::Target> chooseTarget(const EngineOptions &options) {
  auto backend = backend::load();
  if (!backend)
    return backend.error();
  auto target = (*backend)->makeTarget({.triple = {},
                                        .cpu = options.cpu,
                                        .features = options.features,
                                        .vectorBits = options.vectorBits});
  if (!target || !options.aheadDirectory.empty())
    return target;
  if (auto status = (*backend)->checkRunsHere(*target); !status)
    return status.error();
  return target;
}

Expected<const codegen::Target *> Compiler::target() const {
  const auto known = [this]() -> Expected<const codegen::Target *> {
    if (!*machine)
      return machine->error();
    return &**machine;
  };
  {
    std::lock_guard lock(mutex);
    if (machine)
      return known();
  }
  auto chosen =
      withStack(Mode::Optimized, [&] { return chooseTarget(options); });
  // Options stay wrong; other errors may be temporary.
  if (!chosen && chosen.error().code() != ErrorCode::InvalidArgument)
    return chosen.error();
  std::lock_guard lock(mutex);
  if (!machine)
    machine = std::move(chosen);
  return known();
}

Status Compiler::codeStatus() const {
  if (auto status = code::CodeMemory::ofProcess()->status(); !status)
    return status;
  const auto machine = target();
  if (!machine)
    return machine.error();
  if (!(*machine)->hasFma)
    return Error(ErrorCode::Unsupported,
                 "the CPU has no fused multiply-add, which code is made of");
  return {};
}

void Compiler::addTo(EngineStats &stats) const {
  stats.baseline = baseline;
  stats.optimized = optimized;
  stats.compiled = stats.baseline.loops + stats.optimized.loops;
  stats.shared = shared;
  stats.failed = failed;
  stats.limited = limited;
  if (!disk)
    return;
  const auto counts = disk->counts();
  stats.diskHits = counts.hits + (ahead ? ahead->counts().hits : 0);
  stats.diskMisses = counts.misses;
  stats.diskStored = counts.stored;
  stats.diskFailed = counts.failed;
}
