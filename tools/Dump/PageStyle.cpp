//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dump/PageStyle.h"

using namespace kexpr;

// No character that XML would want written otherwise. What is said of the
// chosen operator takes the same room whatever it says: otherwise the page
// would move under the finger between a touch and its click.
const char *const tools::kernelStyle = R"(
:root { --bar: #6f7782; --track: #f0f0f0; --lit: 16%; }
@media (prefers-color-scheme: dark) { :root {
  --bar: #8b939e; --track: #22262b; --lit: 30%; } }
body { max-width: 90rem; padding: 1.5rem 1.2rem 4rem; }
h1 { font-size: 1.35rem; line-height: 1.35; overflow-wrap: anywhere; }
h1 code { font: 600 1em/1.35 ui-monospace, monospace; }
h2 { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--grid); }
h3 small, th small { font-weight: 400; color: var(--soft); }
p, ul.plain { max-width: 44rem; }
ul.plain { padding-left: 1.1rem; margin: .4rem 0; }
ul.plain li { margin: .35rem 0; }
a { color: inherit; text-decoration: underline dotted var(--soft);
  text-underline-offset: .2em; }
.kicker { color: var(--soft); margin: 0 0 .3rem; font-size: .9rem; }
.facts { list-style: none; margin: 1.6rem 0; padding: 0; display: grid;
  gap: 1rem 2rem;
  grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); }
.facts li { color: var(--soft); font-size: .85rem; line-height: 1.35; }
.facts b { display: block; color: var(--ink); font-size: 1.55rem;
  font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; }
.answer p { font-size: 1.08rem; }
.answer .key { font-size: .85rem; }
.costs small { display: block; max-width: 20rem; overflow: hidden;
  text-overflow: ellipsis; }
.costs .share { min-width: 8rem; width: 16rem; }
.costs th:first-child { border-left: 4px solid transparent;
  padding-left: .5rem; }
.costs tr[data-k] th:first-child { border-left-color: var(--c);
  color: var(--ink); font-weight: 400; }
.costs .all th, .costs .all td { color: var(--soft); border-bottom: 0; }
.bar { position: relative; display: flex; height: .8rem; min-width: 0;
  background: var(--track); }
.bar .fill { background: var(--c); height: 100%; flex: none; }
.bar .computing { --c: var(--bar); }
.bar .moving { background: repeating-linear-gradient(-45deg, var(--bar) 0 2px,
  transparent 2px 5px); }
.bar i.measured { --c: var(--ink); }
.bar .faint { opacity: .35; }
.bar b, .key b { border-left: 2px solid var(--ink); }
.bar b { position: absolute; top: -.35rem; bottom: -.35rem; }
.key { color: var(--soft); font-size: .85rem; }
.key b { display: inline-block; height: 1em; margin: 0 .4rem 0 1.2rem;
  vertical-align: -.15em; }
.key b:first-child { margin-left: 0; }
b.predicted { border-left-style: dotted; }
.bars { display: grid; gap: .35rem; max-width: 56rem; margin: .6rem 0; }
.row { display: grid; gap: .1rem .8rem; align-items: center;
  grid-template-columns: 16rem 1fr 4rem; font-size: .9rem; }
.row small { color: var(--soft); display: block; line-height: 1.2; }
.row .value { text-align: right; font-variant-numeric: tabular-nums; }
.registers { max-width: 56rem; }
.registers svg { height: 9rem; }
.live { fill: var(--track); stroke: var(--bar); stroke-width: 1.5;
  vector-effect: non-scaling-stroke; }
.registers .limit { vector-effect: non-scaling-stroke; }
.registers .fill { stroke: none; }
.code { display: grid; gap: 1rem 1.4rem; align-items: start; }
.code h3 { margin: 0 0 .2rem; }
.code .column { min-width: 0; }
.pane { position: relative; overflow: auto; max-height: 70vh;
  border: 1px solid var(--grid); }
.drawing { overflow: auto; max-height: 32rem; margin-bottom: 1rem; }
.drawing svg { display: block; margin: 0 auto; }
.listing, .lines { list-style: none; margin: 0; padding: .3rem 0;
  font: .78rem/1.55 ui-monospace, monospace; }
.listing { padding: .3rem .6rem; }
.listing li { white-space: pre; min-height: 1.55em; }
.listing span { border-bottom: 2px solid var(--c); cursor: pointer; }
.lines li { display: flex; gap: .6rem; padding: 0 .5rem 0 .4rem;
  border-left: 4px solid var(--c); cursor: pointer; }
.lines code { flex: 1; min-width: 0; font: inherit; white-space: pre-wrap;
  padding-left: 3ch; text-indent: -3ch; }
.lines code i { font-style: normal; color: var(--soft); }
.lines b { font-weight: 400; color: var(--soft); }
.lines .label { color: var(--soft); border-left-color: transparent;
  padding-top: .3rem; cursor: default; }
summary { padding: .3rem .6rem; color: var(--soft); font-size: .85rem;
  cursor: pointer; }
.node { cursor: pointer; outline: none; }
.node .box { fill: var(--paper); stroke: var(--c); stroke-width: 1.2; rx: 4px; }
.node.shared .box { stroke-dasharray: 4 2; }
.node .fill { stroke: none; }
.node .name { font: 13px ui-monospace, monospace; }
svg text.small { font-size: 10.5px; }
.branch { stroke: var(--soft); stroke-width: 1; fill: none; }
.hot { --soft: var(--ink); }
li.hot, tr.hot, tr.hot th:first-child, .listing .hot {
  background: color-mix(in srgb, var(--c) var(--lit), var(--paper)); }
.hot .box { fill: color-mix(in srgb, var(--c) var(--lit), var(--paper));
  stroke-width: 2.6; }
i.hot { outline: 2px solid var(--ink); z-index: 1; }
.registers svg:has(.hot) g:not(.hot) { opacity: .25; }
.kept .lines li:not(.hot) { opacity: .38; }
:focus-visible { outline: 2px solid var(--s5); outline-offset: 1px; }
#card { position: sticky; top: 0; z-index: 3; max-width: none; margin: 0 0 1rem;
  background: var(--paper); border-bottom: 1px solid var(--grid);
  padding: .5rem 0; height: 2.5rem; overflow: hidden; white-space: nowrap;
  text-overflow: ellipsis; font-weight: 600; }
