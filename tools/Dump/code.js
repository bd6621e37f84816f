// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The views of a kernel: tree, listing, IR and assembly, in which each part
// lights up everywhere when it is pointed at.
"use strict";

/** A node of the tree as it is drawn; `leftOut` stands for so many of them. */
function boxOf(part, children, level, parent) {
  const isLeaf = part.kind === "leaf", {name} = part;
  const note = part.cost > 0 && !isLeaf ? percent(part.share) : "";
  const height = isLeaf ? 26 : 38, y = 4 + 60 * level;
  const box = {part, children, level, parent, isLeaf, name, note, height, y};
  return {...box, below: 0, next: 0};
}

function dots(leftOut, level, parent) {
  const box = boxOf({name: "...", kind: "leaf"}, [], level, parent);
  return {...box, note: `${leftOut} more`, leftOut};
}

/**
 * The highest boxes: outputs, or of a sweep, whose outputs are values between,
 *  the operators of the expression's.
 */
function highest(most) {
  const {outputs, nodes, sweep} = data, last = nodes.length - 1;
  const boxOfNode = node =>
    boxOf(parts[nodes[node].part], nodes[node].children, 0, null);
  if (sweep)
    return (nodes[last].part ? [last] : nodes[last].children)
      .slice(0, most)
      .map(boxOfNode);
  return outputs.slice(0, most).map(
    ({part, node}, i) =>
      ({...boxOf(parts[part], [node], 0, null), name: `out${i}`}));
}

/** Boxes in an order in which parents come first, level by level. */
function boxesOf() {
  const most = 300, mostLevels = 48, {outputs, nodes} = data;
  const count = [];  // Of each node, with those below it.
  for (const {children} of nodes)
    count.push(children.reduce((all, child) => all + count[child], 1));
  const boxes = highest(most / 4);
  if (!data.sweep && outputs.length > boxes.length)
    boxes.push(dots(outputs.length - boxes.length, 0, null));
  for (const box of boxes) {
    const {children} = box, level = box.level + 1;
    if (boxes.length + children.length <= most && box.level < mostLevels)
      boxes.push(...children.map(child => boxOf(parts[nodes[child].part],
                                   nodes[child].children, level, box)));
    else if (children.length)
      boxes.push(dots(
        children.reduce((all, child) => all + count[child], 0), level, box));
  }
  return boxes;
}

/** Each above the middle of what hangs below it, and beside the others. */
function layOut(boxes) {
  const letter = 7.9, smallLetter = 6.4, padding = 18, gap = 12;
  for (const box of [...boxes].reverse()) {
    box.width = padding +
      Math.max(letter * box.name.length, smallLetter * box.note.length);
    box.whole = Math.max(box.width, box.below - gap);
    if (box.parent) box.parent.below += box.whole + gap;
  }
  const ground = {next: 4};
  for (const box of boxes) {
    const left = box.parent || ground;
    box.x = left.next + box.whole / 2;
    box.next = box.x - (box.below - gap) / 2;
    left.next += box.whole + gap;
  }
}

function drawBox({part, x, y, width, height, name, note, isLeaf, leftOut}) {
  const left = +(x - width / 2).toFixed(1), wide = +width.toFixed(1);
  x = +x.toFixed(1);
  if (leftOut)
    return [
      text(x, y + 11, "middle", name, "soft"),
      text(x, y + 24, "middle", note, "soft small")
    ];
  return s("g", {
    class: `node ${part.colour}${isLeaf ? " leaf" : ""}${
      part.nodes > 1 ? " shared" : ""}`,
    "data-k": part.id,
    tabindex: 0,
    role: "button",
    "aria-label": `${part.text} ${note}`
  },
    rect(left, y, wide, height, "box", part.text),
    isLeaf ? null
           : rect(left + 5, y + height - 5,
               +((wide - 10) * part.share).toFixed(1), 3, "fill", part.text),
    text(x, y + (note ? 17 : height / 2 + 4.5), "middle", name, "name"),
    note ? text(x, y + 30, "middle", note, "soft small") : null);
}

function tree() {
  const boxes = boxesOf();
  layOut(boxes);
  const width = Math.max(...boxes.map(box => box.x + box.width / 2 + 4));
  const height = Math.max(...boxes.map(box => box.y + box.height + 4));
  return svg(width, height, "the expression as a tree",
    {role: "group", width: +width.toFixed(1), height},
    boxes.filter(box => box.parent)
      .map(box => path(
             [[box.parent.x, box.parent.y + box.parent.height], [box.x, box.y]],
             "branch")),
    boxes.map(drawBox));
}

function listing() {
  const most = 600;
  const lines = data.listing.slice(0, most).map(({text, words}) => {
    let done = 0;
    const pieces = words.map(({column, size, part}) => {
      const before = text.slice(done, column - 1);
      done = column - 1 + size;
      return [
        before,
        h("span", {class: parts[part].colour, "data-k": parts[part].id},
          text.slice(column - 1, done))
      ];
    });
    return li(pieces, text.slice(done));
  });
  const left = data.listing.length - most;
  return left > 0 ? [lines, li(`and ${left} more lines`)] : lines;
}

