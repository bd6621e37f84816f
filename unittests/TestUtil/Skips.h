//===- TestUtil/Skips.h - What keeps tests from running
//--------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TESTUTIL_SKIPS_H
#define KEXPR_TESTUTIL_SKIPS_H

namespace kexpr::test::skips {

/// All the reasons there are; a test that does not run says one of them.
inline constexpr const char *NoCode = "no machine code can be generated here";
inline constexpr const char *NoCommaLocale =
    "no locale with a decimal comma is installed";
inline constexpr const char *NoMount = "no file system can be mounted here";
inline constexpr const char *NoSeccomp = "no seccomp filter can be set here";
inline constexpr const char *NoSecondLlvm = "no second LLVM is installed";
inline constexpr const char *NoNamespaces = "dlmopen finds no room for the "
                                            "plugin's thread-local storage";
inline constexpr const char *NoTbbInNamespaces =
    "dlmopen cannot load oneTBB here";
inline constexpr const char *NoPlugin = "LLVM is no library of its own here";
inline constexpr const char *NoSuchMachine =
    "this processor has no such instructions";
inline constexpr const char *NoHandMadeCode =
    "no machine code was written by hand for this processor";
inline constexpr const char *OtherLlvm =
    "nothing was written with this version of LLVM";
inline constexpr const char *OtherCompiler =
    "Clang's builds emit arguments in another order than GCC's";
inline constexpr const char *NoNode = "nodejs is not installed";
inline constexpr const char *NoProfiler = "no profiler can be used here";
inline constexpr const char *NoProgram = "a program is not installed";
inline constexpr const char *NotPermitted =
    "this user has other rights than the test asks for";
inline constexpr const char *ByHand = "by hand: KEXPR_EXHAUSTIVE is not set";
inline constexpr const char *Emulated =
    "an emulator's own memory, code, time, threads or signals would be seen";
inline constexpr const char *Sanitized =
    "a sanitizer reserves what this test limits or replaces";

} // namespace kexpr::test::skips

#endif // KEXPR_TESTUTIL_SKIPS_H
