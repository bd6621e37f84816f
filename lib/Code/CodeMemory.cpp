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

#if defined(__aarch64__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#endif

using namespace kexpr;
using namespace kexpr::code;

static constexpr std::size_t SlabBytes = 1 << 20;

/// Whether an error of the system means a policy.
static bool isRefusal(int error) { return error == EACCES || error == EPERM; }

static Error memoryError(const char *what, int error) {
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

/// Where pages are larger than the smallest, what images take of them: most of
/// them have a few of these, and none asks for more alignment.
static constexpr std::size_t SharedGrain = 256;
static constexpr std::size_t SmallPage = 4096;

/// Grains in one piece, executable, of which each is taken or free.
class CodeMemory::Slab {
public:
  Slab(char *start, std::size_t bytes, std::size_t grain, std::size_t pageSize)
      : start(start), grain(grain), pageSize(pageSize), taken(bytes / grain),
        freeGrains(grains()), hopeless(grains() + 1) {}
  ~Slab() { munmap(start, bytes()); }
  Slab(const Slab &) = delete;
  Slab &operator=(const Slab &) = delete;

  /// The first of `count` free grains in a row, which are then taken; null if
  /// there is no such row.
  char *take(std::size_t count) {
    if (count > freeGrains || count >= hopeless)
      return nullptr;
    const auto row = std::search_n(taken.begin(), taken.end(),
                                   static_cast<std::ptrdiff_t>(count), false);
    if (row == taken.end()) {
      hopeless = count;
      return nullptr;
    }
    std::fill_n(row, count, true);
    freeGrains -= count;
    return start + static_cast<std::size_t>(row - taken.begin()) * grain;
  }
  void free(const char *place, std::size_t count) {
    const std::size_t first = grainOf(place);
    std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(first), count,
                false);
    freeGrains += count;
    hopeless = grains() + 1;
    // The content of pages goes, and with it the memory; the mapping stays.
    const std::size_t each = pageSize / grain;
    std::size_t page = first / each, end = (first + count - 1) / each + 1;
    if (isInUse(page))
      ++page;
    if (page < end && isInUse(end - 1))
      --end;
    if (page < end)
      madvise(start + page * pageSize, (end - page) * pageSize, MADV_DONTNEED);
  }

  bool isEmpty() const { return freeGrains == grains(); }
  std::size_t bytes() const { return grains() * grain; }
  std::size_t bytesInUse() const {
    if (grain == pageSize)
      return (grains() - freeGrains) * grain;
    std::size_t pages = 0;
    for (std::size_t page = 0; page < bytes() / pageSize; ++page)
      pages += isInUse(page);
    return pages * pageSize;
  }
  bool holds(const char *place) const {
    return place >= start && place < start + bytes();
  }

private:
  std::size_t grains() const { return taken.size(); }
  std::size_t grainOf(const char *place) const {
    return static_cast<std::size_t>(place - start) / grain;
  }
  bool isInUse(std::size_t page) const {
    const std::size_t each = pageSize / grain;
    const auto first = taken.begin() + static_cast<std::ptrdiff_t>(page * each);
    return std::find(first, first + static_cast<std::ptrdiff_t>(each), true) !=
           first + static_cast<std::ptrdiff_t>(each);
  }

  char *start;
  std::size_t grain, pageSize;
  std::vector<bool> taken;
  std::size_t freeGrains;
  /// No row of as many grains was found since some were given back.
  std::size_t hopeless;
};

