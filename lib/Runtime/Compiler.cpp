//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Compiler.h"

#include "Runtime/Compile.h"
#include "Support/Text.h"

#include <algorithm>
#include <cstdlib>
#include <new>

using namespace kexpr;
using namespace kexpr::runtime;
using codegen::OptLevel;

using Clock = std::chrono::steady_clock;

Compiler::Compiler(const EngineOptions &options)
    : options(options), told(options.listeners),
      namesTarget(!options.cpu.empty() || !options.features.empty() ||
                  options.vectorBits != 0) {
  openCache();
  if (options.warmUp)
    workers.add(true, [this] { warmUp(); });
}

Compiler::~Compiler() = default;

void Compiler::openCache() {
  std::string path = options.cacheDirectory;
  // What the environment says does not count in programs of raised privileges.
  if (const char *given = secure_getenv("KEXPR_CACHE_DIR");
      path.empty() && given)
    path = given;
  if (path.empty())
    return;
  if (auto directory = code::Directory::open(path))
    disk = std::make_unique<const code::DiskCache>(std::move(*directory));
  else
    cacheFault = directory.error();
}

static Expected<codegen::Target> chooseTarget(const backend::Backend &backend,
                                              const EngineOptions &options) {
  auto target = backend.makeTarget({.triple = {},
                                    .cpu = options.cpu,
                                    .features = options.features,
                                    .vectorBits = options.vectorBits});
  if (!target)
    return target;
  if (auto status = backend.checkRunsHere(*target); !status)
    return status.error();
  return target;
}

Expected<const codegen::Target *> Compiler::target() const {
  auto backend = backend::load();
  if (!backend)
    return backend.error();
  std::lock_guard lock(mutex);
  if (!machine)
    machine = chooseTarget(**backend, options);
  if (!*machine)
    return machine->error();
  return &**machine;
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
  } catch (const std::bad_alloc &) {
    return;
  }
}

/// The last tier of a mode that generates code.
static OptLevel levelOf(Mode mode) {
  return mode == Mode::Baseline ? OptLevel::Baseline : OptLevel::Optimized;
}

static std::unique_ptr<const Code>
codeOf(std::shared_ptr<const code::LoadedCode> machine, OptLevel level) {
  auto code = std::make_unique<Code>();
  code->machine = std::move(machine);
  code->function =
      reinterpret_cast<semantics::LoopFn>(code->machine->address());
  code->tier = level == OptLevel::Baseline ? Tier::Baseline : Tier::Optimized;
  return code;
}

/// All that machine code depends on. Texts of options are taken as they are:
/// what two spellings of one CPU share is not worth LLVM.
std::string Compiler::keyOnDisk(const semantics::Plan &plan,
                                OptLevel level) const {
  return concat(code::buildId(), '\n', code::hostId(), '\n', options.cpu, '\n',
                options.features, '\n', options.vectorBits, '\n',
                level == OptLevel::Baseline ? "baseline\n" : "optimized\n",
                plan.key(), nameKey(plan));
}

/// The code that the cache on disk has; null if it has none.
Compiler::CodePtr Compiler::find(const semantics::Plan &plan, OptLevel level,
                                 CompileTimes *times) const {
  if (!disk)
    return nullptr;
  const auto start = Clock::now();
  const auto image = disk->find(keyOnDisk(plan, level));
  if (!image)
    return nullptr;
  auto loaded = code::CodeMemory::ofProcess()->load(*image, told.listeners());
  if (!loaded)
    return nullptr;
  if (times)
    times->link = Clock::now() - start;
  return codeOf(std::move(*loaded), level);
}

void Compiler::keep(const std::string &key, const code::Image &image,
                    const backend::Backend &backend) const {
  const std::size_t written = disk->store(key, image, backend.llvm());
  if (written == 0)
    return;
  // A process that stores much does not wait for its turn.
  const std::uint64_t most = options.maxDiskBytes / 16;
  const bool isDue = unpruned.fetch_add(written) + written > most;
  if (isDue)
    unpruned = 0;
  backend.prune(disk->path(), options.maxDiskBytes, isDue);
}

Expected<Compiler::CodePtr> Compiler::generate(const semantics::Plan &plan,
                                               const codegen::Target &target,
                                               OptLevel level,
                                               CompileTimes *times) const {
  auto backend = backend::load();
  if (!backend)
    return backend.error();
  const auto start = Clock::now();
  auto compiled = (*backend)->compile(plan, target, level);
  if (!compiled)
    return compiled.error();
  nameCode(compiled->image, plan, level);
  const auto linked = Clock::now();
  auto loaded =
      code::CodeMemory::ofProcess()->load(compiled->image, told.listeners());
  if (!loaded)
    return loaded.error();
  const auto end = Clock::now();
  if (times) {
    times->emit = compiled->times.emit;
    times->codegen = compiled->times.codegen;
    times->link = compiled->link + (end - linked);
  }
  Spent &spent = level == OptLevel::Baseline ? baseline : optimized;
  ++spent.loops;
  spent.nanoseconds +=
      std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
  if (disk)
    keep(keyOnDisk(plan, level), compiled->image, **backend);
  return codeOf(std::move(*loaded), level);
}

