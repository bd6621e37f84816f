//===- Host/Skips.h - What keeps a test of hosts from running -------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_UNITTESTS_HOST_SKIPS_H
#define KEXPR_UNITTESTS_HOST_SKIPS_H

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
inline constexpr const char *Sanitized =
    "a sanitizer reserves what this test limits or replaces";

} // namespace kexpr::test::skips

#endif // KEXPR_UNITTESTS_HOST_SKIPS_H