.words { max-width: 56rem; gap: .35rem 1.4rem; }
.words dt { color: var(--ink); font-weight: 600; }
@media (min-width: 64rem) {
  .code { grid-template-columns: minmax(17rem, 27%) 1.25fr 1fr; }
  .beside { display: grid; gap: 1rem 4rem; align-items: start;
    grid-template-columns: minmax(0, 44rem) minmax(0, 1fr); }
  .beside .row { grid-template-columns: 11rem 1fr 3rem; } }
@media (max-width: 40rem) {
  body { padding: 1rem 1rem 3rem; }
  .row { grid-template-columns: 1fr 4rem; }
  .row span:first-child { grid-column: 1 / -1; }
  .words { grid-template-columns: 1fr; gap: 0; }
  .words dd { margin-bottom: .6rem; }
  .facts { grid-template-columns: 1fr 1fr; }
  .costs small { max-width: 7.5rem; }
  .costs .share { min-width: 4rem; }
  .pane { max-height: 60vh; }
  #card { height: 5rem; white-space: normal; overflow-wrap: anywhere;
    font-size: .9rem; }
  .kept .lines li:not(.hot) { display: none; } }
)";

const char *const tools::kernelScript = R"(
(function () {
  var all = {}, kept = null, card = document.getElementById("card");
  var hint = card.textContent;
  document.querySelectorAll("[data-k]").forEach(function (e) {
    var k = e.dataset.k;
    (all[k] = all[k] || []).push(e);
  });
  function partAt(e) {
    var found = e.closest ? e.closest("[data-k]") : null;
    return found ? found.dataset.k : null;
  }
  function show(k) {
    document.querySelectorAll(".hot").forEach(function (e) {
      e.classList.remove("hot");
    });
    var say = hint;
    (k ? all[k] || [] : []).forEach(function (e) {
      e.classList.add("hot");
      if (e.dataset.say) { say = e.dataset.say; }
    });
    card.textContent = say;
  }
  function bringUp(pane) {
    var line = pane.querySelector(".lines > .hot, .listing .hot");
    if (!line) { return; }
    var folded = line.closest("details");
    if (folded) { folded.open = true; }
    var down = line.getBoundingClientRect().top -
      pane.getBoundingClientRect().top;
    pane.scrollTop += down - pane.clientHeight / 4;
  }
  function keep(k) {
    kept = k === kept ? null : k;
    show(kept);
    document.body.classList.toggle("kept", kept !== null);
    if (kept) { document.querySelectorAll(".pane").forEach(bringUp); }
  }
  document.addEventListener("mouseover", function (event) {
    show(partAt(event.target) || kept);
  });
  document.addEventListener("focusin", function (event) {
    show(partAt(event.target) || kept);
  });
  document.addEventListener("focusout", function () { show(kept); });
  document.addEventListener("click", function (event) {
    if (event.target.closest("a, summary")) { return; }
    var k = partAt(event.target);
    if (k || kept) { keep(k || kept); }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape") { keep(kept); }
    if (event.key !== "Enter") { if (event.key !== " ") { return; } }
    var k = partAt(event.target);
    if (k) { event.preventDefault(); keep(k); }
  });
})();
)";
