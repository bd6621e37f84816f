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
const enumerated = words => words.length < 2 ?
  words.join() :
  `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
const unitNames = () =>
  enumerated(limit.units.map(unit => prediction.units[unit].name));

function cut(words, most) {
  return words.length <= most ? words : words.slice(0, most) + "...";
}

function signature() {
  const most = 12, {operands, outputs} = data;
  const words = operands.slice(0, most).map(
    operand => `@${operand.index} ${operand.type} ${operand.walk}`);
  if (operands.length > most) words.push(`and ${operands.length - most} more`);
  words.push("to " + outputs.slice(0, most).map(o => o.type).join(", "));
  return `${words.join(", ")}; ${data.level} code for ${data.cpu}${
    data.precision === "accurate" ? ", accurate" : ""}`;
}

function facts() {
  const list = [],
        add = (value, about) => list.push(li(h("b", {}, value), " ", about));
  if (measured) {
    const time = times[0].median * 1e9;
    add(cycles(measured), `cycles a step, measured in ${times[0].level}`);
    add(`${
          time.toFixed(time < 0.0995 ? 4 :
              time < 0.995           ? 3 :
                                       2)} ns`,
      `an element: ${billions(1 / times[0].median)} billion a second`);
  }
  if (prediction) {
    const rate = measured ? times[0].clock * loop.elements / predicted : 0;
    add(cycles(predicted),
      "cycles a step, predicted" +
        (rate ? `: ${billions(rate)} billion elements a second` : ""));
  }
  add(work.operations,
    "arithmetic operations an element, " +
      (work.operations / bytes).toFixed(1) + " for each byte");
  add(bytes,
    `bytes an element, ${work.bytes_read} read and ${
      work.bytes_written} written`);
  add(`${loop.vector_registers} of ${loop.all_vector_registers}`,
    "vector registers, " +
      (loop.spills ? `${counted(loop.spills, "instruction")} to the stack` :
                     "nothing on the stack"));
  return list;
}

function memoryParts() {
  const list = [],
        add = (key, what, more) =>
          sum(key) && list.push(counted(sum(key), what) + more);
  add("loads", "load", " of operands");
  add("constants", "load", " of constants");
  add("stores", "store", "");
  add("spills", "trip", " to the stack");
  return enumerated(list);
}

function stepWords() {
  return [
    "One ", term("step"), " of the loop makes ",
    strong(counted(loop.elements, "element")),
    `: ${counted(loop.vectors, "vector")} of ${loop.lanes}, ${
      loop.vector_bits} bits wide. It is `,
    strong(counted(loop.instructions, "instruction")),
    `, ${memoryParts()} among them.`
  ];
}

function timeWords() {
  if (!measured)
    return prediction ?
      [
        ` LLVM's model of ${data.cpu} predicts `,
        strong(`${cycles(predicted)} cycles`), "."
      ] :
      ` LLVM has no model of ${data.cpu} to predict what that takes.`;
  const ratio = predicted / measured;
  return [
    " It takes ", strong(`${cycles(measured)} cycles`),
    `, measured on this ${data.cpu} while the data are in the ${
      times[0].level} cache`,
    prediction ? `; LLVM's model of it predicts ${cycles(predicted)}` : null,
    prediction && Math.abs(ratio - 1) > 0.15 ?
      [
        `, ${ratio.toFixed(2)} times that (`,
        h("a", {href: "#doubts"}, "why it may"), ")"
      ] :
      null,
    "."
  ];
}

/** How long each of the busiest units is busy, if they are few. */
function busyWords() {
  return limit.units.length === 2 ?
    limit.units.map(unit => cycles(prediction.units[unit].cycles))
      .join(" and ") :
    (limit.units.length > 2 ? "up to " : "") + cycles(limit.cycles);
}

