//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Session.h"

#include "Jit/ImageMemory.h"

#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Object/ObjectFile.h>
// LLVM 21 gave SelfExecutorProcessControl a header of its own.
#if __has_include(<llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>)
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>
#else
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#endif

#include <atomic>

using namespace kexpr;
using namespace kexpr::jit;

/// The one place where an `llvm::Error` becomes an error of ours.
static kexpr::Error convert(llvm::Error error) {
  return {ErrorCode::CompileFailed,
          "linking failed: " + llvm::toString(std::move(error))};
}

namespace {
class OrcSession final : public Session {
public:
  explicit OrcSession(
      std::unique_ptr<llvm::orc::ExecutorProcessControl> process)
      : session(std::move(process)), layer(session, memory) {
    // A failed link is reported to its caller alone.
    session.setErrorReporter(
        [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  }
  ~OrcSession() override { llvm::consumeError(session.endSession()); }

  kexpr::Expected<code::Image> link(const std::vector<char> &object,
                                    const std::string &symbol,
                                    std::string_view architecture) override;

private:
  ImageMemory memory;
  llvm::orc::ExecutionSession session;
  llvm::orc::ObjectLinkingLayer layer;
  std::atomic<std::uint64_t> linked = 0;
};

/// A library for one object. It goes with what was linked into it.
class Library {
public:
  Library(llvm::orc::ExecutionSession &session, std::string name)
      : session(session), library(session.createBareJITDylib(std::move(name))) {
  }
  ~Library() { llvm::consumeError(session.removeJITDylib(library)); }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  llvm::orc::JITDylib &operator*() { return library; }

private:
  llvm::orc::ExecutionSession &session;
  llvm::orc::JITDylib &library;
};
} // namespace

static llvm::Error checkArchitecture(llvm::MemoryBufferRef buffer,
                                     std::string_view wanted) {
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return file.takeError();
  // JITLink would link it as happily.
  const auto found = llvm::Triple::getArchTypeName((*file)->getArch());
  if (found != llvm::StringRef(wanted))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the object is for '%s', not '%s'",
                                   found.data(), std::string(wanted).c_str());
  return llvm::Error::success();
}

kexpr::Expected<code::Image> OrcSession::link(const std::vector<char> &object,
                                              const std::string &symbol,
                                              std::string_view architecture) {
  auto buffer = llvm::MemoryBuffer::getMemBuffer(
      llvm::StringRef(object.data(), object.size()), symbol, false);
  if (auto error = checkArchitecture(buffer->getMemBufferRef(), architecture))
    return convert(std::move(error));
  // Every object defines the same symbol, so each gets a library of its own.
  Library library(session, symbol + '.' + std::to_string(++linked));
  if (auto error = layer.add(*library, std::move(buffer)))
    return convert(std::move(error));
  auto found = session.lookup({&*library}, symbol);
  if (!found)
    return convert(found.takeError());
  return memory.imageOf(*library, found->getAddress());
}

kexpr::Expected<std::shared_ptr<Session>> Session::create() {
  // Without a dispatcher of its own ORC starts threads.
  auto process = llvm::orc::SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
  if (!process)
    return convert(process.takeError());
  return std::shared_ptr<Session>(
      std::make_shared<OrcSession>(std::move(*process)));
}
