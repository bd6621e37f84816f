//===- Page/Svg.h - Drawings as text --------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_PAGE_SVG_H
#define KEXPR_TOOLS_PAGE_SVG_H

#include <string>
#include <string_view>
#include <vector>

namespace kexpr::tools {

/// Text that stands for itself in XML: in an element, or in an attribute.
std::string escape(std::string_view text);

struct Spot {
  double x, y;
};

/// How a drawing takes the room that it is given: scaled to its width, in its
/// own size with each unit a pixel, or stretched both ways.
enum class Fit { Scaled, Own, Stretched };

/// Adds elements one above the other; colours and widths come from the page's
/// style sheet by class. All texts are escaped here.
class Svg {
public:
  /// The name is what a screen reader says.
  Svg(double width, double height, std::string_view name,
      Fit fit = Fit::Scaled);

  /// What comes until the end of the group reacts as one: `key` is what scripts
  /// find it by. It can have the focus if it has a name.
  void beginGroup(std::string_view cls, std::string_view key,
                  std::string_view name);
  void endGroup() { body += "</g>\n"; }

  void line(Spot from, Spot to, std::string_view cls);
  void path(const std::vector<Spot> &places, std::string_view cls);
  /// `tip` shows when it is pointed at.
  void rect(Spot corner, double width, double height, std::string_view cls,
            std::string_view tip);
  /// `anchor`: start, middle or end.
  void text(Spot at, std::string_view anchor, std::string_view words,
            std::string_view cls = "");
  /// Text that reads upwards.
  void upwards(Spot at, std::string_view words);
  /// One of six shapes, so that colour is not all that tells series apart.
  void mark(Spot at, std::size_t shape, std::string_view cls,
            std::string_view tip);

  /// The whole element.
  std::string str() const { return body + "</svg>\n"; }

private:
  std::string body;
};

/// How a series is drawn: a line with marks, marks alone, marks under a line
/// of their own that has no dashes, or filled boxes.
enum class Swatch { Line, Mark, Roof, Box };

/// A small drawing of a series for a legend.
std::string swatch(std::size_t series, Swatch kind);

/// The class of a series: one of nine colours and dashes.
std::string seriesClass(std::size_t series);

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_PAGE_SVG_H
