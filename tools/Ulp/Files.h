//===- Ulp/Files.h - Files that are whole or not there ------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_ULP_FILES_H
#define KEXPR_TOOLS_ULP_FILES_H

#include "kexpr/Error.h"

#include <string>
#include <string_view>

namespace kexpr::tools {

/// Writes a file under another name beside `path` and renames it, so that
/// whoever looks sees the old text or the new one. Errors: Io.
Status writeWhole(const std::string &path, std::string_view text);

/// Whether `writeWhole` can be expected to succeed, before time is spent on
/// what is to be written. Changes nothing. Errors: Io.
Status checkWritable(const std::string &path);

/// All of a file. Errors: Io.
Expected<std::string> readWhole(const std::string &path);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_ULP_FILES_H
