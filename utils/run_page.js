// Runs the scripts of a page of HTML as a browser does, and prints what became
// of the page, scripts left out: node run_page.js [?QUERY] < page.html. It knows
// what our pages use: elements without styles and places, selectors of one word,
// and no events. A fault of a script, or an element that is none, ends it with
// an error.
"use strict";

const vm = require("vm");

const escaped = text => text.replace(
  /[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
const raw = new Set(["script", "style"]);
const single = new Set(["meta", "link"]);

class Element {
  constructor(name) {
    if (!/^[a-z][a-z0-9]*$/i.test(name))
      throw Error(`no element is called ${name}`);
    this.name = name;
    this.attributes = {};
    this.children = [];
    this.parentNode = null;
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  append(...children) {
    for (const child of children) {
      const isElement = child instanceof Element;
      if (isElement) child.parentNode = this;
      this.children.push(isElement ? child : String(child));
    }
  }
  replaceChildren(...children) {
    this.children = [];
    this.append(...children);
  }
  remove() {
    const {children} = this.parentNode;
    children.splice(children.indexOf(this), 1);
  }
  get textContent() {
    return this.children.map(child => child.textContent ?? child).join("");
  }
  set textContent(text) {
    this.replaceChildren(text);
  }
  set innerHTML(text) {
    throw Error("data would become markup");
  }
  find(test) {
    return test(this)
      ? this
      : this.children.reduce(
          (found, child) => found ?? child.find?.(test), undefined);
  }
  toString() {
    if (this.name === "script") return "";
    const attributes = Object.entries(this.attributes)
                         .map(([name, value]) => ` ${name}="${escaped(value)}"`)
                         .join("");
    const inside =
      this.children
        .map(child => child instanceof Element || raw.has(this.name)
            ? String(child)
            : escaped(child))
        .join("");
    return `<${this.name}${attributes}>${inside}` +
      (single.has(this.name) ? "" : `</${this.name}>`);
  }
}

const unescaped = text => text.replace(/&(amp|lt|gt|quot);/g,
  (_, name) => ({amp: "&", lt: "<", gt: ">", quot: '"'})[name]);

/** Reads a page whose own markup is well-formed. */
function read(html) {
  const root = new Element("page");
  let open = root;
  const tags = /<!--.*?-->|<!DOCTYPE html>|<(\/?)([a-z0-9]+)([^>]*)>|[^<]+/gsy;
  for (let match; (match = tags.exec(html)) && match[0];) {
    const [token, slash, name, words] = match;
    if (name === undefined) {
      if (!token.startsWith("<")) open.append(unescaped(token));
    } else if (slash) {
      if (open.name !== name) throw Error(`${open.name} ends as ${name}`);
      open = open.parentNode;
    } else {
      const element = new Element(name);
      for (const [, key, value] of words.matchAll(/([a-z-]+)="([^"]*)"/g))
        element.setAttribute(key, unescaped(value));
      open.append(element);
      if (raw.has(name)) {
        const end = html.indexOf(`</${name}`, tags.lastIndex);
        element.append(html.slice(tags.lastIndex, end));
        tags.lastIndex = html.indexOf(">", end) + 1;
      } else if (!single.has(name)) {
        open = element;
      }
    }
    if (tags.lastIndex >= html.length) break;
  }
  if (open !== root || tags.lastIndex < html.length)
    throw Error(`the page's markup ends in ${open.name}`);
  return root;
}

const root = read(require("fs").readFileSync(0, "utf8"));
const document = {
  title: "",
  createElement: name => new Element(name),
  createElementNS: (_, name) => new Element(name),
  getElementById: id => root.find(element => element.attributes.id === id),
  addEventListener: () => {}
};
const location = {search: process.argv[2] ?? ""};
const context = vm.createContext({document, location});
const scripts = [];
root.find(element => {
  if (element.name === "script" && !element.attributes.type)
    scripts.push(element.textContent);
});
for (const script of scripts) vm.runInContext(script, context);
process.stdout.write(`${root}`);
