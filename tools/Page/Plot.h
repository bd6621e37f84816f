//===- Page/Plot.h - Axes, and what is drawn between them -----------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KEXPR_TOOLS_PAGE_PLOT_H
#define KEXPR_TOOLS_PAGE_PLOT_H

#include "Page/Svg.h"

#include <string>
#include <utility>
#include <vector>

namespace kexpr::tools {

/// From which value to which, and where it is marked.
struct Axis {
  std::string title;
  double low = 1, high = 10;
  bool isLog = false;
  std::vector<std::pair<double, std::string>> ticks;

  /// The share of the way from `low` to `high`.
  double part(double value) const;

  /// Decades around these positive values, with ticks written as 1k and 0.1.
  static Axis logarithmic(std::string title, const std::vector<double> &values);
  /// Whole numbers a little around these.
  static Axis whole(std::string title, const std::vector<double> &values);
  /// From zero to a round number above all values.
  static Axis linear(std::string title, const std::vector<double> &values);
};

/// 1000 as 1k, 1e6 as 1M, 0.001 as 1m; three digits at most.
std::string shortNumber(double value);

/// A frame with two axes; series are drawn into it.
class Plot {
public:
  /// An empty frame with its ticks; `name` is what a screen reader says.
  Plot(std::string_view name, Axis x, Axis y);

  Spot at(double x, double y) const;
  /// A line with a mark at each place, named by `tips`.
  void series(const std::vector<std::pair<double, double>> &values,
              std::size_t series, const std::vector<std::string> &tips);
  void mark(double x, double y, std::size_t series, std::string_view tip);
  void line(double x0, double y0, double x1, double y1, std::string_view cls);
  /// A line from top to bottom with a name above it.
  void upright(double x, std::string_view name);
  void label(double x, double y, std::string_view words,
             std::string_view anchor, double up = 0);
  const Axis &xAxis() const { return x; }
  const Axis &yAxis() const { return y; }
  std::string str() const { return svg.str(); }

private:
  void frame();
  Svg svg;
  Axis x, y;
};

/// A plot whose y axis is a list of names, drawn as bars or marks.
class RowPlot {
public:
  RowPlot(std::string_view name, Axis x, const std::vector<std::string> &rows);
  void bar(std::size_t row, double from, double to, std::size_t series,
           std::string_view tip);
  void mark(std::size_t row, double value, std::size_t series,
            std::string_view tip);
  std::string str() const { return svg.str(); }

private:
  double middle(std::size_t row) const;
  double across(double value) const;
  Svg svg;
  Axis x;
};

} // namespace kexpr::tools

#endif // KEXPR_TOOLS_PAGE_PLOT_H