/** LLVM writes the bits of a double where decimals would be long. */
function decimal(whole, digits) {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${digits}`));
  const value = view.getFloat64(0);
  for (let places = 1; Number.isFinite(value) && places <= 9; ++places)
    if (Math.fround(value.toPrecision(places)) === Math.fround(value))
      return `float ${+ value.toPrecision(places)}`;
  return whole;
}

/** With types and flags in a softer colour. */
function irText(line) {
  return line.replace(/float 0x([0-9A-F]{16})/g, decimal)
    .split(/(<[^>]*>)/)
    .map((piece, i) => i % 2 ? h("i", {}, piece) : piece);
}

/** The name of an instruction in a column of its own. */
function assemblyText(line) {
  const [name, ...rest] = line.split("\t");
  return rest.length ? name.padEnd(13).padEnd(name.length + 1) + rest.join("\t")
                     : line;
}

/** A value or a remark; what LLVM says of registers would be too long. */
function noteOf(note) {
  return note && !note.includes(" = ")
    ? h("i", {}, ` ; ${note.replace(/^(float|double) /, "")}`)
    : null;
}

/** What an instruction takes, for those who point at it. */
function tipOf(instruction) {
  const live = `${instruction.live} vector registers hold something`;
  return prediction ? `${counted(instruction.micro_ops, "micro-operation")}, ` +
      `latency ${instruction.latency}${
        instruction.units
          .map(
            use => `, ${prediction.units[use.unit].name} ${cycles(use.cycles)}`)
          .join("")}; ${live}`
                    : live;
}

function lineOf(line, textOf) {
  if (line.is_label) return h("li", {class: "label"}, `${line.text}:`);
  const part = parts[line.part], instruction = loop.code[line.instruction];
  const title =
    [line.note, instruction ? tipOf(instruction) : ""].filter(Boolean).join(
      "; ") ||
    undefined;
  return h("li", {class: part.colour, "data-k": part.id, title},
    h("code", {}, textOf(line.text), noteOf(line.note)),
    instruction && prediction ? h("b", {}, instruction.latency) : null);
}

/** Lines of code, those around the loop folded away. */
function codeView(lines, textOf) {
  const runs = [];
  for (const line of lines) {
    if (runs.at(-1)?.[0].in_loop !== line.in_loop) runs.push([]);
    runs.at(-1).push(line);
  }
  return runs.map((run, i) => {
    const list =
      h("ol", {class: "lines"}, run.map(line => lineOf(line, textOf)));
    const count = run.filter(line => !line.is_label).length;
    const where = i === 0 ? "before the loop"
                          : "behind the loop: the " +
        "elements that are left, and rare slow ways";
    return run[0].in_loop
      ? list
      : h("details", {}, h("summary", {}, `${count} lines ${where}`), list);
  });
}

put("tree", tree());
put("listing", listing());
put("ir", codeView(data.ir, irText));
put("assembly", codeView(data.assembly, assemblyText));
if (prediction && data.assembly.some(line => "instruction" in line))
  put("runs", "; on the right the ", term("latency"));

const card = document.getElementById("card");
const hint = card.textContent;
let kept = null;
const keyAt = element => element.closest?.("[data-k]")?.dataset.k;

function show(key) {
  for (const element of document.querySelectorAll(".hot"))
    element.classList.remove("hot");
  if (key)
    for (const element of document.querySelectorAll(`[data-k="${key}"]`))
      element.classList.add("hot");
  card.textContent = key ? say(parts.find(part => part.id === key)) : hint;
}

/** Scrolls a pane to the first line of the part that is kept. */
function bringUp(pane) {
  const line = pane.querySelector(".lines > .hot, .listing .hot");
  if (!line) return;
  const folded = line.closest("details");
  if (folded) folded.open = true;
  pane.scrollTop += line.getBoundingClientRect().top -
    pane.getBoundingClientRect().top - pane.clientHeight / 4;
}

function keep(key) {
  kept = key === kept ? null : key;
  show(kept);
  document.body.classList.toggle("kept", kept !== null);
  if (kept) document.querySelectorAll(".pane").forEach(bringUp);
}

for (const event of ["mouseover", "focusin"])
  document.addEventListener(event, ({target}) => show(keyAt(target) || kept));
document.addEventListener("focusout", () => show(kept));
document.addEventListener("click", ({target}) => {
  const key = target.closest("a, summary") ? null : keyAt(target) || kept;
  if (key) keep(key);
});
document.addEventListener("keydown", event => {
  const key = keyAt(event.target);
  if (event.key === "Escape" && kept) keep(kept);
  if (key && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    keep(key);
  }
});
