//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageCode.h"

#include "Dump/PageCost.h"
#include "Page/Svg.h"
#include "Support/Text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

using namespace kexpr;
using namespace kexpr::tools;
using codegen::CodeLine;

/// Lines of a loop, and of what is around it, beyond these are left out.
static constexpr std::size_t mostInLoop = 4000, mostAround = 600;

/// "float 0x3FE45F3060000000" as "float 0.63661975": LLVM writes the bits of a
/// double where decimals would be long.
static std::string withDecimals(std::string_view text) {
  static constexpr std::string_view mark = "float 0x";
  constexpr std::size_t digits = 16;
  std::string result;
  for (std::size_t at = text.find(mark); at != text.npos;
       at = text.find(mark)) {
    const char *begin = text.data() + at + mark.size();
    std::uint64_t bits = 0;
    const std::size_t left = text.size() - at - mark.size();
    const auto read =
        std::from_chars(begin, begin + std::min(digits, left), bits, 16);
    const auto value = static_cast<float>(std::bit_cast<double>(bits));
    result += text.substr(0, at);
    if (read.ptr == begin + digits && std::isfinite(value)) {
      char decimal[32];
      const auto end =
          std::to_chars(decimal, decimal + sizeof decimal, value).ptr;
      result += concat("float ", std::string_view(decimal, end));
      text.remove_prefix(at + mark.size() + digits);
    } else {
      result += mark;
      text.remove_prefix(at + mark.size());
    }
  }
  return result + std::string(text);
}

/// With types and flags in a softer colour.
static std::string irText(const std::string &text) {
  const std::string line = escape(withDecimals(text));
  static constexpr std::string_view open = "&lt;", close = "&gt;";
  std::string html;
  std::string_view rest = line;
  for (std::size_t at = rest.find(open); at != rest.npos;
       at = rest.find(open)) {
    const std::size_t end = rest.find(close, at);
    if (end == rest.npos)
      break;
    html += concat(rest.substr(0, at), "<i>",
                   rest.substr(at, end + close.size() - at), "</i>");
    rest.remove_prefix(end + close.size());
  }
  return html + std::string(rest);
}

/// The name of an instruction in a column of its own.
static std::string assemblyText(const std::string &text) {
  constexpr std::size_t column = 13;
  const std::size_t tab = text.find('\t');
  if (tab == text.npos)
    return escape(text);
  const std::size_t blanks = tab < column ? column - tab : 1;
  return escape(text.substr(0, tab)) + std::string(blanks, ' ') +
         escape(text.substr(tab + 1));
}

/// What an instruction takes, for those who point at it.
static std::string tipOf(const PageData &data,
                         const codegen::LoopInstruction &instruction) {
  if (!data.report.prediction)
    return concat(instruction.live, " vector registers hold something");
  std::string tip = concat(instruction.microOps,
                           instruction.microOps == 1 ? " micro-operation"
                                                     : " micro-operations",
                           ", latency ", instruction.latency);
  for (const codegen::UnitUse &use : instruction.units)
    tip += concat(", ", data.report.prediction->units[use.unit].unit, ' ',
                  cyclesText(use.cycles));
  return concat(tip, "; ", instruction.live,
                " vector registers hold something");
}

namespace {
/// Writes lines of code, those around the loop folded away.
class Writer {
public:
  Writer(const PageData &data, bool isAssembly)
      : data(data), isAssembly(isAssembly),
        hasFigures(isAssembly && data.listsReport()) {}
  std::string write(const std::vector<CodeLine> &lines);

private:
  void add(const CodeLine &line);
  std::string run(std::span<const CodeLine> lines, bool isFirst);

  const PageData &data;
  bool isAssembly, hasFigures;
  std::string html;
  std::size_t instruction = 0; ///< Of the loop, the next one.
};
} // namespace

/// What stands behind an instruction: a value or a remark. What LLVM says of
/// its registers would be longer than itself.
static std::string noteHtml(std::string_view note) {
  for (std::string_view type : {"float ", "double "})
    if (note.starts_with(type))
      note.remove_prefix(type.size());
  return note.empty() || note.find(" = ") != note.npos
             ? ""
             : concat(" <i>; ", escape(note), "</i>");
}

void Writer::add(const CodeLine &line) {
  if (line.isLabel) {
    html += concat("<li class=\"label\">", escape(line.text), ":</li>\n");
    return;
  }
  const Part &part = data.parts[data.partAt(line.place)];
  std::string tip = line.note, figure;
  if (hasFigures && line.isInLoop) {
    const auto &of = data.report.code[instruction++];
    tip += (tip.empty() ? "" : "; ") + tipOf(data, of);
    if (data.report.prediction)
      figure = concat("<b>", of.latency, "</b>");
  }
  html += concat("<li class=\"s", part.colour, "\" data-k=\"", part.id, "\"",
                 tip.empty() ? "" : concat(" title=\"", escape(tip), "\""),
                 "><code>",
                 isAssembly ? assemblyText(line.text) : irText(line.text),
                 noteHtml(line.note), "</code>", figure, "</li>\n");
}

static std::size_t countOf(std::span<const CodeLine> lines) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [](const CodeLine &line) { return !line.isLabel; }));
}

std::string Writer::run(std::span<const CodeLine> lines, bool isFirst) {
  const bool isInLoop = lines[0].isInLoop;
  const std::size_t most = isInLoop ? mostInLoop : mostAround;
  html.clear();
  for (const CodeLine &line : lines.first(std::min(most, lines.size())))
    add(line);
  if (lines.size() > most)
    html += concat("<li class=\"label\">and ", lines.size() - most,
                   " more lines</li>\n");
  html = "<ol class=\"lines\">\n" + html + "</ol>\n";
  return isInLoop
             ? html
             : concat("<details><summary>", countOf(lines), " lines ",
                      isFirst ? "before the loop"
                              : "behind the loop: the elements that are left, "
                                "and rare slow ways",
                      "</summary>\n", html, "</details>\n");
}

std::string Writer::write(const std::vector<CodeLine> &lines) {
  std::string text;
  const std::span<const CodeLine> all = lines;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end].isInLoop == all[i].isInLoop)
      ++end;
    text += run(all.subspan(i, end - i), i == 0);
    i = end;
  }
  return text;
}

std::string tools::irHtml(const PageData &data) {
  return Writer(data, false).write(data.code.ir);
}

std::string tools::assemblyHtml(const PageData &data) {
  return Writer(data, true).write(data.code.assembly);
}
