// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes, frames and marks. A plot is as wide as a phone, so that letters stay as
// large as they are there.
"use strict";

const width = 360, right = 18, bottom = 38;

/** An axis; `part` maps a value to 0 to 1. */
function axis(title, low, high, ticks, isLog) {
  const part = value =>
    clamped(isLog ? Math.log(value / low) / Math.log(high / low)
                  : (value - low) / (high - low));
  return {title, low, high, ticks, part};
}

/** Decades around these positive values. */
function logarithmic(title, values) {
  const low = Math.min(...values) / 1.6, high = Math.max(...values) * 1.6;
  const ticks = [];
  for (let power = -12; power <= 15; ++power)
    for (const digit of high / low < 150 ? [1, 2, 5] : [1])
      ticks.push(Number(`${digit}e${power}`));
  return axis(
    title, low, high, ticks.filter(tick => tick >= low && tick <= high), true);
}

/** `count` steps from `first`, and this much room around them. */
function stepped(title, first, step, count, room) {
  const ticks = Array.from({length: count + 1}, (_, i) => first + i * step);
  return axis(title, first - room, ticks[count] + room, ticks);
}

/** Whole numbers a little around these. */
function whole(title, values) {
  const low = Math.min(...values), span = Math.max(...values) - low;
  const step = Math.max(1, Math.ceil(span / 8));
  return stepped(title, low, step, Math.floor(span / step), step * 0.2);
}

/** From zero to a round number above all values. */
function linear(title, values) {
  const most = Math.max(...values) * 1.05 || 1;
  const decade = 10 ** Math.floor(Math.log10(most));
  const fits = [0.2, 0.25, 0.5].find(part => most / (decade * part) <= 6);
  const step = decade * (fits ?? 1);
  return stepped(title, 0, step, Math.ceil(most / step), 0);
}

// So that colour is not all that tells series apart.
const shapes = [
  null, [[-3.5, -3.5], [3.5, -3.5], [3.5, 3.5], [-3.5, 3.5]],
  [[0, -4.5], [4.3, 3.5], [-4.3, 3.5]], [[0, -5], [5, 0], [0, 5], [-5, 0]],
  [[-4.3, -3.5], [4.3, -3.5], [0, 4.5]],
  [
    [-1.5, -4.5], [1.5, -4.5], [1.5, -1.5], [4.5, -1.5], [4.5, 1.5], [1.5, 1.5],
    [1.5, 4.5], [-1.5, 4.5], [-1.5, 1.5], [-4.5, 1.5], [-4.5, -1.5],
    [-1.5, -1.5]
  ]
];

function mark([x, y], series, tip) {
  const shape = shapes[series % shapes.length];
  const cls = `mark ${seriesClass(series)}`, title = s("title", {}, tip);
  return shape
    ? s("polygon",
        {points: points(shape.map(([dx, dy]) => [x + dx, y + dy])), class: cls},
        title)
    : s("circle", {cx: x.toFixed(1), cy: y.toFixed(1), r: 4, class: cls},
        title);
}

/** A frame; `at` maps values to a point in it. */
function frame(x, y) {
  const left = 46, top = 20, foot = 260 - bottom, end = width - right;
  const at = (valueX, valueY) => [left + x.part(valueX) * (end - left),
    foot - y.part(valueY) * (foot - top)];
  const across = x.ticks.map(tick => [tick, at(tick, y.low)[0]])
                   .map(([tick, x]) => [path([[x, foot], [x, top]], "grid"),
                          text(x, foot + 14, "middle", short(tick))]);
  const up = y.ticks.map(tick => [tick, at(x.low, tick)[1]])
               .map(([tick, y]) => [path([[left, y], [end, y]], "grid"),
                      text(left - 4, y + 4, "end", short(tick))]);
  const transform = `translate(11,${(top + foot) / 2}) rotate(-90)`;
  const elements = [
    across, up, path([[left, top], [left, foot], [end, foot]], "axis"),
    text((left + end) / 2, 254, "middle", x.title),
    s("text", {transform, "text-anchor": "middle"}, y.title)
  ];
  return {x, y, at, top, elements};
}

/** A line with a mark at each value, an object with `x`, `y` and `tip`. */
function line(plot, values, series) {
  const points = values.map(value => plot.at(value.x, value.y));
  return [
    path(points, `run ${seriesClass(series)}`),
    points.map((point, i) => mark(point, series, values[i].tip))
  ];
}

const figure = (drawing, caption) =>
  h("figure", {}, h("figcaption", {}, caption), drawing);
const figureOf = (plot, name, caption, ...elements) => figure(
  svg(width, 260, name, {role: "img"}, plot.elements, elements), caption);

/** A plot with a name in each row; `drawRow` gets its middle and the axis. */
function rowFigure(x, name, caption, names, drawRow) {
  const left = 58, each = 24, foot = each * names.length + 6;
  const across = value => left + x.part(value) * (width - left - 16);
  const short9 = words =>
    words.length <= 9 ? words : `${[...words].slice(0, 8).join("")}.`;
  return figure(
    svg(width, foot + bottom, name, {role: "img"},
      x.ticks.map(
        tick => [path([[across(tick), foot], [across(tick), 4]], "grid"),
          text(across(tick), foot + 14, "middle", short(tick))]),
      names.map((words, i) =>
                  text(left - 6, each * (i + 0.5) + 10, "end", short9(words))),
      path([[left, 4], [left, foot]], "axis"),
      text((left + width - right) / 2, foot + bottom - 6, "middle", x.title),
      names.map((_, i) => drawRow(i, each * (i + 0.5) + 6, across))),
    caption);
}

/** Series and their names; `cls` is the class of a line through the mark. */
function legend(names, cls, isBox) {
  return h("ul", {class: "legend"},
    names.map(
      (name, series) => h("li", {},
        svg(26, 12, "", {},
          cls ? path([[0, 6], [26, 6]], `${cls} ${seriesClass(series)}`) : null,
          isBox ? rect(7, 0, 12, 12, `fill ${seriesClass(series)}`, "")
                : mark([13, 6], series, "")),
        h("span", {}, name))));
}
