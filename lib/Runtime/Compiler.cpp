//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Runtime/Compiler.h"

#include "Support/Text.h"

#include <algorithm>
#include <cstdlib>
#include <new>

using namespace kexpr;
using namespace kexpr::runtime;
using codegen::OptLevel;

using Clock = std::chrono::steady_clock;

Compiler::Compiler(const EngineOptions &options)
    : options(options), watching(Watcher::of(options)), told(options.listeners),
      namesTarget(!options.cpu.empty() || !options.features.empty() ||
                  options.vectorBits != 0) {
  openCache();
  if (options.warmUp)
    warmUpLater();
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
    return CodePtr();
  const auto start = Clock::now();
  const auto image = disk->find(keyOnDisk(plan, level));
  if (watching)
    watching->diskAsked(plan, level, image.has_value(), Clock::now() - start);
  if (!image)
    return CodePtr();
  auto loaded = code::CodeMemory::ofProcess()->load(*image, told.listeners());
  if (!loaded)
    return CodePtr();
  if (times)
    times->link = Clock::now() - start;
  return codeOf(std::move(*loaded), level);
}

/// For whoever asked to see all code that runs.
void Compiler::dump(const semantics::Plan &plan, OptLevel level) const {
  if (watching && watching->wantsDumps())
    watching->dump(plan, level, target());
}

void Compiler::keep(const semantics::Plan &plan, OptLevel level,
                    const code::Image &image,
                    const backend::Backend &backend) const {
  const auto start = Clock::now();
  const std::size_t written =
      disk->store(keyOnDisk(plan, level), image, backend.llvm());
  if (watching)
    watching->diskStored(plan, level, written, Clock::now() - start);
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
  auto compiled = plan.listing
                      ? (*backend)->compile(named(plan, level), target, level)
                      : (*backend)->compile(plan, target, level);
  if (!compiled)
    return compiled.error();
  const auto linked = Clock::now();
  auto loaded =
      code::CodeMemory::ofProcess()->load(compiled->image, told.listeners());
  if (!loaded)
    return loaded.error();
  const auto end = Clock::now();
  CompileTimes spentHere;
  CompileTimes &each = times ? *times : spentHere;
  each.emit = compiled->times.emit;
  each.codegen = compiled->times.codegen;
  each.link = compiled->link + (end - linked);
  if (watching)
    watching->compiled(plan, level, target, each, (*loaded)->size());
  Spent &spent = level == OptLevel::Baseline ? baseline : optimized;
  ++spent.loops;
  spent.nanoseconds +=
      std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
  if (disk)
    keep(plan, level, compiled->image, **backend);
  return codeOf(std::move(*loaded), level);
}

static std::unique_ptr<const Code> interpret(const semantics::Plan &plan) {
  auto code = std::make_unique<Code>();
  code->interpreter.emplace(plan);
  return code;
}

/// Machine code from the disk or the code generator; null where the processor
/// or the system can have none.
Expected<Compiler::CodePtr> Compiler::firstCode(const semantics::Plan &plan,
                                                OptLevel level,
                                                CompileTimes *times) const {
  if (auto code = find(plan, level, times))
    return code;
  return newCode(plan, level, times);
}

/// The same from the code generator alone.
Expected<Compiler::CodePtr> Compiler::newCode(const semantics::Plan &plan,
                                              OptLevel level,
                                              CompileTimes *times) const {
  const auto machine = target();
  // Where nothing can be made executable, LLVM cannot be loaded either.
  const auto &memory = code::CodeMemory::ofProcess();
  if (!memory->status())
    return CodePtr();
  if (!machine)
    return machine.error();
  if (!(*machine)->hasFma)
    return CodePtr();
  auto code = generate(plan, **machine, level, times);
  if (!code && !memory->status())
    return CodePtr();
  return code;
}

Expected<std::shared_ptr<Loop>> Compiler::make(const semantics::Plan &plan,
                                               Mode mode,
                                               CompileTimes *times) const {
  const auto level = lastLevel(plan, mode);
  if (mode != Mode::Interpret && level != levelOf(mode))
    ++limited;
  CodePtr code;
  if (level && mode == Mode::Tiered) {
    code = find(plan, *level, times);
    // Loading LLVM takes longer than interpreting; but options that describe no
    // machine are said to be wrong at once.
    if (!code && namesTarget)
      if (const auto machine = target(); !machine)
        return machine.error();
  } else if (level) {
    auto made = firstCode(plan, *level, times);
    if (!made)
      return made.error();
    code = std::move(*made);
  }
  if (code) {
    dump(plan, *level);
    return std::make_shared<Loop>(plan, std::move(code));
  }
  auto loop = std::make_shared<Loop>(plan, interpret(plan));
  if (!level || mode != Mode::Tiered)
    return loop;
  const auto kept = std::make_shared<const semantics::Plan>(plan);
  improveLater(loop, kept, OptLevel::Baseline);
  if (level == OptLevel::Optimized)
    improveLater(loop, kept, OptLevel::Optimized);
  return loop;
}

Expected<std::shared_ptr<const Loop>>
Compiler::compile(const semantics::Plan &plan, Mode mode,
                  CompileTimes *times) const {
  return withStack(mode, [&] { return compileHere(plan, mode, times); });
}

Expected<std::shared_ptr<const Loop>>
Compiler::compileHere(const semantics::Plan &plan, Mode mode,
                      CompileTimes *times) const {
  const Log::Deferral lines;
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
  stats.limited = limited;
  if (!disk)
    return;
  const auto counts = disk->counts();
  stats.diskHits = counts.hits;
  stats.diskMisses = counts.misses;
  stats.diskStored = counts.stored;
  stats.diskFailed = counts.failed;
}
