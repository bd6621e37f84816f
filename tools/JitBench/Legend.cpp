//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JitBench/Legend.h"

using namespace kexpr;

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

std::string tools::sentence(const std::string &words) {
  return "<p>" + escape(words) + "</p>\n";
}

std::string tools::sideTitle(const std::string &side) {
  static const std::pair<const char *, const char *> titles[] = {
      {"fused", "kexpr"}, {"op-by-op", "one operator at a time"},
      {"cpp", "C++"},     {"cpp-nt", "C++, non-temporal stores"},
      {"eigen", "Eigen"}, {"pytorch", "PyTorch"},
      {"numpy", "NumPy"}};
  for (const auto &[id, title] : titles)
    if (side == id)
      return title;
  return side;
}
