//===- Page/Page.h - Pages that show data ---------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_PAGE_PAGE_H
#define KEXPR_TOOLS_PAGE_PAGE_H

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace kexpr::tools {

/// Pages of HTML with their styles and scripts inlined, and `null` for data.
/// `kexpr_page` in CMakeLists.txt makes them of files.
extern const std::string_view kernelPage, reportPage;

/// The page with its data: one file that needs no other and no network. Any
/// text in strings is shown as text.
std::string fillPage(std::string_view page, const nlohmann::json &data);

/// Data as ASCII; what is not UTF-8 becomes U+FFFD. A negative `indent` makes
/// one line of it.
std::string jsonText(const nlohmann::json &data, int indent);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_PAGE_PAGE_H
