//===- Common/Files.h - Files that are whole or not there -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_COMMON_FILES_H
#define KEXPR_TOOLS_COMMON_FILES_H

#include "kexpr/Error.h"

#include <string>
#include <string_view>
#include <vector>

namespace kexpr::tools {

struct File {
  std::string name;
  std::string contents;
};

/// Creates or replaces a file; a failure leaves the old one, if any, unchanged.
/// Devices and the like are written to. Errors: Io.
Status writeFile(const std::string &path, std::string_view contents);

/// Creates or replaces files in a directory, which is created if it is missing.
/// All are written before the first is renamed; a failure until then leaves no
/// new file. Errors: Io.
Status writeFolder(const std::string &path, const std::vector<File> &files);

/// Whether `writeFile` can be expected to succeed, before time is spent on what
/// is to be written. Changes nothing. Errors: Io.
Status checkWritable(const std::string &path);

/// The `.bin` beside the `.param` of a network; empty if there is none.
std::string binBeside(const std::string &param);

/// All of a file. Errors: Io.
Expected<std::string> readFile(const std::string &path);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_COMMON_FILES_H
