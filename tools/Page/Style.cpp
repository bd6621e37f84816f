//===----------------------------------------------------------------------===//
//
// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Page/Style.h"

using namespace kexpr;

// No character that XML would want written otherwise.
const char *const tools::pageStyle = R"(
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1b1b; --soft: #595959; --grid: #e3e3e3;
  --s0: #0060a8; --s1: #c44e00; --s2: #00795a; --s3: #9d3f86;
  --s4: #8f6400; --s5: #2f8fd0; --s6: #6b6b6b; --s7: #d1003f; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #15171a; --ink: #ececec; --soft: #a9adb3; --grid: #33373d;
  --s0: #5ab4f5; --s1: #ff9052; --s2: #3bcfa2; --s3: #ea9fd3;
  --s4: #e6c04a; --s5: #a5d5ff; --s6: #a2a2a2; --s7: #ff7d98; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1rem; max-width: 74rem;
  background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { margin: .4rem 0; max-width: 46rem; }
.soft, figcaption { color: var(--soft); }
dl { margin: .6rem 0; display: grid; gap: .1rem 1rem;
  grid-template-columns: fit-content(40%) 1fr; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: .9rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.figures { display: grid; gap: 1rem 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
figure { margin: 0; max-width: 30rem; min-width: 0; }
figcaption { font-weight: 600; font-size: .95rem; overflow-wrap: anywhere; }
figure svg { width: 100%; height: auto; display: block; }
.legend { list-style: none; margin: .4rem 0 .8rem; padding: 0; display: flex;
  flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .9rem; }
.legend li { display: flex; align-items: center; gap: .4rem; }
.legend svg { width: 26px; height: 12px; flex: none; }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg text.soft { fill: var(--soft); }
.grid { stroke: var(--grid); stroke-width: 1; fill: none; }
.axis { stroke: var(--soft); stroke-width: 1; fill: none; }
.edge { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3; }
.limit { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 1 4;
  stroke-linecap: round; }
.run, .roof { fill: none; stroke: var(--c); stroke-width: 1.6;
  stroke-linejoin: round; }
.roof.peak { stroke: var(--ink); }
.run.s0 { stroke-width: 2.6; }
.run.s1, .run.s5 { stroke-dasharray: 7 3; }
.run.s2, .run.s6 { stroke-dasharray: 2 3; }
.run.s8 { stroke-dasharray: 1 2; }
.run.s3, .run.s7 { stroke-dasharray: 9 3 2 3; }
.mark { fill: var(--c); stroke: var(--paper); stroke-width: 1; }
.fill { fill: var(--c); stroke: var(--paper); stroke-width: 1; }
.s0 { --c: var(--s0); } .s1 { --c: var(--s1); } .s2 { --c: var(--s2); }
.s3 { --c: var(--s3); } .s4 { --c: var(--s4); } .s5 { --c: var(--s5); }
.s6 { --c: var(--s6); } .s7 { --c: var(--s7); }
.s8 { --c: var(--ink); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .6rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--grid); }
th { color: var(--soft); font-weight: 600; }
th:first-child, td:first-child { text-align: left; padding-left: 0;
  position: sticky; left: 0; background: var(--paper); }
)";
