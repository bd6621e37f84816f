//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code/Identity.h"

#include "Support/Fork.h"
#include <cstdio>

#include <sys/stat.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include "Support/SystemText.h"

#include <sys/auxv.h>
#endif

using namespace kexpr;
using namespace kexpr::code;

static void put(std::string &text, std::uint64_t word) {
  char digits[20];
  std::snprintf(digits, sizeof digits, ".%llx",
                static_cast<unsigned long long>(word));
  text += digits;
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
  // The model, which LLVM tunes for.
  const std::string all = systemText("/proc/cpuinfo");
  std::string_view first = std::string_view(all).substr(0, all.find("\n\n"));
  while (!first.empty()) {
    const std::string_view line = first.substr(0, first.find('\n'));
    first.remove_prefix(std::min(line.size() + 1, first.size()));
    if (line.starts_with("CPU "))
      text.append(1, '.').append(line.substr(line.find(':') + 1));
  }
  return text;
}
#else
static std::string describeHost() { return "unknown"; }
#endif

static constinit Once<const std::string> host;

const std::string &code::hostId() { return host.get(describeHost); }

FileStamp FileStamp::of(std::string path) {
  struct stat status = {};
  if (path.empty() || stat(path.c_str(), &status) != 0)
    return {.path = std::move(path)};
  return {.path = std::move(path),
          .size = status.st_size,
          .modified = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 +
                      status.st_mtim.tv_nsec};
}

bool FileStamp::isStale() const {
  const FileStamp now = of(path);
  return now.modified != 0 && (now.size != size || now.modified != modified);
}