static std::unique_ptr<const Code> interpret(const semantics::Plan &plan) {
  auto code = std::make_unique<Code>();
  code->interpreter.emplace(plan);
  return code;
}

/// What fails, for lack of memory, leaves the tier there is.
void Compiler::improve(Loop &loop, const semantics::Plan &plan,
                       OptLevel level) const {
  try {
    if (auto code = find(plan, level, nullptr)) {
      loop.improve(std::move(code));
      return;
    }
    const auto machine = target();
    if (machine && !(*machine)->hasFma)
      return;
    auto code = machine ? generate(plan, **machine, level, nullptr)
                        : Expected<CodePtr>(machine.error());
    if (code) {
      loop.improve(std::move(*code));
      return;
    }
  } catch (const std::bad_alloc &) {
  }
  ++failed;
}

/// Has a better tier built in the background: baseline code soon, before any
/// loop's optimised code.
void Compiler::improveLater(const std::shared_ptr<Loop> &loop,
                            const std::shared_ptr<const semantics::Plan> &plan,
                            OptLevel level) const {
  workers.add(level == OptLevel::Baseline, loop,
              [this, plan, level, later = std::weak_ptr<Loop>(loop)] {
                // A loop that nobody has any more is not worth the work.
                if (const auto loop = later.lock())
                  improve(*loop, *plan, level);
              });
}

std::shared_ptr<const Loop> Compiler::replaceLater(const Loop &loop,
                                                   const semantics::Plan &plan,
                                                   Mode mode) const {
  auto made =
      std::make_shared<Loop>(plan, std::make_unique<const Code>(loop.code()));
  improveLater(made, std::make_shared<const semantics::Plan>(plan),
               levelOf(mode));
  return made;
}

Expected<std::shared_ptr<Loop>> Compiler::make(const semantics::Plan &plan,
                                               Mode mode,
                                               CompileTimes *times) const {
  const auto loopOf = [&plan](CodePtr code) {
    return std::make_shared<Loop>(plan, std::move(code));
  };
  if (mode == Mode::Interpret)
    return loopOf(interpret(plan));
  const OptLevel level = levelOf(mode);
  if (auto code = find(plan, level, times))
    return loopOf(std::move(code));
  // Loading LLVM takes longer than interpreting; but options that describe no
  // machine are said to be wrong at once.
  if (mode != Mode::Tiered || namesTarget) {
    const auto machine = target();
    if (!machine)
      return machine.error();
    if (!(*machine)->hasFma)
      return loopOf(interpret(plan));
    if (mode != Mode::Tiered) {
      auto code = generate(plan, **machine, level, times);
      if (!code)
        return code.error();
      return loopOf(std::move(*code));
    }
  }
  auto loop = loopOf(interpret(plan));
  const auto kept = std::make_shared<const semantics::Plan>(plan);
  improveLater(loop, kept, OptLevel::Baseline);
  improveLater(loop, kept, OptLevel::Optimized);
  return loop;
}

Expected<std::shared_ptr<const Loop>>
Compiler::compile(const semantics::Plan &plan, Mode mode,
                  CompileTimes *times) const {
  // Loops of different modes are different loops.
  const auto letter = [](Mode each) {
    return static_cast<char>('0' + static_cast<int>(each));
  };
  std::string key = letter(Mode::Optimized) + plan.key() + nameKey(plan);
  if (mode == Mode::Tiered)
    if (auto loop = loops.find(key)) {
      ++shared;
      return loop;
    }
  key.front() = letter(mode);
  bool isNew = false;
  auto loop = loops.findOrMake(
      key, [&] { return make(plan, mode, times); }, isNew);
  if (loop && !isNew)
    ++shared;
  return loop;
}

void Compiler::addTo(EngineStats &stats) const {
  stats.baseline = baseline;
  stats.optimized = optimized;
  stats.compiled = stats.baseline.loops + stats.optimized.loops;
  stats.shared = shared;
  stats.failed = failed;
  if (!disk)
    return;
  const auto counts = disk->counts();
  stats.diskHits = counts.hits;
  stats.diskMisses = counts.misses;
  stats.diskStored = counts.stored;
  stats.diskFailed = counts.failed;
}