/** What the loop waits for, and what that means. */
const limitWords = {
  units: () => [strong(limit.is_memory ? "loading and storing" : "computing"),
    ": the ", term("unit", limit.units.length > 1 ? "units" : "unit"), " ",
    code(unitNames()), limit.units.length > 1 ? " are" : " is",
    ` busy for ${busyWords()} of the ${cycles(predicted)} predicted cycles`],
  issue: () => [strong("the sheer number of instructions"),
    `: ${prediction.micro_ops} `, term("micro-operation", "micro-operations"),
    ` at ${prediction.issue_width} a cycle take ${
      cycles(limit.cycles)} cycles`],
  carried: () => [strong("the step before"),
    `: what a step needs of it is there after ${cycles(limit.cycles)} cycles`],
  window: () => [strong("its own results"), ": its ", term("chain"),
    ` takes ${prediction.chain.toFixed()} cycles, and the `, term("window"),
    ` of ${prediction.window} micro-operations lets too few steps overlap ` +
      `to hide it, which makes ${cycles(limit.cycles)} a step`],
  order: () => [strong("its own results"),
    ": the core begins instructions in order, so a ", term("chain"),
    ` of ${prediction.chain.toFixed()} cycles is waited for`]
};

function limitText() {
  const next = prediction.bounds[1];
  const name = next.name in limitWords ? term(next.name) : code(next.name);
  const bound = [`${cycles(next.cycles)} (`, name, ")."];
  return p("What it waits for is ", limitWords[limit.kind](), ".",
    predicted > 1.15 * limit.cycles ?
      [
        " That does not explain all: limits take turns, and the next " +
          "one is ",
        bound
      ] :
      next.cycles < 0.6 * limit.cycles ?
      [" Nothing else comes near: the next limit is ", bound] :
      null);
}

function costText() {
  const all = byCost.filter(part => part.cost > 0);
  const named =
    all.filter((part, i) => i < 3 && (i === 0 || part.share >= 0.05));
  const left = all.length - named.length;
  const rest = named.reduce((share, part) => share - part.share, 1);
  return named.length ?
    p(prediction ? "Of that, " : "Of the instructions, ",
      named.map((part, i) => [i ? ", " : null, code(part.name), " takes ",
                  strong(percent(part.share)),
                  part.operations ?
                    ` (${counted(part.operations, "operation")} became ` :
                    " (",
                  `${counted(part.instructions, "instruction")})`]),
      left ? `; ${left === 1 ? "one other takes" : `${left} others share`} ${
               percent(Math.max(0, rest))}.` :
             ".") :
                               null;
}

/** What limits a size: its bytes, computing, or neither alone. */
function verdict(time) {
  // Less than this part of the time explains nothing.
  const most = 0.65, nearly = time === times[0] ? 0.8 : 1;
  if (time.moving > nearly * times[0].best && time.moving > most * time.best)
    return "moving the bytes";
  return times[0].best > most * time.best ?
    "computing" :
    "neither computing nor moving bytes alone";
}

function memoryText() {
  const words =
    times.filter(time => time.moving > 0)
      .map(
        time =>
          `${percent(time.moving / time.best)} of the time in ${time.level}`);
  return words.length ?
    p(`Moving its ${bytes} bytes an element alone would take ${
        words.join(", ")}. With ${short(times.at(-1).elements)} elements ` +
        "the limit is ",
      strong(verdict(times.at(-1))), ".") :
    null;
}

