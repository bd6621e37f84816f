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

/// Makes or replaces a file; on failure the old one is still there, or none.
/// What is no regular file, as a device, is written to. Errors: Io.
Status writeFile(const std::string &path, std::string_view contents);

/// Makes or replaces files in a directory, which is made if it is missing. A
/// failure leaves no new file where it comes before the last renaming, which is
/// all but never. Errors: Io.
Status writeFolder(const std::string &path, const std::vector<File> &files);

/// Whether `writeFile` can be expected to succeed, before time is spent on what
/// is to be written. Changes nothing. Errors: Io.
Status checkWritable(const std::string &path);

/// All of a file. Errors: Io.
Expected<std::string> readFile(const std::string &path);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_COMMON_FILES_H
