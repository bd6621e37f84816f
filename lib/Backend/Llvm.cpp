//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Backend/Entry.h"
#include "Backend/Use.h"
#include "Jit/Prune.h"
#include "Jit/Session.h"
#include "Semantics/Check.h"
#include "Support/Fork.h"

#include <mutex>

using namespace kexpr;
using namespace kexpr::backend;

using Clock = std::chrono::steady_clock;

/// Result of `work`, which uses LLVM.
template <class F> static auto withLlvm(F work) -> decltype(work()) {
  const Use use;
  if (!use)
    return Error(ErrorCode::CompileFailed, "the process is ending");
  return work();
}

/// Held while LLVM makes tables that it has once: in a child of a fork in
/// between they would never be made.
static constinit Mutex firstUse;

/// The same for short work, which makes such tables.
template <class F> static auto withFirstUse(F work) -> decltype(work()) {
  std::lock_guard lock(firstUse);
  return withLlvm(work);
}

namespace {
class LlvmBackend final : public Backend {
public:
  explicit LlvmBackend(code::FileStamp file) : file(std::move(file)) {}
  Expected<codegen::Target>
  makeTarget(const codegen::TargetOptions &options) const override {
    return withFirstUse([&] { return codegen::makeTarget(options); });
  }
  void waitAtEndOfMain() const override { Use::waitAtEndOfMain(); }
  code::AheadTarget
  aheadTargetOf(const codegen::Target &target) const override {
    return codegen::aheadTargetOf(target);
  }
  Status checkRunsHere(const codegen::Target &target) const override {
    return withFirstUse([&] { return codegen::checkRunsHere(target); });
  }
  Expected<std::string> dump(const semantics::Plan &plan,
                             const codegen::Target &target,
                             codegen::OptLevel level,
                             codegen::Stage stage) const override {
    return withTables(target, level, [&] {
      return codegen::dump(plan, target, level, stage);
    });
  }
  Expected<std::string> dumpAfter(const semantics::Plan &plan,
                                  const codegen::Target &target,
                                  codegen::OptLevel level,
                                  std::string_view pass) const override {
    return withTables(target, level, [&] {
      return codegen::dumpAfter(plan, target, level, pass);
    });
  }
  Expected<std::string> objectOf(const semantics::Plan &plan,
                                 const codegen::Target &target,
                                 codegen::OptLevel level,
                                 const std::string &name) const override {
    return withTables(target, level, [&] {
      return codegen::objectOf(plan, target, level, name);
    });
  }
  Expected<codegen::LoopReport>
  reportLoop(const semantics::Plan &plan, const codegen::Target &target,
             codegen::OptLevel level) const override {
    return withTables(target, level,
                      [&] { return codegen::reportLoop(plan, target, level); });
  }
  Expected<codegen::CodeListing>
  listCode(const semantics::Plan &plan, const codegen::Target &target,
           codegen::OptLevel level) const override {
    return withTables(target, level,
                      [&] { return codegen::listCode(plan, target, level); });
  }
  Expected<Compiled> compile(const semantics::Plan &plan,
                             const codegen::Target &target,
                             codegen::OptLevel level) const override;
  void prune(const std::string &directory, std::uint64_t bytes,
             bool isDue) const override {
    if (const Use use; use)
      jit::prune(directory, bytes, isDue);
  }
  const code::FileStamp &llvm() const override { return file; }

private:
  Expected<Compiled> generate(const semantics::Plan &plan,
                              const codegen::Target &target,
                              codegen::OptLevel level) const;
  Expected<std::shared_ptr<jit::Session>> session() const;
  void makeTables(const codegen::Target &target, codegen::OptLevel level) const;
  /// What `work` gives, for which LLVM has its tables.
  template <class F>
  auto withTables(const codegen::Target &target, codegen::OptLevel level,
                  F work) const -> decltype(work()) {
    return withLlvm([&]() -> decltype(work()) {
      makeTables(target, level);
      return work();
    });
  }

