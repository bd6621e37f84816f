//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/CodeMemory.h"

#include "Support/Fork.h"
#include "Support/SystemText.h"
#include "Support/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ranges>

#include <sys/mman.h>
#include <unistd.h>

using namespace kexpr;
using namespace kexpr::code;

static constexpr std::size_t SlabBytes = 1 << 20;

/// Whether an error of the system means a policy.
static bool isRefusal(int error) { return error == EACCES || error == EPERM; }

static Error systemError(const char *what, int error) {
  return {error == ENOMEM    ? ErrorCode::OutOfMemory
          : isRefusal(error) ? ErrorCode::Unsupported
                             : ErrorCode::CompileFailed,
          concat(what, ": ", errorText(error))};
}

LoadedCode::LoadedCode(std::shared_ptr<CodeMemory> memory, char *start,
                       const Image &image)
    : memory(std::move(memory)), start(start), bytes(image.bytes.size()),
      entry(image.entry) {}

LoadedCode::~LoadedCode() {
  announcements.clear();
  memory->giveBack(start, bytes);
}

/// Pages in one piece, executable, of which each is taken or free.
class CodeMemory::Slab {
public:
  Slab(char *start, std::size_t pages, std::size_t pageSize)
      : start(start), pageSize(pageSize), taken(pages), freePages(pages),
        hopeless(pages + 1) {}
  ~Slab() { munmap(start, taken.size() * pageSize); }
  Slab(const Slab &) = delete;
  Slab &operator=(const Slab &) = delete;

  /// The first of `count` free pages in a row, which are then taken; all pages
  /// there are if there is no such row.
  std::size_t take(std::size_t count) {
    if (count > freePages || count >= hopeless)
      return pages();
    const auto row = std::search_n(taken.begin(), taken.end(),
                                   static_cast<std::ptrdiff_t>(count), false);
    if (row == taken.end()) {
      hopeless = count;
      return pages();
    }
    std::fill_n(row, count, true);
    freePages -= count;
    return static_cast<std::size_t>(row - taken.begin());
  }
  void free(std::size_t first, std::size_t count) {
    std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(first), count,
                false);
    freePages += count;
    hopeless = pages() + 1;
    // The content goes, and with it the memory; the mapping stays.
    madvise(at(first), count * pageSize, MADV_DONTNEED);
  }

  char *at(std::size_t page) const { return start + page * pageSize; }
  std::size_t pages() const { return taken.size(); }
  std::size_t pagesInUse() const { return pages() - freePages; }
  bool holds(const char *place) const {
    return place >= start && place < at(pages());
  }

private:
  char *start;
  std::size_t pageSize;
  std::vector<bool> taken;
  std::size_t freePages;
  /// No row of as many pages was found since pages were given back.
  std::size_t hopeless;
};

CodeMemory::CodeMemory()
    : pageSize(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {}

CodeMemory::~CodeMemory() = default;

// Code may come, and go, after statics are gone.
static constinit Once<const std::shared_ptr<CodeMemory>> theMemory;

const std::shared_ptr<CodeMemory> &CodeMemory::ofProcess() {
  return theMemory.get([] { return std::make_shared<CodeMemory>(); });
}

std::size_t CodeMemory::footprint(std::size_t bytes) const {
  return (bytes + pageSize - 1) / pageSize * pageSize;
}

Expected<char *> CodeMemory::reserve(std::size_t bytes) {
  const std::size_t pages = bytes / pageSize;
  std::lock_guard lock(mutex);
  // The newest slabs have the most room.
  for (const auto &slab : std::views::reverse(slabs))
    if (const std::size_t page = slab->take(pages); page != slab->pages())
      return slab->at(page);
  const std::size_t size = std::max(SlabBytes, bytes);
  void *memory = mmap(nullptr, size, PROT_READ | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return systemError("cannot map executable memory", errno);
  slabs.push_back(std::make_unique<Slab>(static_cast<char *>(memory),
                                         size / pageSize, pageSize));
  return slabs.back()->at(slabs.back()->take(pages));
}

/// Writes an image to pages that no thread runs yet.
static Status write(const Image &image, char *start, std::size_t bytes) {
  if (mprotect(start, bytes, PROT_READ | PROT_WRITE) != 0)
    return systemError("cannot write to memory for code", errno);
  std::memcpy(start, image.bytes.data(), image.bytes.size());
  if (mprotect(start, bytes, PROT_READ | PROT_EXEC) != 0)
    return systemError("cannot make memory executable", errno);
  __builtin___clear_cache(start, start + image.bytes.size());
  return {};
}

/// The function of an image that lies at `start`.
static NamedCode functionOf(const Image &image, const char *start) {
  const std::size_t most = image.bytes.size() - image.entry;
  return {.bytes = {start + image.entry, std::min(image.symbols->size, most)},
          .symbols = *image.symbols};
}

Expected<std::shared_ptr<const LoadedCode>>
CodeMemory::load(const Image &image, const Listeners *listeners) {
  if (image.entry >= image.bytes.size() || image.alignment > pageSize)
    return Error(ErrorCode::CompileFailed, "not an image of machine code");
  const std::size_t bytes = footprint(image.bytes.size());
  auto start = reserve(bytes);
  if (!start) {
    note(start.error());
    return start.error();
  }
  auto code = std::make_shared<LoadedCode>(shared_from_this(), *start, image);
  if (auto status = write(image, *start, bytes); !status) {
    note(status.error());
    return status.error();
  }
  if (listeners && image.symbols)
    code->announcements = listeners->announce(functionOf(image, *start));
  return std::shared_ptr<const LoadedCode>(std::move(code));
}

void CodeMemory::note(const Error &fault) {
  if (fault.code() != ErrorCode::Unsupported)
    return;
  std::lock_guard lock(mutex);
  granted = fault;
}

Status CodeMemory::status() {
  {
    std::lock_guard lock(mutex);
    if (granted)
      return *granted;
  }
  // One byte, which is never run.
  const Image image{.bytes = {0}, .alignment = 1, .entry = 0};
  const auto loaded = load(image);
  std::lock_guard lock(mutex);
  if (loaded && !granted)
    granted = Status();
  return granted.value_or(Status());
}

void CodeMemory::giveBack(char *start, std::size_t bytes) {
  std::lock_guard lock(mutex);
  const auto slab =
      std::find_if(slabs.begin(), slabs.end(), [start](const auto &candidate) {
        return candidate->holds(start);
      });
  const auto page = static_cast<std::size_t>(start - (*slab)->at(0)) / pageSize;
  (*slab)->free(page, footprint(bytes) / pageSize);
  if ((*slab)->pagesInUse() == 0)
    dropEmptySlabs();
}

/// All but one: a kernel that comes and goes should not map memory each time.
void CodeMemory::dropEmptySlabs() {
  bool isFirst = true;
  std::erase_if(slabs, [&](const auto &slab) {
    if (slab->pagesInUse() != 0)
      return false;
    const bool isKept = isFirst && slab->pages() * pageSize == SlabBytes;
    isFirst = isFirst && !isKept;
    return !isKept;
  });
}

std::size_t CodeMemory::slabCount() const {
  std::lock_guard lock(mutex);
  return slabs.size();
}

std::size_t CodeMemory::bytesInUse() const {
  std::lock_guard lock(mutex);
  std::size_t pages = 0;
  for (const auto &slab : slabs)
    pages += slab->pagesInUse();
  return pages * pageSize;
}
