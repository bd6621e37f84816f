//===- Support/DefaultFloats.h - The floating-point environment -*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_SUPPORT_DEFAULTFLOATS_H
#define KEXPR_SUPPORT_DEFAULTFLOATS_H

#include <cstdint>

namespace kexpr {

/// While one exists, its thread rounds to nearest, keeps subnormal numbers and
/// masks exceptions, whatever the host has set. Afterwards control bits and
/// sticky flags are what they were. It covers vector registers, where all
/// arithmetic of kexpr is done; it has no effect on x87's. On Emerald Rapids it
/// takes a nanosecond, and some 50 where there is something to write; on Zen 5
/// 6, as a reading takes 5.4.
class DefaultFloats {
public:
  DefaultFloats() : before(read()) {
    if ((before & Control) != Default)
      write(Default);
  }
  ~DefaultFloats() {
    // Flags that are set now were mostly set before.
    if (writesFast() || read() != before)
      write(before);
  }
  /// Calls a function of the host in the environment that the host had, and
  /// keeps the changes that it makes to that.
  template <class F> void restoreFor(F call) {
    write(before);
    call();
    before = read();
    write(Default);
  }
  DefaultFloats(const DefaultFloats &) = delete;
  DefaultFloats &operator=(const DefaultFloats &) = delete;

private:
#if defined(__x86_64__)
  // MXCSR: six sticky flags, then DAZ, masks, rounding and FTZ.
  using Bits = std::uint32_t;
  static constexpr Bits Control = 0xFFC0, Default = 0x1F80;
  static Bits read() { return __builtin_ia32_stmxcsr(); }
  static void write(Bits bits) { __builtin_ia32_ldmxcsr(bits); }
  static bool writesFast() { return __builtin_cpu_is("amd"); }
#elif defined(__aarch64__)
  // FPCR above, FPSR below: control bits and flags.
  using Bits = std::uint64_t;
  static constexpr Bits Control = ~Bits{0} << 32, Default = 0;
  static Bits read() {
    Bits control, flags;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                     : "=r"(control), "=r"(flags));
    return control << 32 | (flags & 0xFFFFFFFF);
  }
  static void write(Bits bits) {
    const Bits control = bits >> 32, flags = bits & 0xFFFFFFFF;
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(control), "r"(flags));
  }
  static bool writesFast() { return false; }
#else
#error "the floating-point environment of this architecture is not known"
#endif

  Bits before;
};

} // namespace kexpr

#endif // KEXPR_SUPPORT_DEFAULTFLOATS_H
