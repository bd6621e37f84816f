// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kexpr-jit-bench measured. `data` are what --json writes, with titles of
// sides, caches, and tables of text.
"use strict";

const {limits, runs, latencies, sides, caches} = data;
const names = latencies.map(row => row.expression);
const threads = runs.map(row => row.threads);
const fewest = Math.min(...threads), most = Math.max(...threads);
const speedOf = row => row.elements / row.seconds * 1e-9;
const runsOf = (side, count) =>
  runs.filter(row => row.side === side && row.threads === count);

/** Replaces what the page says where there is nothing to draw. */
function show(id, key, figures) {
  const drawn = figures.filter(figure => figure !== null);
  if (drawn.length)
    document.getElementById(id).replaceChildren(
      key, h("div", {class: "figures"}, drawn));
}

function table({title, rows}) {
  return rows.length < 2 ? null : [
    h("h3", {}, title),
    h("div", {class: "wide"},
      h("table", {},
        rows.map((row, i) => h("tr", {},
                   rows[0].map((_, column) =>
                                 h(i ? "td" : "th", {}, row[column] ?? ""))))))
  ];
}

/** The slanted roofs of the levels, and the flat one that they meet. */
function roofs({x, y, at}, limit) {
  const peak = limit.fma_per_second * 1e-9;
  const slanted = limit.levels.map((level, i) => {
    const {read, copy, triad} = level;
    const speed = 1e-9 *
      Math.max(
        read, copy, triad, level.copy_non_temporal, level.triad_non_temporal);
    const begin = Math.max(x.low, y.low / speed);
    const end = Math.min(x.high, peak / speed);
    return speed > 0 ? path([at(begin, begin * speed), at(end, end * speed)],
                         `roof ${seriesClass(i)}`)
                     : null;
  });
  const [left, up] = at(x.low, peak);
  return [
    slanted, path([[left, up], at(x.high, peak)], "roof peak"),
    text(left, up - 5, "start", ` ${short(peak)} G multiply-adds/s`, "soft")
  ];
}

function roofline(limit) {
  const rows = runsOf("fused", limit.threads).filter(row => row.operations > 0);
  if (!rows.length) return null;
  const across = row => row.operations / row.bytes;
  const speed = row => row.operations / row.seconds * 1e-9;
  const plot = frame(logarithmic("operations / byte", rows.map(across)),
    logarithmic("G operations / s",
      [limit.fma_per_second * 1e-9, ...rows.map(row => speed(row) / 2)]));
  // Names of more would lie on top of each other.
  const columns = [...new Set(rows.map(across))].sort((a, b) => a - b);
  const labels = columns.map((value, i) => {
    const [x, y] = plot.at(value, plot.y.low);
    const names =
      rows.filter(row => across(row) === value).map(row => row.expression);
    const words = [...new Set(names)].join(", ");
    return text(x, y - 5 - 12 * (i % 2), "middle", words, "soft");
  });
  return figureOf(plot, `roofline for ${limit.threads} threads`,
    counted(limit.threads, "thread"), roofs(plot, limit),
    labels.length <= 12 ? labels : null,
    rows.map(row => mark(plot.at(across(row), speed(row)),
               limit.levels.findIndex(level => level.name === row.level),
               `${row.expression} at ${row.size}: ${short(speed(row))} G ` +
                 `operations/s, ${short(100 * row.of_limit)} % of its limit`)));
}

function throughput(name) {
  const own = runs.filter(row => row.expression === name)
                .sort((a, b) => a.elements - b.elements);
  const linesOf = (side, title, count) =>
    own.filter(row => row.side === side && row.threads === count).map(row => ({
      x: row.elements,
      y: speedOf(row),
      tip: `${title}, ${row.size}, ${row.threads} threads: ${
        short(speedOf(row))} G elements/s`
    }));
  const lines = sides.map(({name, title}) => linesOf(name, title, fewest));
  if (most > fewest) lines.push(linesOf("fused", "kexpr", most));
  const all = lines.flat();
  if (!all.length) return null;
  const plot = frame(logarithmic("elements", all.map(value => value.x)),
    logarithmic("G elements / s", all.map(value => value.y)));
  const edges = caches.map(({name, bytes}) => {
    const elements = bytes / (own[0].bytes / own[0].elements);
    const [x, foot] = plot.at(elements, plot.y.low);
    return elements > plot.x.low && elements < plot.x.high ?
      [
        path([[x, foot], [x, plot.top]], "edge"),
        text(x, plot.top - 6, "middle", name, "soft")
      ] :
      null;
  });
  const limited = own.filter(
    row => row.side === "fused" && row.threads === fewest && row.of_limit > 0);
  return figureOf(plot, `throughput of ${name}`, name, edges,
    path(limited.map(row => plot.at(row.elements, speedOf(row) / row.of_limit)),
      "limit"),
    // Ours last, on top.
    lines.map((values, i) => line(plot, values, i)).reverse());
}