CodeMemory::CodeMemory(std::size_t grain)
    : pageSize(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
      grain(grain                  ? grain
            : pageSize > SmallPage ? SharedGrain
                                   : pageSize) {}

CodeMemory::~CodeMemory() = default;

// Code may come, and go, after statics are gone.
static constinit Once<const std::shared_ptr<CodeMemory>> theMemory;

const std::shared_ptr<CodeMemory> &CodeMemory::ofProcess() {
  return theMemory.get([] { return std::make_shared<CodeMemory>(); });
}

std::size_t CodeMemory::footprint(std::size_t bytes) const {
  return (bytes + grain - 1) / grain * grain;
}

Expected<char *> CodeMemory::reserve(std::size_t bytes) {
  const std::size_t count = bytes / grain;
  std::lock_guard lock(mutex);
  // The newest slabs have the most room.
  for (const auto &slab : std::views::reverse(slabs))
    if (char *place = slab->take(count))
      return place;
  const std::size_t size =
      std::max(SlabBytes, (bytes + pageSize - 1) / pageSize * pageSize);
  void *memory = mmap(nullptr, size, PROT_READ | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return memoryError("cannot map executable memory", errno);
  slabs.push_back(std::make_unique<Slab>(static_cast<char *>(memory), size,
                                         grain, pageSize));
  return slabs.back()->take(count);
}

/// Threads on other cores run from here on what was written, where flushing
/// the cache says it to this core's pipeline alone: theirs may have fetched
/// what was here before. An old kernel does not know the call.
static void tellOtherCores() {
#if defined(__aarch64__)
  const auto barrier = [](int command) {
    return syscall(SYS_membarrier, command, 0, 0) == 0;
  };
  if (!barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) && errno == EPERM &&
      barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE))
    barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
#endif
}

static Status makeExecutable(char *start, std::size_t bytes) {
  if (mprotect(start, bytes, PROT_READ | PROT_EXEC) != 0)
    return memoryError("cannot make memory executable", errno);
  __builtin___clear_cache(start, start + bytes);
  return {};
}

/// Writes an image to pages that no thread runs yet.
static Status writeAlone(const Image &image, char *start, std::size_t bytes) {
  if (mprotect(start, bytes, PROT_READ | PROT_WRITE) != 0)
    return memoryError("cannot write to memory for code", errno);
  std::memcpy(start, image.bytes.data(), image.bytes.size());
  return makeExecutable(start, bytes);
}

/// Writes an image to pages that others may be running: to a copy, which then
/// takes their place. Threads that touch it in between wait in the system.
static Status writeBeside(const Image &image, char *start, char *pages,
                          std::size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return memoryError("cannot write to memory for code", errno);
  char *copy = static_cast<char *>(memory);
  std::memcpy(copy, pages, bytes);
  std::memcpy(copy + (start - pages), image.bytes.data(), image.bytes.size());
  Status status = makeExecutable(copy, bytes);
  if (status && mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                       pages) == MAP_FAILED)
    status = memoryError("cannot write to memory for code", errno);
  if (!status) {
    munmap(copy, bytes);
    return status;
  }
  __builtin___clear_cache(pages, pages + bytes);
  return {};
}

Status CodeMemory::write(const Image &image, char *start) {
  const std::size_t bytes = footprint(image.bytes.size());
  if (grain == pageSize)
    return writeAlone(image, start, bytes);
  const auto offset = reinterpret_cast<std::uintptr_t>(start) % pageSize;
  std::lock_guard lock(joining);
  return writeBeside(image, start, start - offset,
                     (offset + bytes + pageSize - 1) / pageSize * pageSize);
}

/// The function of an image that lies at `start`.
static NamedCode functionOf(const Image &image, const char *start) {
  const std::size_t most = image.bytes.size() - image.entry;
  return {.bytes = {start + image.entry, std::min(image.symbols->size, most)},
          .symbols = *image.symbols};
}

Expected<std::shared_ptr<const LoadedCode>>
CodeMemory::load(const Image &image, const Listeners *listeners) {
  if (image.entry >= image.bytes.size() || image.alignment > grain)
    return Error(ErrorCode::CompileFailed, "not an image of machine code");
  const std::size_t bytes = footprint(image.bytes.size());
  auto start = reserve(bytes);
  if (!start) {
    note(start.error());
    return start.error();
  }
  auto code = std::make_shared<LoadedCode>(shared_from_this(), *start, image);
  if (auto status = write(image, *start); !status) {
    note(status.error());
    return status.error();
  }
  tellOtherCores();
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
  (*slab)->free(start, footprint(bytes) / grain);
  if ((*slab)->isEmpty())
    dropEmptySlabs();
}

/// All but one: a kernel that comes and goes should not map memory each time.
void CodeMemory::dropEmptySlabs() {
  bool isFirst = true;
  std::erase_if(slabs, [&](const auto &slab) {
    if (!slab->isEmpty())
      return false;
    const bool isKept = isFirst && slab->bytes() == SlabBytes;
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
  std::size_t bytes = 0;
  for (const auto &slab : slabs)
    bytes += slab->bytesInUse();
  return bytes;
}
