//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Page/Svg.h"

#include "Support/Text.h"

#include <cmath>

using namespace kexpr;
using namespace kexpr::tools;

std::string tools::escape(std::string_view text) {
  std::string escaped;
  for (const char c : text)
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    case '\'':
      escaped += "&#39;";
      break;
    default:
      // XML has no place for control characters, however they are written.
      escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  return escaped;
}

/// A coordinate to a tenth of a unit.
static std::string at(double value) {
  const auto tenths = std::lround(value * 10);
  const auto size = std::labs(tenths);
  return concat(tenths < 0 ? "-" : "", size / 10,
                size % 10 ? concat(".", size % 10) : std::string());
}

static std::string pair(Spot place) { return at(place.x) + "," + at(place.y); }

static std::string attribute(const char *name, std::string_view value) {
  return concat(" ", name, "=\"", escape(value), "\"");
}

static std::string tipped(const char *element, const std::string &attributes,
                          std::string_view tip) {
  return concat("<", element, attributes, "><title>", escape(tip), "</title></",
                element, ">\n");
}

/// Groups in a drawing that is an image would not be read out.
static std::string fitted(double width, double height, Fit fit) {
  switch (fit) {
  case Fit::Scaled:
    return " role=\"img\"";
  case Fit::Own:
    return concat(" role=\"group\" width=\"", at(width), "\" height=\"",
                  at(height), "\"");
  case Fit::Stretched:
    return " role=\"group\" preserveAspectRatio=\"none\"";
  }
  return "";
}

Svg::Svg(double width, double height, std::string_view name, Fit fit)
    : body(concat("<svg viewBox=\"0 0 ", at(width), " ", at(height), "\"",
                  fitted(width, height, fit), attribute("aria-label", name),
                  ">\n")) {}

void Svg::beginGroup(std::string_view cls, std::string_view key,
                     std::string_view name) {
  body += concat("<g", attribute("class", cls), attribute("data-k", key),
                 name.empty() ? std::string()
                              : " tabindex=\"0\" role=\"button\"" +
                                    attribute("aria-label", name),
                 ">");
}

void Svg::line(Spot from, Spot to, std::string_view cls) {
  path({from, to}, cls);
}

void Svg::path(const std::vector<Spot> &places, std::string_view cls) {
  body += "<polyline points=\"";
  for (const Spot &place : places)
    body += concat(&place == places.data() ? "" : " ", pair(place));
  body += "\"" + attribute("class", cls) + "/>\n";
}

void Svg::rect(Spot corner, double width, double height, std::string_view cls,
               std::string_view tip) {
  body += tipped("rect",
                 attribute("x", at(corner.x)) + attribute("y", at(corner.y)) +
                     attribute("width", at(width)) +
                     attribute("height", at(height)) + attribute("class", cls),
                 tip);
}

void Svg::text(Spot place, std::string_view anchor, std::string_view words,
               std::string_view cls) {
  body += concat("<text", attribute("x", at(place.x)),
                 attribute("y", at(place.y)), attribute("text-anchor", anchor),
                 cls.empty() ? "" : attribute("class", cls), ">", escape(words),
                 "</text>\n");
}

void Svg::upwards(Spot place, std::string_view words) {
  body += concat("<text transform=\"translate(", pair(place),
                 ") rotate(-90)\" text-anchor=\"middle\">", escape(words),
                 "</text>\n");
}

/// The corners of a shape around the origin; empty for a circle.
static std::vector<Spot> corners(std::size_t shape) {
  switch (shape % 6) {
  case 1:
    return {{-3.5, -3.5}, {3.5, -3.5}, {3.5, 3.5}, {-3.5, 3.5}};
  case 2:
    return {{0, -4.5}, {4.3, 3.5}, {-4.3, 3.5}};
  case 3:
    return {{0, -5}, {5, 0}, {0, 5}, {-5, 0}};
  case 4:
    return {{-4.3, -3.5}, {4.3, -3.5}, {0, 4.5}};
  case 5:
    return {{-1.5, -4.5}, {1.5, -4.5}, {1.5, -1.5},  {4.5, -1.5},
            {4.5, 1.5},   {1.5, 1.5},  {1.5, 4.5},   {-1.5, 4.5},
            {-1.5, 1.5},  {-4.5, 1.5}, {-4.5, -1.5}, {-1.5, -1.5}};
  default:
    return {};
  }
}

void Svg::mark(Spot place, std::size_t shape, std::string_view cls,
               std::string_view tip) {
  const std::string name = attribute("class", concat("mark ", cls));
  const auto shifted = corners(shape);
  if (shifted.empty()) {
    body += tipped("circle",
                   attribute("cx", at(place.x)) + attribute("cy", at(place.y)) +
                       attribute("r", "4") + name,
                   tip);
    return;
  }
  std::string points;
  for (const Spot &corner : shifted)
    points += pair({place.x + corner.x, place.y + corner.y}) + " ";
  body += tipped("polygon", attribute("points", points) + name, tip);
}

std::string tools::seriesClass(std::size_t series) {
  return concat("s", series % 9);
}

std::string tools::swatch(std::size_t series, Swatch kind) {
  Svg drawing(26, 12, "");
  const std::string cls = seriesClass(series);
  if (kind == Swatch::Line || kind == Swatch::Roof)
    drawing.line({0, 6}, {26, 6},
                 (kind == Swatch::Line ? "run " : "roof ") + cls);
  if (kind == Swatch::Box)
    drawing.rect({7, 0}, 12, 12, "fill " + cls, "");
  else
    drawing.mark({13, 6}, series, cls, "");
  return drawing.str();
}
