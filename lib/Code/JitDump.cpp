//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/JitDump.h"

#include "Support/SystemText.h"
#include "Support/Text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>

#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>

using namespace kexpr;
using namespace kexpr::code;

namespace {
// The file is described in tools/perf/Documentation/jitdump-specification.txt
// of Linux; all numbers are in the byte order of the machine.

struct FileHeader {
  std::uint32_t magic = 0x4a695444; // "JiTD"
  std::uint32_t version = 1;
  std::uint32_t size = sizeof(FileHeader);
#if defined(__x86_64__)
  std::uint32_t machine = EM_X86_64;
#elif defined(__aarch64__)
  std::uint32_t machine = EM_AARCH64;
#else
  std::uint32_t machine = EM_NONE;
#endif
  std::uint32_t padding = 0;
  std::uint32_t process = 0;
  std::uint64_t time = 0;
  std::uint64_t flags = 0;
};
static_assert(sizeof(FileHeader) == 40);

enum class RecordId : std::uint32_t { Load = 0, Lines = 2, Close = 3 };

struct RecordHeader {
  RecordId id;
  std::uint32_t size; ///< Of the record, this included.
  std::uint64_t time;
};

/// Behind it: the name, which a zero ends, and the code.
struct Load {
  std::uint32_t process, thread;
  std::uint64_t virtualAddress, address, bytes, number;
};

/// Behind it: that many lines.
struct Lines {
  std::uint64_t address, count;
};

/// Behind it: the path of the file, which a zero ends.
struct Line {
  std::uint64_t address;
  std::uint32_t line, column;
};
} // namespace

/// By the clock of `perf record -k mono`.
static std::uint64_t timeNow() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

template <class T> static void put(std::string &bytes, const T &record) {
  static_assert(std::has_unique_object_representations_v<T>);
  bytes.append(reinterpret_cast<const char *>(&record), sizeof record);
}

static void putText(std::string &bytes, const std::string &text) {
  bytes.append(text.c_str(), std::strlen(text.c_str()) + 1);
}

/// Puts a record, whose contents `fill` puts.
template <class F>
static void putRecord(std::string &bytes, RecordId id, F fill) {
  const std::size_t start = bytes.size();
  RecordHeader header{.id = id, .size = 0, .time = timeNow()};
  put(bytes, header);
  fill();
  header.size = static_cast<std::uint32_t>(bytes.size() - start);
  std::memcpy(bytes.data() + start, &header, sizeof header);
}

static void putLines(std::string &bytes, const NamedCode &code) {
  const auto lines = code.lines();
  if (lines.empty() || code.symbols.path.empty())
    return;
  const auto address = reinterpret_cast<std::uint64_t>(code.bytes.data());
  putRecord(bytes, RecordId::Lines, [&] {
    put(bytes, Lines{.address = address, .count = lines.size()});
    for (const CodeLocation &line : lines) {
      put(bytes, Line{.address = address + line.offset,
                      .line = line.location.line,
                      .column = line.location.column});
      putText(bytes, code.symbols.path);
    }
  });
}

static void putLoad(std::string &bytes, const NamedCode &code,
                    std::uint64_t number) {
  const auto address = reinterpret_cast<std::uint64_t>(code.bytes.data());
  putRecord(bytes, RecordId::Load, [&] {
    put(bytes, Load{.process = static_cast<std::uint32_t>(getpid()),
                    .thread = static_cast<std::uint32_t>(syscall(SYS_gettid)),
                    .virtualAddress = address,
                    .address = address,
                    .bytes = code.bytes.size(),
                    .number = number});
    putText(bytes, code.name());
    bytes.append(code.bytes);
  });
}

using Dumps = std::map<std::string, std::shared_ptr<JitDump>>;

// Code may come after statics are gone.
static constinit Mutex dumpsMutex;
static constinit Once<Dumps> allDumps;

static void closeAll() {
  std::lock_guard lock(dumpsMutex);
  if (const Dumps *all = allDumps.find())
    for (const auto &[path, dump] : *all)
      dump->close();
}

std::shared_ptr<JitDump>
JitDump::in(std::shared_ptr<const Directory> directory) {
  std::lock_guard lock(dumpsMutex);
  auto &dumps = allDumps.get([] {
    std::atexit(closeAll);
    return Dumps();
  });
  auto &known = dumps[directory->realPath()];
  if (!known)
    known = std::make_shared<JitDump>(std::move(directory));
  return known;
}

JitDump::JitDump(std::shared_ptr<const Directory> directory)
    : directory(std::move(directory)) {
  open();
}

JitDump::~JitDump() { close(); }

void JitDump::open() {
  unmark();
  process = getpid();
  functions = 0;
  size = 0;
  auto made = directory->create(concat("jit-", process, ".dump"));
  if (!made) {
    file.close();
    note(made.error());
    return;
  }
  file = std::move(*made);
  std::string header;
  put(header, FileHeader{.process = static_cast<std::uint32_t>(process),
                         .time = timeNow()});
  append(header);
  mark();
}

/// perf notices mappings that can be executed.
void JitDump::mark() {
  if (!file)
    return;
  void *mapped = mmap(nullptr, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)),
                      PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  if (mapped != MAP_FAILED) {
    marker = mapped;
    return;
  }
  note({ErrorCode::Io, concat("'", directory->realPath(),
                              "' holds nothing that can be executed, so perf "
                              "does not see a dump there: ",
                              errorText(errno))});
  file.close();
}

void JitDump::unmark() {
  if (void *mapped = std::exchange(marker, nullptr))
    munmap(mapped, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

/// Records that do not fit make the file end before them.
void JitDump::append(std::string_view records) {
  if (file.write(records)) {
    size += static_cast<off_t>(records.size());
    return;
  }
  note({ErrorCode::Io, concat("the dump in '", directory->realPath(),
                              "' cannot be written: ", errorText(errno))});
  if (ftruncate(file, size) != 0)
    note({ErrorCode::Io, "the dump ends with half a record"});
  file.close();
}

std::unique_ptr<Announcement> JitDump::announce(const NamedCode &code) {
  std::lock_guard lock(mutex);
  if (process != getpid())
    open();
  if (!file)
    return nullptr;
  std::string records;
  putLines(records, code);
  putLoad(records, code, functions++);
  append(records);
  return nullptr;
}

void JitDump::close() {
  std::lock_guard lock(mutex);
  // A child has its parent's file, in which the parent goes on.
  if (file && process == getpid()) {
    std::string record;
    putRecord(record, RecordId::Close, [] {});
    append(record);
  }
  file.close();
  unmark();
}
