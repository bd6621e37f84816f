//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/ImageMemory.h"

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/aarch64.h>
#include <llvm/ExecutionEngine/JITLink/x86_64.h>
#include <llvm/Support/MemAlloc.h>

#include <algorithm>
#include <cstring>

using namespace kexpr;
using namespace kexpr::jit;
using namespace llvm::jitlink;

/// Whether the fixup of an edge depends on a distance alone.
static bool isRelative(llvm::Triple::ArchType arch, Edge::Kind kind) {
  if (kind < Edge::FirstRelocation)
    return true; // keeps its target alive and writes nothing
  if (arch == llvm::Triple::x86_64)
    switch (kind) {
    case x86_64::Delta64:
    case x86_64::Delta32:
    case x86_64::NegDelta64:
    case x86_64::NegDelta32:
    case x86_64::PCRel32:
    case x86_64::BranchPCRel32:
      return true;
    default:
      return false;
    }
  switch (kind) {
  case aarch64::Delta64:
  case aarch64::Delta32:
  case aarch64::NegDelta64:
  case aarch64::NegDelta32:
  case aarch64::Branch26PCRel:
  case aarch64::TestAndBranch14PCRel:
  case aarch64::CondBranch19PCRel:
  case aarch64::LDRLiteral19:
  case aarch64::ADRLiteral21:
    return true;
  default:
    return false;
  }
}

static llvm::Error checkEdges(const LinkGraph &graph) {
  const auto arch = graph.getTargetTriple().getArch();
  for (const Block *block : const_cast<LinkGraph &>(graph).blocks())
    for (const Edge &edge : block->edges())
      if (!isRelative(arch, edge.getKind()) || edge.getTarget().isAbsolute())
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "the code refers to an absolute "
                                       "address (%s)",
                                       graph.getEdgeKindName(edge.getKind()));
  return llvm::Error::success();
}

class ImageMemory::Allocation {
public:
  Allocation(std::size_t size, llvm::Align alignment)
      : size(size), alignment(alignment),
        start(static_cast<char *>(
            llvm::allocate_buffer(size, alignment.value()))) {
    std::memset(start, 0, size); // gaps too, so that images can be compared
  }
  ~Allocation() { llvm::deallocate_buffer(start, size, alignment.value()); }
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;

  const std::size_t size;
  const llvm::Align alignment;
  char *const start;
};

ImageMemory::ImageMemory() = default;
ImageMemory::~ImageMemory() = default;

namespace {
template <class Finish, class Memory>
class InFlight final : public JITLinkMemoryManager::InFlightAlloc {
public:
  InFlight(std::unique_ptr<Memory> memory, Finish finish)
      : memory(std::move(memory)), finish(std::move(finish)) {}
  void abandon(OnAbandonedFunction onAbandoned) override {
    memory.reset();
    onAbandoned(llvm::Error::success());
  }
  void finalize(OnFinalizedFunction onFinalized) override {
    onFinalized(finish(std::move(memory)));
  }

private:
  std::unique_ptr<Memory> memory;
  Finish finish;
};
} // namespace

/// Lays the segments out one behind the other.
static llvm::Expected<std::pair<std::size_t, llvm::Align>>
measure(BasicLayout &layout) {
  std::size_t size = 0;
  llvm::Align alignment;
  for (auto &[group, segment] : layout.segments()) {
    size = llvm::alignTo(size, segment.Alignment) + segment.ContentSize +
           segment.ZeroFillSize;
    alignment = std::max(alignment, segment.Alignment);
  }
  if (size == 0)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the object is empty");
  return std::pair(size, alignment);
}

static void place(BasicLayout &layout, char *start) {
  std::size_t offset = 0;
  for (auto &[group, segment] : layout.segments()) {
    offset = llvm::alignTo(offset, segment.Alignment);
    segment.WorkingMem = start + offset;
    segment.Addr = llvm::orc::ExecutorAddr::fromPtr(segment.WorkingMem);
    offset += segment.ContentSize + segment.ZeroFillSize;
  }
}

void ImageMemory::allocate(const JITLinkDylib *library, LinkGraph &graph,
                           OnAllocatedFunction onAllocated) {
  if (auto error = checkEdges(graph))
    return onAllocated(std::move(error));
  BasicLayout layout(graph);
  auto measured = measure(layout);
  if (!measured)
    return onAllocated(measured.takeError());
  auto memory = std::make_unique<Allocation>(measured->first, measured->second);
  place(layout, memory->start);
  if (auto error = layout.apply())
    return onAllocated(std::move(error));
  auto finish = [this, library](std::unique_ptr<Allocation> done) {
    std::lock_guard lock(mutex);
    auto &slot = finished[library];
    slot = std::move(done);
    return FinalizedAlloc(llvm::orc::ExecutorAddr::fromPtr(slot->start));
  };
  onAllocated(std::make_unique<InFlight<decltype(finish), Allocation>>(
      std::move(memory), std::move(finish)));
}

void ImageMemory::deallocate(std::vector<FinalizedAlloc> allocations,
                             OnDeallocatedFunction onDeallocated) {
  {
    std::lock_guard lock(mutex);
    for (FinalizedAlloc &allocation : allocations) {
      const char *start = allocation.release().toPtr<const char *>();
      std::erase_if(finished, [start](const auto &entry) {
        return entry.second->start == start;
      });
    }
  }
  onDeallocated(llvm::Error::success());
}

code::Image ImageMemory::imageOf(const JITLinkDylib &library,
                                 llvm::orc::ExecutorAddr address) const {
  std::lock_guard lock(mutex);
  const Allocation &memory = *finished.find(&library)->second;
  return {.bytes = {memory.start, memory.start + memory.size},
          .alignment = memory.alignment.value(),
          .entry = static_cast<std::size_t>(address.toPtr<const char *>() -
                                            memory.start)};
}