const part = share => `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;
const bar = (share, cls, attributes = {}) =>
  h("i", {class: `fill ${cls}`, style: `width:${part(share)}`, ...attributes});
const mark = (value, most, cls) =>
  value ? h("b", {class: cls, style: `left:${part(value / most)}`}) : null;
const row = (name, bars, value) => h("div", {class: "row"}, h("span", {}, name),
  h("span", {class: "bar"}, bars), h("span", {class: "value"}, value));

function bounds() {
  const window = prediction.window ? "window" : "order";
  const bars = [
    [
      "issue", "issue",
      `${prediction.micro_ops} micro-operations, ${
        prediction.issue_width} a cycle`,
      prediction.micro_ops / prediction.issue_width
    ],
    [
      window, window,
      `a chain of ${prediction.chain.toFixed()}, ${
        prediction.window ? `${prediction.window} under way` :
                            "begun in order"}`,
      prediction.windowed
    ],
    ["carried", "carried", "from step to step", prediction.carried]
  ];
  if (prediction.units.length)
    bars.push([
      "unit", limit.units.length > 1 ? "busiest units" : "busiest unit",
      unitNames(), prediction.units[0].cycles
    ]);
  bars.sort((a, b) => b[3] - a[3]);
  for (const time of times.filter(time => time.moving > 0))
    bars.push([
      null, `moving bytes, ${time.level}`, "measured",
      time.moving * time.clock * loop.elements
    ]);
  const most = Math.max(predicted, measured, ...bars.map(bar => bar[3]));
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
    h("p", {class: "key"}, h("b", {class: "predicted"}),
      `predicted, ${cycles(predicted)} cycles`,
      measured ?
        [h("b", {class: "measured"}), `measured, ${cycles(measured)} cycles`] :
        null)
  ];
}

const shareWords = {
  unknown: "There is no prediction, so shares are those of instructions.",
  units: "Shares are those of the cycles that the busiest units work on it.",
  issue: "Shares are those of the micro-operations.",
  carried: "Shares are those of the micro-operations.",
  window: "Shares are those of the longest chain: what is beside it costs " +
    "nothing.",
};
shareWords.order = shareWords.window;

/** What the page says of a part that was chosen. */
function say(part) {
  const name = part.text + (part.kind === "store" ? ` (${part.name})` : "");
  if (part.instructions === 0)
    return name +
      (part.assembly_lines ?
          ": no instruction of the loop, but some outside of it" :
          ": no instruction of its own; others do it as well");
  return `${name}: ${counted(part.instructions, "instruction")}` +
    (prediction ? `, ${counted(part.micro_ops, "micro-operation")}, ${
                    cycles(part.cost)} cycles, ${percent(part.share)}` :
                  "") +
    (part.nodes > 1 ? `; computed once for ${part.nodes} places` : "");
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
  const most = 40;
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
          [code(part.name), part.kind === "operator" ? small(part.text) : null],
          h("span", {class: "bar"},
            bar(byCost[0].cost > 0 ? part.cost / byCost[0].cost : 0, "")))),
    costRow(all, {class: "all"}, "all", []));
  if (listed.length > most)
    document.getElementById("costs").parentNode.after(
      p(`There are ${listed.length - most} more, each with less.`));
}

function units() {
  if (!prediction) return p(`LLVM has no scheduling model of ${data.cpu}.`);
  const shown = prediction.units.slice(0, 12);
  const most = Math.max(predicted, ...shown.map(unit => unit.cycles));
  const busy = shown.map(() => new Map());
  for (const {part, units} of loop.code)
    for (const use of units)
      busy[use.unit]?.set(
        parts[part], (busy[use.unit].get(parts[part]) || 0) + use.cycles);
  return [
    h("h3", {}, term("unit", "Units"), " ",
      small("cycles of a step that each is busy, by operator")),
    h("div", {class: "bars"},
      shown.map((unit, i) => row(unit.name,
                  byCost.filter(part => busy[i].has(part))
                    .map(part => bar(busy[i].get(part) / most, part.colour, {
                      "data-k": part.id,
                      title: `${part.name}, ${cycles(busy[i].get(part))}`
                    })),
                  cycles(unit.cycles))))
  ];
}

/** How many registers hold something, and below it which part is at work. */
function registers() {
  const height = 100, strip = 10, full = loop.all_vector_registers;
  const each = Math.ceil(loop.code.length / 1000);
  const places = [], runs = [];
  const highest = Math.max(...loop.code.map(instruction => instruction.live));
  const most = Math.max(highest, full);
  let count = 0;
  for (let i = 0; i < loop.code.length; i += each, ++count) {
    const live = Math.max(...loop.code.slice(i, i + each).map(one => one.live));
    const y = height * (1 - live / most);
    places.push([count, y], [count + 1, y]);
    const part = parts[loop.code[i].part];
    if (runs.at(-1)?.part === part)
      ++runs.at(-1).width;
    else
      runs.push({part, x: count, width: 1});
  }
  const top = height * (1 - full / most);
  put("registers",
    h("figcaption", {},
      `${highest} of ${full} vector registers at most` +
        (loop.spills ? `, and ${loop.spills} instructions that go to the ` +
              "stack" :
                       "")),
    svg(count, height + strip, "live vector registers along the loop",
      {preserveAspectRatio: "none", role: "group"},
      path([[0, height], ...places, [count, height]], "live"),
      path([[0, top], [count, top]], "limit"),
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
  const line = (name, value, bars) => row(name, bars, (value * 1e9).toFixed(3));
  return [
    p(`Nanoseconds an element, on one thread at ${billions(clock)} GHz. ` +
      "Measured is the median of 15 runs, and dark up to the best of them; " +
      "moving the bytes is what loops take that do nothing else with as many."),
    times.map(time => [h("h3", {}, time.level, " ",
                         small(`${short(time.elements)} elements, ${
                                 time.bytes < 1e6 ?
                                   `${(time.bytes / 1e3).toFixed()} kB` :
                                   `${(time.bytes / 1e6).toFixed(1)} MB`}: ` +
                           `the limit is ${verdict(time)}`)),
                h("div", {class: "bars"},
                  prediction ? line("computing, predicted", computing(time),
                                 bar(computing(time) / most, "computing")) :
                               null,
                  time.moving > 0 ? line("moving the bytes", time.moving,
                                      bar(time.moving / most, "moving")) :
                                    null,
                  line("measured", time.median,
                    [
                      bar(time.best / most, "measured"),
                      bar((time.median - time.best) / most, "faint measured")
                    ]))])
  ];
}

/** Where most instructions keep a unit for two cycles, vectors go in halves. */
function halves() {
  const uses =
    loop.code.map(({units}) => units.reduce((all, use) => all +
                      (limit.units.includes(use.unit) ? use.cycles : 0),
                    0));
  const all = uses.filter(use => use > 0).length;
  const twice = uses.filter(use => use > 1.9).length;
  return loop.vector_bits < 512 || 2 * twice < all ?
    null :
    li(`In this model ${twice} of the ${
         all} instructions on the busiest units ` +
      "keep one for two cycles, as in a core that computes 512 bits in two " +
      "halves. One that computes them at once needs about half as many.");
}

function ratioDoubt() {
  if (!measured) return null;
  const ratio = measured / predicted;
  const words = `Measured are ${cycles(measured)} cycles a step where ${
    cycles(predicted)} are predicted`;
  if (ratio < 0.85)
    return li(`${words}: this core is faster than the model. Which operator ` +
      "costs most can be read from the shares all the same; cycles " +
      "are fewer than the bars say.");
  return li(words,
    ratio > 1.2 ?
      ": something that is not simulated counts here. Of so few elements as " +
        `${times[0].elements}, the call and the elements that are left ` +
        "behind the last step take their part, too." :
      ", which is near.");
}

function predictionDoubts() {
  const most = 4, also = prediction.also_of;
  return [
    ratioDoubt(),
    also.length ?
      li(`LLVM describes ${data.cpu} by the same model as ${
           also.slice(0, most).join(", ")}${
           also.length > most ? " and others" : ""}. It fits at most one of ` +
        "them exactly, and a newer core is often faster than an older one's " +
        "model.") :
      null,
    halves(),
    prediction.unknown ? li(`The model lacks ${prediction.unknown} of the ` +
                           "instructions; they are left out.") :
                         null,
    li("Not simulated are fetching and decoding, a load that waits for a " +
      "store, and branches that were foreseen wrongly. Data are taken to be " +
      "in the first-level cache."),
    li("What an operator costs is what its instructions take of what limits " +
      "the loop in the simulation. Where something else limits the real " +
      "loop, shares are others.")
  ];
}

function doubts() {
  const noisy = times.filter(time => time.median > 1.15 * time.best);
  return [
    prediction ? predictionDoubts() : null,
    noisy.length ? li("Runs differed by more than 15 % in " +
                     noisy.map(time => time.level).join(", ") +
                     ": the machine did other things, and the best run says " +
                     "more than the median.") :
                   null,
    li("Arithmetic operations are those of the formulas: a fused " +
      "multiply-add, a comparison or a conversion is one, a division or root " +
      "five, and twice as many on 64-bit elements."),
    data.is_used ? null :
                   li("Kernels are interpreted on such a machine, as " +
                     "it has no fused multiply-add; this code is " +
                     "never used.")
  ];
}

document.title = cut(data.expression, 600);
put("title", document.title);
put("signature", signature());
put("facts", facts());
put("answer", p(stepWords(), timeWords()), prediction ? limitText() : null,
  costText(), memoryText());
put("bounds", prediction ? bounds() : null);
put("shares",
  `${shareWords[limit.kind]} All is of one step but the ` +
    "arithmetic, which is of one element; constants are loads of numbers " +
    "that the formulas need, counted for the operator that needs one first.");
costTable();
put("units", units());
registers();
put("times", timeBars());
put("doubt", doubts());
