//===- Page/Html.h - Parts of a page of HTML ------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_PAGE_HTML_H
#define KEXPR_TOOLS_PAGE_HTML_H

#include "Bench/Table.h"
#include "Page/Svg.h"

#include <string>
#include <utility>
#include <vector>

namespace kexpr::tools {

// All texts are escaped here, but for `content`, `body` and drawings, which are
// HTML.

/// A page that needs no other file: its title, its style sheets and what is in
/// it. It reads on a phone.
std::string document(std::string_view title, const std::string &styles,
                     const std::string &body);

std::string section(std::string_view id, std::string_view title,
                    std::string_view words, const std::string &content);

/// A table under a title; nothing if it has no rows.
std::string tableHtml(std::string_view title, const Table &table);

/// Series and their names.
std::string
legend(const std::vector<std::pair<std::size_t, std::string>> &items,
       Swatch kind);

/// A drawing with a caption.
std::string figure(const std::string &drawing, const std::string &caption);

/// Figures side by side where there is room.
std::string figures(const std::string &content);

/// A sentence in a paragraph of its own.
std::string sentence(std::string_view words);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_PAGE_HTML_H
