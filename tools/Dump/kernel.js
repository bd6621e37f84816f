// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a kernel takes its time, of what kexpr-dump --emit=json prints: words,
// bars and tables.
"use strict";

const {parts, loop, prediction, limit, times, work} = data;
const bytes = work.bytes_read + work.bytes_written;

// The most expensive parts come first, and have a colour each.
const byCost =
  [...parts].sort((a, b) => b.cost - a.cost || b.instructions - a.instructions);
const sum = key => parts.reduce((all, part) => all + part[key], 0);
const cost = sum("cost");
const lastColour = 6;
let colours = 0;
for (const part of byCost) {
  const isColoured =
    colours < lastColour && part.instructions > 0 && part.kind !== "loop";
  part.colour = seriesClass(isColoured ? colours++ : lastColour);
  part.share = cost > 0 ? part.cost / cost : 0;
}

/** Cycles of a step at the first size; 0 if nothing was measured. */
const measured =
  times.length ? times[0].median * times[0].clock * loop.elements : 0;
const isMeasured = measured > 0;
const predicted = prediction ? prediction.cycles : 0;

const cycles = value => value.toFixed(value < 9.95 ? 2 : 1);
const percent = share => `${(100 * share).toFixed(share < 0.095 ? 1 : 0)} %`;
const billions = rate => (rate * 1e-9).toFixed(2);
const strong = words => h("strong", {}, words);
const code = words => h("code", {}, words);
const small = words => h("small", {}, words);
const p = (...words) => h("p", {}, words);
const li = (...words) => h("li", {}, words);
/** A link to what a term means. */
const term = (id, words = id) => h("a", {href: `#word-${id}`}, words);
const enumerated = words => words.length < 2
  ? words.join()
  : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
const unitNames = () =>
  enumerated(limit.units.map(unit => prediction.units[unit].name));

function cut(words, most) {
  return words.length <= most ? words : words.slice(0, most) + "...";
}

function signature() {
  const most = 12, {operands, outputs} = data;
  const words = operands.slice(0, most).map(
    ({index, result, type, access}) =>
      `${index === undefined ? `r${result}` : `@${index}`} ${type} ${access}`);
  if (operands.length > most) words.push(`and ${operands.length - most} more`);
  words.push("to " + outputs.slice(0, most).map(o => o.type).join(", "));
  return t`${words.join(", ")}; ${data.level} code for
    ${data.cpu}${data.precision === "default" ? null : ", " + data.precision}`;
}

function facts() {
  const fact = (value, words) => li(h("b", {}, value), " ", words);
  const {level, clock, median} = times[0] ?? {};
  const digits = median < 0.0995e-9 ? 4 : median < 0.995e-9 ? 3 : 2;
  const rate = clock * loop.elements / predicted;
  return [
    isMeasured &&
      fact(cycles(measured), t`cycles a step, measured in ${level}`),
    isMeasured &&
      fact(`${(median * 1e9).toFixed(digits)} ns`,
        t`an element: ${billions(1 / median)} billion a second`),
    prediction &&
      fact(cycles(predicted),
        t`cycles a step, predicted${
          isMeasured && `: ${billions(rate)} billion elements a second`}`),
    fact(work.operations, t`arithmetic operations an element,
      ${(work.operations / bytes).toFixed(1)} for each byte`),
    fact(bytes, t`bytes an element, ${work.bytes_read} read and
      ${work.bytes_written} written`),
    fact(`${loop.vector_registers} of ${loop.all_vector_registers}`,
      t`vector registers, ${
        loop.spills ? `${counted(loop.spills, "instruction")} to the stack`
                    : "nothing on the stack"}`)
  ];
}

function stepWords() {
  const memory =
    [
      ["loads", "load", " of operands"], ["constants", "load", " of constants"],
      ["stores", "store", ""], ["spills", "trip", " to the stack"]
    ].filter(([key]) => sum(key))
      .map(([key, what, more]) => counted(sum(key), what) + more);
  return t`One ${term("step")} of the loop makes
    ${strong(counted(loop.elements, "element"))}:
    ${counted(loop.vectors, "vector")} of ${loop.lanes}, ${loop.vector_bits}
    bits wide. It is ${strong(counted(loop.instructions, "instruction"))},
    ${enumerated(memory)} among them. `;
}

