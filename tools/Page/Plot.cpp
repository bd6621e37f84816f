//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Page/Plot.h"

#include "Bench/Table.h"

#include <algorithm>
#include <cmath>

using namespace kexpr;
using namespace kexpr::tools;

// As wide as a phone, so that letters stay as large as they are there.
static constexpr double width = 360, height = 260;
static constexpr double left = 46, right = 18, top = 20, bottom = 38;
static constexpr double rowHeight = 24, rowLeft = 58;

double Axis::part(double value) const {
  const double whole = isLog ? std::log(high / low) : high - low;
  const double share = (isLog ? std::log(value / low) : value - low) / whole;
  return std::clamp(share, 0.0, 1.0);
}

std::string tools::shortNumber(double value) {
  static constexpr std::pair<double, const char *> units[] = {
      {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
  for (const auto &[unit, letter] : units)
    if (std::fabs(value) >= unit * 0.9995) {
      const double share = value / unit;
      const int digits = share < 9.995 ? 2 : share < 99.95 ? 1 : 0;
      std::string text = number(share, digits);
      if (digits > 0)
        text.erase(text.find_last_not_of('0') + 1);
      if (text.ends_with('.'))
        text.pop_back();
      return text + letter;
    }
  std::string text = number(value, 4);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.'))
    text.pop_back();
  return text;
}

Axis Axis::logarithmic(std::string title, const std::vector<double> &values) {
  Axis axis;
  axis.title = std::move(title);
  axis.isLog = true;
  double least = 1, most = 1;
  if (!values.empty()) {
    least = *std::min_element(values.begin(), values.end());
    most = *std::max_element(values.begin(), values.end());
  }
  axis.low = least / 1.6;
  axis.high = most * 1.6;
  const bool isShort = axis.high / axis.low < 150;
  for (int power = -12; power <= 15; ++power)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * std::pow(10.0, power);
      if (value >= axis.low && value <= axis.high && (digit == 1 || isShort))
        axis.ticks.emplace_back(value, shortNumber(value));
    }
  return axis;
}

Axis Axis::whole(std::string title, const std::vector<double> &values) {
  Axis axis;
  axis.title = std::move(title);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double step = std::max(1.0, std::ceil((*most - *least) / 8));
  for (int i = 0; *least + i * step <= *most; ++i)
    axis.ticks.emplace_back(*least + i * step, shortNumber(*least + i * step));
  axis.low = *least - step * 0.2;
  axis.high = *most + step * 0.2;
  return axis;
}

Axis Axis::linear(std::string title, const std::vector<double> &values) {
  Axis axis;
  axis.title = std::move(title);
  axis.low = 0;
  double most = 0;
  for (const double value : values)
    most = std::max(most, value);
  most = most > 0 ? most * 1.05 : 1;
  double step = std::pow(10.0, std::floor(std::log10(most)));
  for (const double part : {0.2, 0.25, 0.5, 1.0})
    if (most / (step * part) <= 6) {
      step *= part;
      break;
    }
  const int steps = static_cast<int>(std::ceil(most / step));
  axis.high = steps * step;
  for (int i = 0; i <= steps; ++i)
    axis.ticks.emplace_back(i * step, shortNumber(i * step));
  return axis;
}

Plot::Plot(std::string_view name, Axis x, Axis y)
    : svg(width, height, name), x(std::move(x)), y(std::move(y)) {
  frame();
}

Spot Plot::at(double valueX, double valueY) const {
  return {left + x.part(valueX) * (width - left - right),
          height - bottom - y.part(valueY) * (height - top - bottom)};
}

void Plot::frame() {
  for (const auto &[value, text] : x.ticks) {
    const Spot foot = at(value, y.low);
    svg.line(foot, {foot.x, top}, "grid");
    svg.text({foot.x, foot.y + 14}, "middle", text);
  }
  for (const auto &[value, text] : y.ticks) {
    const Spot start = at(x.low, value);
    svg.line(start, {width - right, start.y}, "grid");
    svg.text({start.x - 4, start.y + 4}, "end", text);
  }
  svg.path(
      {{left, top}, {left, height - bottom}, {width - right, height - bottom}},
      "axis");
  svg.text({(left + width - right) / 2, height - 6}, "middle", x.title);
  svg.upwards({11, (top + height - bottom) / 2}, y.title);
}

void Plot::series(const std::vector<std::pair<double, double>> &values,
                  std::size_t series, const std::vector<std::string> &tips) {
  std::vector<Spot> places;
  places.reserve(values.size());
  for (const auto &[valueX, valueY] : values)
    places.push_back(at(valueX, valueY));
  svg.path(places, "run " + seriesClass(series));
  for (std::size_t i = 0; i < values.size(); ++i)
    svg.mark(places[i], series, seriesClass(series), tips[i]);
}

void Plot::mark(double valueX, double valueY, std::size_t series,
                std::string_view tip) {
  svg.mark(at(valueX, valueY), series, seriesClass(series), tip);
}

void Plot::line(double x0, double y0, double x1, double y1,
                std::string_view cls) {
  svg.line(at(x0, y0), at(x1, y1), cls);
}

void Plot::upright(double value, std::string_view name) {
  const Spot foot = at(value, y.low);
  svg.line(foot, {foot.x, top}, "edge");
  svg.text({foot.x, top - 6}, "middle", name, "soft");
}

void Plot::label(double valueX, double valueY, std::string_view words,
                 std::string_view anchor, double up) {
  const Spot place = at(valueX, valueY);
  svg.text({place.x, place.y - up}, anchor, words, "soft");
}

/// As much of a name as there is room for, in whole characters.
static std::string shortened(const std::string &name) {
  if (name.size() <= 9)
    return name;
  std::size_t end = 8;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80)
    --end;
  return name.substr(0, end) + ".";
}

RowPlot::RowPlot(std::string_view name, Axis x,
                 const std::vector<std::string> &rows)
    : svg(width, rowHeight * static_cast<double>(rows.size()) + bottom + 6,
          name),
      x(std::move(x)) {
  const double foot = rowHeight * static_cast<double>(rows.size()) + 6;
  for (const auto &[value, text] : this->x.ticks) {
    svg.line({across(value), foot}, {across(value), 4}, "grid");
    svg.text({across(value), foot + 14}, "middle", text);
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    svg.text({rowLeft - 6, middle(row) + 4}, "end", shortened(rows[row]));
  }
  svg.line({rowLeft, 4}, {rowLeft, foot}, "axis");
  svg.text({(rowLeft + width - right) / 2, foot + bottom - 6}, "middle",
           this->x.title);
}

double RowPlot::middle(std::size_t row) const {
  return 6 + rowHeight * (static_cast<double>(row) + 0.5);
}

double RowPlot::across(double value) const {
  return rowLeft + x.part(value) * (width - rowLeft - 16);
}

void RowPlot::bar(std::size_t row, double from, double to, std::size_t series,
                  std::string_view tip) {
  svg.rect({across(from), middle(row) - 8}, across(to) - across(from), 16,
           "fill " + seriesClass(series), tip);
}

void RowPlot::mark(std::size_t row, double value, std::size_t series,
                   std::string_view tip) {
  svg.mark({across(value), middle(row)}, series, seriesClass(series), tip);
}
