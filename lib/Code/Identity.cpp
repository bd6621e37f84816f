//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Identity.h"

#include "Code/Descriptor.h"
#include "Code/Features.h"
#include "Support/Fork.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include "Support/SystemText.h"

#include <sys/auxv.h>
#endif

using namespace kexpr;
using namespace kexpr::code;
using namespace std::string_view_literals;

static void put(std::string &text, std::uint64_t word) {
  char digits[20];
  std::snprintf(digits, sizeof digits, ".%llx",
                static_cast<unsigned long long>(word));
  text += digits;
}

std::string code::modelsIn(std::string_view cpuinfo) {
  std::set<std::string> models;
  std::string model;
  while (!cpuinfo.empty()) {
    const std::string_view line = cpuinfo.substr(0, cpuinfo.find('\n'));
    cpuinfo.remove_prefix(std::min(line.size() + 1, cpuinfo.size()));
    if (line.starts_with("CPU "))
      model.append(1, '.').append(line.substr(line.find(':') + 1));
    if ((line.empty() || cpuinfo.empty()) && !model.empty())
      models.insert(std::exchange(model, {}));
  }
  std::string text;
  for (const std::string &each : models)
    text += each;
  return text;
}

#if defined(__x86_64__)
namespace {
struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};
} // namespace

/// Registers of a leaf up to `most`; zeros for others. Under a hypervisor each
/// question takes microseconds, so none is asked twice.
static Registers cpuid(unsigned leaf, unsigned most, unsigned subleaf = 0) {
  Registers r;
  if (leaf <= most)
    __cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
  return r;
}

/// The vector state that the system saves, without which features do not count.
static unsigned savedState(const Registers &basic) {
  if (!(basic.c & bit_OSXSAVE))
    return 0;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/// Every leaf that tells vendor, model or instruction sets, without the words
/// that differ from core to core.
static std::string describeHost() {
  std::string text = "x86_64";
  const Registers vendor = cpuid(0, 0);
  const unsigned most = vendor.a;
  const unsigned mostExtended = cpuid(0x80000000, 0x80000000).a;
  const Registers basic = cpuid(1, most), more = cpuid(7, most),
                  next = cpuid(7, more.a > 0 ? most : 0, 1),
                  extended = cpuid(0x80000001, mostExtended);
  for (unsigned word : {vendor.b,
                        vendor.c,
                        vendor.d,
                        basic.a,
                        basic.c,
                        basic.d,
                        more.b,
                        more.c,
                        more.d,
                        next.a,
                        next.b,
                        next.c,
                        next.d,
                        cpuid(0xd, most, 1).a,
                        cpuid(0x14, most).b,
                        cpuid(0x19, most).b,
                        cpuid(0x24, most).b,
                        extended.c,
                        extended.d,
                        cpuid(0x80000008, mostExtended).b,
                        savedState(basic)})
    put(text, word);
  return text;
}
#elif defined(__aarch64__)
static std::string describeHost() {
  std::string text = "aarch64";
  put(text, getauxval(AT_HWCAP));
  put(text, getauxval(AT_HWCAP2));
  put(text, scalableBitsHere());
  return text + modelsIn(systemText("/proc/cpuinfo"));
}
#else
static std::string describeHost() { return "unknown"; }
#endif

static constinit Once<const std::string> host;

const std::string &code::hostId() { return host.get(describeHost); }

/// Bytes of a file from an offset on; fewer at its end.
static std::string readAt(int file, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '\0');
  const ssize_t count =
      pread(file, text.data(), bytes, static_cast<off_t>(offset));
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

template <class T> static bool readStruct(std::string_view from, T &to) {
  if (from.size() < sizeof to)
    return false;
  std::memcpy(&to, from.data(), sizeof to);
  return true;
}

/// The build id among the notes of a segment; empty if it has none.
static std::string buildIdIn(std::string_view notes) {
  const auto padded = [](std::uint64_t bytes) { return (bytes + 3) / 4 * 4; };
  Elf64_Nhdr note;
  while (readStruct(notes, note)) {
    notes.remove_prefix(sizeof note);
    const std::uint64_t name = padded(note.n_namesz);
    const std::uint64_t size = name + padded(note.n_descsz);
    if (size > notes.size())
      return {};
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, 4) == "GNU\0"sv)
      return std::string(notes.substr(name, note.n_descsz));
    notes.remove_prefix(size);
  }
  return {};
}

/// The build id of an ELF file of 64 bits; empty for any other file.
static std::string buildIdOf(int file) {
  // Far more than there are in practice.
  constexpr std::size_t mostSegments = 64, mostNotes = 4096;
  Elf64_Ehdr header;
  if (!readStruct(readAt(file, 0, sizeof header), header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return {};
  const std::string segments = readAt(
      file, header.e_phoff,
      std::min<std::size_t>(header.e_phnum, mostSegments) * sizeof(Elf64_Phdr));
  std::string_view rest = segments;
  Elf64_Phdr segment;
  for (; readStruct(rest, segment); rest.remove_prefix(sizeof segment))
    if (segment.p_type == PT_NOTE)
      if (auto found = buildIdIn(
              readAt(file, segment.p_offset,
                     std::min<std::size_t>(segment.p_filesz, mostNotes)));
          !found.empty())
        return found;
  return {};
}

FileStamp FileStamp::of(std::string path) {
  FileStamp stamp{.path = std::move(path)};
  const Descriptor file(
      open(stamp.path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (!file || fstat(file, &status) != 0)
    return stamp;
  stamp.size = status.st_size;
  stamp.modified = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 +
                   status.st_mtim.tv_nsec;
  stamp.build = buildIdOf(file);
  stamp.isThere = true;
  return stamp;
}

bool FileStamp::isStale() const {
  const FileStamp now = of(path);
  if (!now.isThere)
    return false;
  return build.empty() && now.build.empty()
             ? now.size != size || now.modified != modified
             : now.build != build;
}
