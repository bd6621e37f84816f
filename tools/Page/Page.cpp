//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Page/Page.h"

#include <nlohmann/json.hpp>

using namespace kexpr;
using nlohmann::json;

std::string tools::jsonText(const json &data, int indent) {
  return data.dump(indent, ' ', /*ensure_ascii=*/true,
                   json::error_handler_t::replace);
}

std::string tools::fillPage(std::string_view page, const json &data) {
  static constexpr std::string_view mark = "type=\"application/json\">";
  const std::size_t at = page.find(mark) + mark.size();
  std::string text(page.substr(0, at));
  // Only strings hold '<', which could end or begin an element.
  for (const char c : jsonText(data, -1))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text.append(page.substr(at + std::string_view("null").size()));
}
