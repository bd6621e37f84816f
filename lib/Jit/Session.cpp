//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Session.h"

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/MemoryMapper.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Object/ObjectFile.h>

#include <atomic>

using namespace kexpr;
using namespace kexpr::jit;

/// The one place where an `llvm::Error` becomes an error of ours.
static kexpr::Error convert(llvm::Error error) {
  return {ErrorCode::CompileFailed,
          "linking failed: " + llvm::toString(std::move(error))};
}

namespace {

/// Kernels are packed into stretches of address space of this size.
constexpr std::size_t SlabBytes = 16 << 20;

/// What session and code share: whoever goes last ends it.
class Linker {
public:
  explicit Linker(std::unique_ptr<llvm::orc::ExecutorProcessControl> process,
                  std::unique_ptr<llvm::orc::MapperJITLinkMemoryManager> memory)
      : session(std::move(process)), layer(session, std::move(memory)) {
    // A failed link is reported to its caller alone.
    session.setErrorReporter(
        [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  }
  ~Linker() { llvm::consumeError(session.endSession()); }

  llvm::orc::ExecutionSession session;
  llvm::orc::ObjectLinkingLayer layer;
  std::atomic<std::uint64_t> linked = 0;
};

class LinkedCode final : public Code {
public:
  LinkedCode(std::shared_ptr<Linker> linker, llvm::orc::JITDylib &library,
             std::size_t bytes)
      : linker(std::move(linker)), library(library), bytes(bytes) {}
  ~LinkedCode() override {
    llvm::consumeError(linker->session.removeJITDylib(library));
  }
  void *address() const override { return start; }
  std::size_t size() const override { return bytes; }

  void *start = nullptr;

private:
  std::shared_ptr<Linker> linker;
  llvm::orc::JITDylib &library;
  std::size_t bytes;
};

class OrcSession final : public Session {
public:
  explicit OrcSession(std::shared_ptr<Linker> linker)
      : linker(std::move(linker)) {}
  kexpr::Expected<std::shared_ptr<Code>>
  link(std::vector<char> object, const std::string &symbol) override;

private:
  std::shared_ptr<Linker> linker;
};

} // namespace

/// Bytes of code and constants in an object file for `triple`.
static llvm::Expected<std::size_t> sizeOfObject(llvm::MemoryBufferRef buffer,
                                                const llvm::Triple &triple) {
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return file.takeError();
  // JITLink would link it as happily.
  if ((*file)->getArch() != triple.getArch())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(), "the object is for '%s', not '%s'",
        llvm::Triple::getArchTypeName((*file)->getArch()).data(),
        llvm::Triple::getArchTypeName(triple.getArch()).data());
  std::size_t bytes = 0;
  for (const auto &section : (*file)->sections())
    if (section.isText() || section.isData())
      bytes += section.getSize();
  return bytes;
}

kexpr::Expected<std::shared_ptr<Code>>
OrcSession::link(std::vector<char> object, const std::string &symbol) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(object.data(), object.size()), symbol);
  auto bytes = sizeOfObject(buffer->getMemBufferRef(),
                            linker->session.getTargetTriple());
  if (!bytes)
    return convert(bytes.takeError());
  // Every object defines the same symbol, so each gets a library of its own.
  auto &session = linker->session;
  auto &library = session.createBareJITDylib(symbol + '.' +
                                             std::to_string(++linker->linked));
  auto code = std::make_shared<LinkedCode>(linker, library, *bytes);
  if (auto error = linker->layer.add(library, std::move(buffer)))
    return convert(std::move(error));
  auto found = session.lookup({&library}, symbol);
  if (!found)
    return convert(found.takeError());
  code->start = found->getAddress().toPtr<void *>();
  return std::shared_ptr<Code>(std::move(code));
}

kexpr::Expected<std::shared_ptr<Session>> Session::create() {
  // Without a dispatcher of its own ORC starts threads.
  auto process = llvm::orc::SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
  if (!process)
    return convert(process.takeError());
  auto memory = llvm::orc::MapperJITLinkMemoryManager::CreateWithMapper<
      llvm::orc::InProcessMemoryMapper>(SlabBytes);
  if (!memory)
    return convert(memory.takeError());
  return std::shared_ptr<Session>(std::make_shared<OrcSession>(
      std::make_shared<Linker>(std::move(*process), std::move(*memory))));
}
