//===- kexpr/Export.h - Symbol visibility -----------------------*- C++ -*-===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_EXPORT_H
#define KEXPR_EXPORT_H

/// Marks what leaves the shared library; everything else is hidden.
#if defined(__GNUC__) || defined(__clang__)
#define KEXPR_API __attribute__((visibility("default")))
#else
#define KEXPR_API
#endif

#endif // KEXPR_EXPORT_H