/** Speed over that of one thread. */
function scaling(size) {
  const lines = names.map(name => {
    const own = runs.filter(row => row.expression === name &&
        row.size === size && row.side === "fused");
    const one = own.find(row => row.threads === 1);
    return !one ? [] : own.sort((a, b) => a.threads - b.threads).map(row => ({
      x: row.threads,
      y: one.seconds / row.seconds,
      tip: `${name} on ${row.threads} threads: ${
        short(one.seconds / row.seconds)} times one`
    }));
  });
  const all = lines.flat();
  if (!all.length) return null;
  const plot = frame(whole("threads", all.map(value => value.x)),
    linear("times one thread", all.map(value => value.y)));
  const {x, y, at} = plot, end = Math.min(x.high, y.high);
  return figureOf(plot, `scaling at ${size}`, `${size} elements`,
    end > x.low ? path([at(x.low, x.low), at(end, end)], "limit") : null,
    lines.map((values, i) => line(plot, values, i)).reverse());
}

const stages = ["parse", "plan", "emit", "codegen", "link", "other"];

function compileFigure() {
  const totals = latencies.flatMap(row => row.compile ? row.compile * 1e3 : []);
  if (!totals.length) return null;
  const bars = (i, middle, across) => {
    const row = latencies[i];
    let begin = 0;
    return !row.compile ? null : stages.map((stage, series) => {
      const rest = row.compile * 1e3 - begin;
      const size = Math.max(
        0, stage === "other" ? rest : (row.stages?.[stage] ?? 0) * 1e3);
      const from = across(begin), to = across(begin += size);
      return rect(from, middle - 8, to - from, 16,
        `fill ${seriesClass(series)}`,
        `${row.expression}, ${stage}: ${short(size)} ms`);
    });
  };
  return rowFigure(linear("ms", totals), "compile time by stage",
    "Optimised code, or what was asked for", names, bars);
}

const ways = Object.entries({
  call: "call of 16 elements",
  memory: "kernel from memory",
  disk: "kernel from disk",
  first: "first result",
  baseline: "baseline code",
  compile: "compiled"
});

function latencyFigure() {
  const values = latencies.flatMap(
    row => ways.flatMap(([way]) => row[way] ? row[way] * 1e6 : []));
  return !values.length
    ? null
    : rowFigure(logarithmic("microseconds", values), "ways to a kernel",
        "From the text to a kernel, and a call", names,
        (i, middle, across) => ways.map(([way, title], series) => {
          const time = latencies[i][way] * 1e6;
          return time ? mark([across(time), middle], series,
                          `${names[i]}, ${title}: ${short(time)} us`)
                      : null;
        }));
}

const entry =
  (name, words) => [h("dt", {}, name), h("dd", {}, h("code", {}, words))];
const titleOf = name => sides.find(side => side.name === name)?.title ?? name;
// Sizes with the most elements that more than one number of threads has.
const sizes = runs.filter(row => row.side === "fused" && row.threads > 1)
                .sort((a, b) => b.elements - a.elements)
                .map(row => row.size);

put("date", data.date);
put("machine", `${data.machine}.`);
put("expressions", names.map(name => entry(name, data.expressions[name])));
put("peers", Object.entries(data.peers).map(([name,
  words]) => entry(titleOf(name), words)));
put("limits", table(data.tables[0]));
put("tables", data.tables.slice(1).map(table));
show("roofline",
  legend(limits[0]?.levels.map(({name}) => `data in ${name}`) ?? [], "roof"),
  limits.map(roofline));
show("throughput",
  legend(sides.map(side => side.title)
           .concat(most > fewest ? `kexpr, ${most} threads` : []),
    "run"),
  names.map(throughput));
show("scaling", legend(names, "run"),
  [...new Set(sizes)].slice(0, 2).map(scaling));
show("compile", legend(stages, null, true), [compileFigure()]);
show("latency", legend(ways.map(([, title]) => title)), [latencyFigure()]);