function timeWords() {
  const {cpu} = data, ratio = predicted / measured;
  if (!prediction && !isMeasured)
    return t`LLVM has no model of ${cpu} to predict what that takes.`;
  if (!isMeasured)
    return t`LLVM's model of ${cpu} predicts
      ${strong(`${cycles(predicted)} cycles`)}.`;
  const why = h("a", {href: "#doubts"}, "why it may");
  return t`It takes ${strong(`${cycles(measured)} cycles`)}, measured on this
    ${cpu} while the data are in the ${times[0].level} cache${
    prediction && t`; LLVM's model of it predicts ${cycles(predicted)}`}${
    prediction && Math.abs(ratio - 1) > 0.15 &&
    t`, ${ratio.toFixed(2)} times that (${why})`}.`;
}

/** What the loop waits for, and what that means. */
const limitWords = {
  units() {
    const areMany = limit.units.length > 1;
    const busy = limit.units.length === 2
      ? limit.units.map(unit => cycles(prediction.units[unit].cycles))
          .join(" and ")
      : (areMany ? "up to " : "") + cycles(limit.cycles);
    return t`${strong(limit.is_memory ? "loading and storing" : "computing")}:
      the ${term("unit", areMany ? "units" : "unit")} ${code(unitNames())}
      ${areMany ? "are" : "is"} busy for ${busy} of the ${cycles(predicted)}
      predicted cycles`;
  },
  issue: () => t`${strong("the sheer number of instructions")}:
    ${prediction.micro_ops} ${term("micro-operation", "micro-operations")} at
    ${prediction.issue_width} a cycle take ${cycles(limit.cycles)} cycles`,
  carried: () => t`${strong("the step before")}: what a step needs of it is
    there after ${cycles(limit.cycles)} cycles`,
  window: () => t`${strong("its own results")}: its ${term("chain")} takes
    ${prediction.chain.toFixed()} cycles, and the ${term("window")} of
    ${prediction.window} micro-operations lets too few steps overlap to hide it,
    which makes ${cycles(limit.cycles)} a step`,
  order: () => t`${strong("its own results")}: the core begins instructions in
    order, so a ${term("chain")} of ${prediction.chain.toFixed()} cycles is
    waited for`
};

function limitText() {
  const next = prediction.bounds[1];
  const name = next.name in limitWords ? term(next.name) : code(next.name);
  const bound = [`${cycles(next.cycles)} (`, name, ")"];
  return p(t`What it waits for is ${limitWords[limit.kind]()}.`,
    predicted > 1.15 * limit.cycles
      ? t` That does not explain all: limits take turns, and the next one is
        ${bound}.`
      : next.cycles < 0.6 * limit.cycles &&
        t` Nothing else comes near: the next limit is ${bound}.`);
}

function costText() {
  const all = byCost.filter(part => part.cost > 0);
  const named =
    all.filter((part, i) => i < 3 && (i === 0 || part.share >= 0.05));
  const left = all.length - named.length;
  const rest = named.reduce((share, part) => share - part.share, 1);
  return named.length > 0 &&
    p(t`Of ${prediction ? "that" : "the instructions"},
    ${
      named.map((part, i) => t`${i > 0 && ", "}${code(part.name)} takes
      ${strong(percent(part.share))} (${
                  part.operations > 0 &&
                  `${counted(part.operations, "operation")} became `}${
                  counted(part.instructions, "instruction")})`)}${
      left > 0 &&
      `; ${left === 1 ? "one other takes" : `${left} others share`} ${
        percent(Math.max(0, rest))}`}.`);
}

/** What limits a size: its bytes, computing, or neither alone. */
function verdict(time) {
  // Less than this part of the time explains nothing.
  const most = 0.65, nearly = time === times[0] ? 0.8 : 1;
  if (time.moving > nearly * times[0].best && time.moving > most * time.best)
    return "moving the bytes";
  return times[0].best > most * time.best
    ? "computing"
    : "neither computing nor moving bytes alone";
}

function memoryText() {
  const words =
    times.filter(time => time.moving > 0).map(({moving,
      best,
      level}) => `${percent(moving / best)} of the time in ${level}`);
  const last = times.at(-1);
  return words.length > 0 && p(t`Moving its ${bytes} bytes an element alone
    would take ${words.join(", ")}. With ${short(last.elements)} elements the
    limit is ${strong(verdict(last))}.`);
}

const part = share => `${(100 * clamped(share)).toFixed(2)}%`;
const bar = (share, cls, attributes = {}) =>
  h("i", {class: `fill ${cls}`, style: `width:${part(share)}`, ...attributes});
const mark = (value, most, cls) =>
  value ? h("b", {class: cls, style: `left:${part(value / most)}`}) : null;
const row = (name, bars, value) => h("div", {class: "row"}, h("span", {}, name),
  h("span", {class: "bar"}, bars), h("span", {class: "value"}, value));

function bounds() {
  const {micro_ops, issue_width, window, chain, units} = prediction;
  const inOrder = window ? "window" : "order";
  const issued = `${micro_ops} micro-operations, ${issue_width} a cycle`;
  const overlap = window ? `${window} under way` : "begun in order";
  const chained = `a chain of ${chain.toFixed()}, ${overlap}`;
  const busiest = limit.units.length > 1 ? "busiest units" : "busiest unit";
  const bars = [
    ["issue", "issue", issued, micro_ops / issue_width],
    [inOrder, inOrder, chained, prediction.windowed],
    ["carried", "carried", "from step to step", prediction.carried]
  ];
  if (units.length) bars.push(["unit", busiest, unitNames(), units[0].cycles]);
  bars.sort((a, b) => b[3] - a[3]);
  for (const {moving, level, clock} of times.filter(time => time.moving > 0)) {
    const cycles = moving * clock * loop.elements;
    bars.push([null, `moving bytes, ${level}`, "measured", cycles]);
  }
  const most = Math.max(predicted, measured, ...bars.map(bar => bar[3]));
  const key = (cls, value) =>
    value > 0 && [h("b", {class: cls}), `${cls}, ${cycles(value)} cycles`];
  return [
    h("h3", {}, "What a step takes at least ",
      small("cycles, each limit by itself, in LLVM's model")),
    h("div", {class: "bars"},
      bars.map(
        ([id, name, note, value]) => row(
          [id ? term(id, name) : name, small(note)],
          [
            bar(value / most, id ? "computing" : "moving"),
            mark(predicted, most, "predicted"), mark(measured, most, "measured")
          ],
          cycles(value)))),
    h("p", {class: "key"}, key("predicted", predicted),
      key("measured", measured))
  ];
}

const shareWords = {
  unknown: "those of instructions, as there is no prediction",
  units: "those of the cycles that the busiest units work on it",
  issue: "those of the micro-operations",
  carried: "those of the micro-operations",
  window: "those of the longest chain: what is beside it costs nothing",
  order: "those of the longest chain: what is beside it costs nothing"
};

/** What the page says of a part that was chosen. */
function say(part) {
  const name = part.text + (part.kind === "store" ? ` (${part.name})` : "");
  if (part.instructions === 0)
    return `${name}: no instruction of ${
      part.assembly_lines ? "the loop, but some outside of it"
                          : "its own; others do it as well"}`;
  const cost = prediction &&
    `, ${counted(part.micro_ops, "micro-operation")}, ${
      cycles(part.cost)} cycles, ${percent(part.share)}`;
  return `${name}: ${counted(part.instructions, "instruction")}${cost || ""}${
    part.nodes > 1 ? `; computed once for ${part.nodes} places` : ""}`;
}

/** Columns of the table: a name, and what is said of a part. */
const columns = [
  ["share", part => part.cost > 0 ? percent(part.share) : 0],
  prediction && ["cycles", part => part.cost > 0 ? cycles(part.cost) : 0],
  ["instructions", part => part.instructions],
  prediction && [term("micro-operation", "micro-ops"), part => part.micro_ops],
  prediction && [term("chain"), part => part.chain],
  ["constants", part => part.constants], ["loads", part => part.loads],
  ["stores", part => part.stores],
  loop.spills && [term("register", "stack"), part => part.spills],
  ["arithmetic", part => part.operations]
].filter(Boolean);

function costRow(part, attributes, name, bars) {
  return h("tr", attributes, h("th", {scope: "row"}, name),
    h("td", {class: "share"}, bars),
    columns.map(([, of]) => h("td", {}, of(part) || "-")));
}

function costTable() {
  const most = 40, highest = byCost[0].cost;
  const listed =
    byCost.filter(part => part.kind !== "leaf" || part.assembly_lines > 0);
  const all =
    Object.fromEntries(Object.keys(parts[0]).map(key => [key, sum(key)]));
  put("costs",
    h("tr", {}, h("th", {}, "operator"),
      columns.map(([name], i) => h("th", i ? {} : {colspan: 2}, name))),
    listed.slice(0, most).map(
      part =>
        costRow(part, {class: part.colour, "data-k": part.id, tabindex: 0},
          [code(part.name), part.kind === "operator" && small(part.text)],
          h("span", {class: "bar"}, bar(highest && part.cost / highest, "")))),
    costRow(all, {class: "all"}, "all", []));
  put("more",
    listed.length > most &&
      `There are ${listed.length - most} more, each with less.`);
}

function units() {
  if (!prediction) return p(`LLVM has no scheduling model of ${data.cpu}.`);
  const shown = prediction.units.slice(0, 12);
  const most = Math.max(predicted, ...shown.map(unit => unit.cycles));
  const busy = shown.map(() => new Map());
  for (const {part, units} of loop.code)
    for (const {unit, cycles} of units)
      busy[unit]?.set(parts[part], (busy[unit].get(parts[part]) ?? 0) + cycles);
  const barOf = (part, value) => bar(value / most, part.colour,
    {"data-k": part.id, title: `${part.name}, ${cycles(value)}`});
  return [
    h("h3", {}, term("unit", "Units"), " ",
      small("cycles of a step that each is busy, by operator")),
    h("div", {class: "bars"},
      shown.map((unit, i) => row(unit.name,
                  byCost.filter(part => busy[i].has(part))
                    .map(part => barOf(part, busy[i].get(part))),
                  cycles(unit.cycles))))
  ];
}

/** How many registers hold something, and below it which part is at work. */
function registers() {
  const height = 100, strip = 10, full = loop.all_vector_registers;
  const each = Math.ceil(loop.code.length / 1000);
  const lives = [], runs = [];
  for (let i = 0; i < loop.code.length; i += each) {
    const part = parts[loop.code[i].part];
    if (runs.at(-1)?.part === part)
      ++runs.at(-1).width;
    else
      runs.push({part, x: lives.length, width: 1});
    lives.push(Math.max(...loop.code.slice(i, i + each).map(({live}) => live)));
  }
  const highest = Math.max(...lives), width = lives.length;
  const up = live => height * (1 - live / Math.max(highest, full));
  put("registers",
    h("figcaption", {},
      t`${highest} of ${full} vector registers at most${
        loop.spills > 0 &&
        `, and ${loop.spills} instructions that go to the stack`}`),
    svg(width, height + strip, "live vector registers along the loop",
      {preserveAspectRatio: "none", role: "group"},
      path(
        [
          [0, height],
          ...lives.flatMap((live, i) => [[i, up(live)], [i + 1, up(live)]]),
          [width, height]
        ],
        "live"),
      path([[0, up(full)], [width, up(full)]], "limit"),
      runs.map(
        ({part, x, width}) => s("g", {class: part.colour, "data-k": part.id},
          rect(x, height, width, strip, "fill", part.text)))));
}

function timeBars() {
  if (!times.length) return p(`Not measured: ${data.not_measured}.`);
  const clock = Math.max(...times.map(time => time.clock));
  const computing = time => predicted / loop.elements / time.clock;
  const most = Math.max(
    ...times.flatMap(time => [time.median, time.moving, computing(time)]));
  const size = bytes => bytes < 1e6 ? `${(bytes / 1e3).toFixed()} kB`
                                    : `${(bytes / 1e6).toFixed(1)} MB`;
  const line = (name, value, cls, from = value) => value > 0 &&
    row(name,
      [bar(from / most, cls), bar((value - from) / most, `faint ${cls}`)],
      (value * 1e9).toFixed(3));
  return [
    p(t`Nanoseconds an element, on one thread at ${billions(clock)} GHz.
      Measured is the median of 15 runs, and dark up to the best of them; moving
      the bytes is what loops take that do nothing else with as many.`),
    times.map(time => [h("h3", {}, time.level, " ",
                         small(t`${short(time.elements)} elements,
        ${size(time.bytes)}: the limit is ${verdict(time)}`)),
                h("div", {class: "bars"},
                  line("computing, predicted", computing(time), "computing"),
                  line("moving the bytes", time.moving, "moving"),
                  line("measured", time.median, "measured", time.best))])
  ];
}

/** Where most instructions keep a unit for two cycles, vectors go in halves. */
function halves() {
  const uses = loop.code.map(({units}) => units.reduce((all, {unit,
    cycles}) => all + (limit.units.includes(unit) && cycles),
                               0));
  const all = uses.filter(use => use > 0).length;
  const twice = uses.filter(use => use > 1.9).length;
  return loop.vector_bits >= 512 && 2 * twice >= all && li(t`In this model
    ${twice} of the ${all} instructions on the busiest units keep one for two
    cycles, as in a core that computes 512 bits in two halves. One that computes
    them at once needs about half as many.`);
}

function ratioDoubt() {
  const ratio = measured / predicted;
  return li(t`Measured are ${cycles(measured)} cycles a step where
    ${cycles(predicted)} are predicted`,
    ratio < 0.85
      ? t`: this core is faster than the model. Which operator costs most can be
      read from the shares all the same; cycles are fewer than the bars say.`
      : ratio > 1.2
      ? t`: something that is not simulated counts here. Of so few elements as
      ${times[0].elements}, the call and the elements that are left behind the
      last step take their part, too.`
      : ", which is near.");
}

function doubts() {
  const noisy = times.filter(time => time.median > 1.15 * time.best);
  const {also_of: also, unknown} = prediction ?? {also_of: [], unknown: 0};
  return [
    prediction && isMeasured && ratioDoubt(),
    also.length > 0 && li(t`LLVM describes ${data.cpu} by the same model as
      ${also.slice(0, 4).join(", ")}${also.length > 4 && " and others"}. It fits
      at most one of them exactly, and a newer core is often faster than an
      older one's model.`),
    prediction && halves(),
    unknown > 0 && li(t`The model lacks ${unknown} of the instructions; they are
      left out.`),
    noisy.length > 0 && li(t`Runs differed by more than 15 % in
      ${noisy.map(time => time.level).join(", ")}: the machine did other things,
      and the best run says more than the median.`)
  ];
}

document.title = cut(data.expression, 600);
put("title", document.title);
put("signature", signature());
if (data.sweep)
  put("loops",
    loops.map((each, i) =>
                li(each === data ? strong(each.sweep)
                                 : h("a", {href: `?${i + 1}`}, each.sweep))));
put("facts", facts());
put("answer", p(stepWords(), timeWords()), prediction && limitText(),
  costText(), memoryText());
put("bounds", prediction && bounds());
put("shares", shareWords[limit.kind]);
costTable();
put("units", units());
registers();
put("times", timeBars());
put("doubt", doubts());
for (const [id, isShown] of [
       ["model", prediction], ["unused", !data.is_used], ["loops", data.sweep]])
  if (!isShown) document.getElementById(id).remove();
