//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Backend/Entry.h"
#include "Jit/Prune.h"
#include "Jit/Session.h"

#include <mutex>

using namespace kexpr;
using namespace kexpr::backend;

using Clock = std::chrono::steady_clock;

namespace {
class LlvmBackend final : public Backend {
public:
  Expected<codegen::Target>
  makeTarget(const codegen::TargetOptions &options) const override {
    return codegen::makeTarget(options);
  }
  Status checkRunsHere(const codegen::Target &target) const override {
    return codegen::checkRunsHere(target);
  }
  Expected<std::string> dump(const semantics::Plan &plan,
                             const codegen::Target &target,
                             codegen::OptLevel level,
                             codegen::Stage stage) const override {
    return codegen::dump(plan, target, level, stage);
  }
  Expected<std::string> dumpAfter(const semantics::Plan &plan,
                                  const codegen::Target &target,
                                  codegen::OptLevel level,
                                  std::string_view pass) const override {
    return codegen::dumpAfter(plan, target, level, pass);
  }
  Expected<codegen::LoopReport>
  reportLoop(const semantics::Plan &plan, const codegen::Target &target,
             codegen::OptLevel level) const override {
    return codegen::reportLoop(plan, target, level);
  }
  Expected<codegen::CodeListing>
  listCode(const semantics::Plan &plan, const codegen::Target &target,
           codegen::OptLevel level) const override {
    return codegen::listCode(plan, target, level);
  }
  Expected<Compiled> compile(const semantics::Plan &plan,
                             const codegen::Target &target,
                             codegen::OptLevel level) const override;
  void prune(const std::string &directory, std::uint64_t bytes,
             bool isDue) const override {
    jit::prune(directory, bytes, isDue);
  }
  const code::FileStamp &llvm() const override { return file; }

private:
  Expected<std::shared_ptr<jit::Session>> session() const;

  const code::FileStamp file = code::FileStamp::of(codegen::llvmFile());
  mutable std::mutex mutex;
  mutable std::shared_ptr<jit::Session> opened;
};
} // namespace

Expected<std::shared_ptr<jit::Session>> LlvmBackend::session() const {
  std::lock_guard lock(mutex);
  if (opened)
    return opened;
  auto made = jit::Session::create();
  if (made)
    opened = *made;
  return made;
}

/// What the object says of a function that is at `entry` in the image.
static std::shared_ptr<const code::Symbols>
symbolsOf(const syntax::Listing &listing, codegen::ObjectCode object,
          std::size_t entry) {
  auto symbols = std::make_shared<code::Symbols>();
  symbols->name = listing.name;
  symbols->size = object.size;
  symbols->listing = listing.text;
  symbols->path = listing.path;
  for (const codegen::CodePlace &each : object.places)
    symbols->lines.push_back(
        {static_cast<std::uint32_t>(entry) + each.offset, each.place});
  symbols->frames = std::move(object.frames);
  return symbols;
}

Expected<Compiled> LlvmBackend::compile(const semantics::Plan &plan,
                                        const codegen::Target &target,
                                        codegen::OptLevel level) const {
  auto object = codegen::compile(plan, target, level);
  if (!object)
    return object.error();
  auto linker = session();
  if (!linker)
    return linker.error();
  const auto start = Clock::now();
  auto image = (*linker)->link(object->bytes, object->symbol);
  if (!image)
    return image.error();
  const auto times = object->times;
  if (plan.listing)
    image->symbols = symbolsOf(*plan.listing, std::move(*object), image->entry);
  return Compiled{
      .image = std::move(*image), .times = times, .link = Clock::now() - start};
}

extern "C" const Backend *kexpr_backend(const char *buildId) {
  // Never destroyed: threads may still compile while the process ends.
  static const auto *const backend = new LlvmBackend;
  return code::buildId() == buildId ? backend : nullptr;
}