  const code::FileStamp file;
  /// For what tables were made: a bit for each level, of this architecture and
  /// of others.
  mutable std::atomic<unsigned> made = 0;
  mutable Mutex mutex;
  mutable std::shared_ptr<jit::Session> opened;
  mutable std::uint32_t openedAt = 0; ///< Forks there had been.
};
} // namespace

/// A child of fork has its own: a thread of its parent may have been linking.
Expected<std::shared_ptr<jit::Session>> LlvmBackend::session() const {
  const auto known = [this] {
    return openedAt == forkCount() ? opened : nullptr;
  };
  {
    std::lock_guard lock(mutex);
    if (auto session = known())
      return session;
  }
  auto made = jit::Session::create();
  if (!made)
    return made;
  std::lock_guard lock(mutex);
  if (auto session = known())
    return session;
  // The session of the parent is leaked, with the locks that it may hold.
  if (opened)
    new std::shared_ptr<jit::Session>(std::move(opened));
  opened = *made;
  openedAt = forkCount();
  return made;
}

/// Has LLVM make what it makes at first use, by what takes it a millisecond.
void LlvmBackend::makeTables(const codegen::Target &target,
                             codegen::OptLevel level) const {
  // Another architecture has tables of its own.
  const bool isOwn = target.architecture() == code::ownArchitecture();
  const unsigned bit = 1u << (2 * static_cast<int>(level) + isOwn);
  if (made & bit)
    return;
  std::lock_guard lock(firstUse);
  // With constants, for which there is a table, too.
  const auto expression = Expression::parse("hardsigmoid(@0)");
  if (made & bit || !expression)
    return;
  auto graph = semantics::check(*expression, {});
  if (!graph)
    return;
  semantics::Plan plan{.graph = std::move(*graph), .inputs = {}, .outputs = {}};
  plan.setContiguous();
  if (generate(plan, target, level))
    made |= bit;
  // Before the tables are destroyed.
  Use::waitAtExit();
}

Expected<Compiled> LlvmBackend::compile(const semantics::Plan &plan,
                                        const codegen::Target &target,
                                        codegen::OptLevel level) const {
  return withTables(target, level,
                    [&] { return generate(plan, target, level); });
}

Expected<Compiled> LlvmBackend::generate(const semantics::Plan &plan,
                                         const codegen::Target &target,
                                         codegen::OptLevel level) const {
  auto object = codegen::compile(plan, target, level);
  if (!object)
    return object.error();
  auto linker = session();
  if (!linker)
    return linker.error();
  const auto start = Clock::now();
  auto image =
      (*linker)->link(object->bytes, object->symbol, target.architecture());
  if (!image)
    return image.error();
  if (plan.listing)
    image->symbols = std::make_shared<const code::Symbols>(
        code::Symbols{.name = plan.listing->name,
                      .size = object->size,
                      .path = plan.listing->path,
                      .lines = std::move(object->locations),
                      .object = std::move(object->bytes)});
  return Compiled{.image = std::move(*image),
                  .emit = object->emit,
                  .codegen = object->codegen,
                  .link = Clock::now() - start};
}

/// Threads may still compile while the process ends.
static constinit Once<LlvmBackend> ofProcess;

extern "C" const Backend *kexpr_backend(const char *buildId, Forks *&forks) {
  if (code::buildId() != buildId)
    return nullptr;
  forks = &forksOfCopy();
  if (const LlvmBackend *made = ofProcess.find())
    return made;
  // The loader is asked for it, whose lock another thread that comes here may
  // hold: before the mutex is taken.
  auto file = code::FileStamp::of(codegen::llvmFile());
  return &ofProcess.get([&file] {
    // What is made now is destroyed after the wait for users.
    codegen::makeRegistry();
    Use::waitAtExit();
    return LlvmBackend(std::move(file));
  });
}
