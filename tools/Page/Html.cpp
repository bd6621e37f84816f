//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Page/Html.h"

#include "Support/Text.h"

using namespace kexpr;

std::string tools::document(std::string_view title, const std::string &styles,
                            const std::string &body) {
  return concat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                "<meta charset=\"utf-8\"/>\n"
                "<meta name=\"viewport\" "
                "content=\"width=device-width, initial-scale=1\"/>\n"
                "<title>",
                escape(title), "</title>\n<style>", styles,
                "</style>\n</head>\n<body>\n", body, "</body>\n</html>\n");
}

std::string tools::section(std::string_view id, std::string_view title,
                           std::string_view words, const std::string &content) {
  return concat("<section id=\"", escape(id), "\">\n<h2>", escape(title),
                "</h2>\n", words.empty() ? "" : sentence(words), content,
                "</section>\n");
}

std::string tools::tableHtml(std::string_view title, const Table &table) {
  if (table.cells().size() < 2)
    return "";
  std::string html =
      concat("<h3>", escape(title), "</h3>\n<div class=\"wide\"><table>\n");
  bool isHeader = true;
  for (const auto &row : table.cells()) {
    html += "<tr>";
    for (std::size_t i = 0; i < table.cells()[0].size(); ++i)
      html += concat(isHeader ? "<th>" : "<td>",
                     i < row.size() ? escape(row[i]) : std::string(),
                     isHeader ? "</th>" : "</td>");
    html += "</tr>\n";
    isHeader = false;
  }
  return html + "</table></div>\n";
}

std::string
tools::legend(const std::vector<std::pair<std::size_t, std::string>> &items,
              Swatch kind) {
  std::string html = "<ul class=\"legend\">\n";
  for (const auto &[series, name] : items)
    html += "<li>" + swatch(series, kind) + "<span>" + escape(name) +
            "</span></li>\n";
  return html + "</ul>\n";
}

std::string tools::figure(const std::string &drawing,
                          const std::string &caption) {
  return "<figure>\n<figcaption>" + escape(caption) + "</figcaption>\n" +
         drawing + "</figure>\n";
}

std::string tools::figures(const std::string &content) {
  return "<div class=\"figures\">\n" + content + "</div>\n";
}

std::string tools::sentence(std::string_view words) {
  return "<p>" + escape(words) + "</p>\n";
}
