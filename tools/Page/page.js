// Part of kexpr, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all pages have: elements, numbers and marks. Data become text nodes and
// attributes, and never markup.
"use strict";

// Of several loops a page shows the one that its address names, as page.html?2.
const given = JSON.parse(document.getElementById("data").textContent);
const loops = Array.isArray(given) ? given : [given];
const data = loops[Number(location.search.slice(1)) - 1] ?? loops[0];

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(name, value);
  element.append(...children.flat(Infinity).filter(
    child => child !== null && child !== false));
  return element;
}

/**
 * An element of HTML; children are texts, elements, null and false, which are
 * left out, and lists of them.
 */
function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An element of a drawing. */
function s(name, attributes, ...children) {
  const space = "http://www.w3.org/2000/svg";
  return fill(document.createElementNS(space, name), attributes, children);
}

/** A template of words and children; blanks and ends of lines are one blank. */
function t(words, ...children) {
  return words.flatMap(
    (word, i) => [word.replace(/\s+/g, " "), children[i] ?? null]);
}

/** Adds children to the element of the page that has this id. */
function put(id, ...children) {
  fill(document.getElementById(id), {}, children);
}

const clamped = share => Math.min(1, Math.max(0, share));
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** 1000 as 1k, 1e6 as 1M; three digits at most, four below one. */
function short(value) {
  const size = Math.abs(value);
  for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]])
    if (size >= unit * 0.9995) {
      const share = size / unit;
      const digits = share < 9.995 ? 2 : share < 99.95 ? 1 : 0;
      return Number((value / unit).toFixed(digits)) + letter;
    }
  return String(Number(value.toFixed(4)));
}

const seriesClass = series => `s${series % 9}`;
const points = places =>
  places.map(place => place.map(value => +value.toFixed(1)).join()).join(" ");
const path = (places, cls) =>
  s("polyline", {points: points(places), class: cls});
const text = (x, y, anchor, words, cls) =>
  s("text", {x, y, "text-anchor": anchor, class: cls}, words);

/** `tip` shows when it is pointed at. */
function rect(x, y, width, height, cls, tip) {
  return s("rect", {x, y, width, height, class: cls}, s("title", {}, tip));
}

function svg(width, height, name, attributes, ...children) {
  const box = `0 0 ${+ width.toFixed(1)} ${+ height.toFixed(1)}`;
  return s("svg", {viewBox: box, "aria-label": name, ...attributes}, children);
}
