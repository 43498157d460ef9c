// The pages of the site: what moves in them, what a reader chooses, the theme, and links to take away.

import { unpack } from "../../pictures/unpack.js";
import { askedOnce, lookUp } from "../../pictures/shared.js";
import { bytesIn, Chart, files, kinds, Part, tellHeight, unzipped } from "../host.js";
import { bounded, controls, nearest, queryNow, setQuery, stateOf, written } from "./address.js";

const APP = "http://127.0.0.1:8501"; // where the app serves itself
const { body } = document, { root, path } = body.dataset, isDisk = location.protocol === "file:";
/** What moves, by the name that its frame has. @type {Map<string, { mounted?: Chart | Part, frame: HTMLElement, sent: any }>} */
const parts = new Map();
/** The same as the page was sent. @type {Record<string, any>} */ const sentParts = {};
/**
 * What Python has drawn for other choices, once it is asked for: `states`, the name of each -> its HTML, in pieces, and what moves
 * otherwise than at first; and `pieces`.
 */
let drawn = /** @type {any} */ (null);
/** The state that is shown. @type {{ state: string, parts: Record<string, any>, made?: DocumentFragment }} */
let shown = { state: "", parts: {} };
/** Scripts, when they have run. @type {Map<string, Promise<Event>>} by their address */ const loaded = new Map();
const handed = new Map(); // what they hold: name -> data
/** @type {Record<string, string>} colour of the light theme -> that of the dark one */ let darkOf = {};

/** @type {(selector: string) => any[]} */
const all = (selector) => [...document.querySelectorAll(selector)];

/** Back or forward: the page shows what the address says now. */
async function goBack() {
  if (location.search === written.search) return; // a link within the page
  written.search = location.search;
  openSections();
  await follow();
  parts.forEach(draw);
  showLinks();
}

/** What the address asks for of a picture's hands that the browser answers: key -> value, the nearest that there is. */
function asked(sent) {
  const values = new Map(), { answered } = handsOf(sent);
  for (const [key, text] of queryNow()) {
    const value = answered.includes(key) && controls.has(key) ? bounded(controls.get(key), text) : undefined;
    if (value !== undefined) values.set(key, value);
  }
  return values;
}

/** What the address asks for that no picture shows in a state of the page. @param {string} state */
function unanswered(state) {
  const query = queryNow(), answered = [sectionsKey, ...new URLSearchParams(state).keys()];
  for (const { sent } of parts.values()) {
    if (sent.kind === "chart") continue;
    for (const [key, value] of asked(sent)) {
      if (typeof value !== "number" || value === Number(query.get(key))) answered.push(key);
    }
  }
  return [...query].filter(([key, text]) =>
    controls.has(key) && text !== controls.get(key).default && !answered.includes(key)
  );
}

/** Say what the address asks for that nothing here can show; long texts are packed there. */
function sayUnanswered() {
  const query = queryNow(), [box] = all("#asks");
  const texts = [...controls.values()].filter(({ kind }) => kind === "text" && query.has("packed"));
  const open = unanswered(shown.state).map(([key, text]) => worded(controls.get(key), text));
  const missing = [...open, ...texts.map(({ label }) => label)];
  box.hidden = !missing.length;
  box.querySelector("output").value = missing.join(" · ");
}

/** A control and what is chosen of it, as readers see them. */
function worded({ said, titles }, text) {
  const words = text.split(",").map((word) => lookUp(titles, word) ?? word);
  return said.replace("{}", () => words.join(", ").slice(0, 80));
}

/** Show the state that the address asks for, or the nearest one. */
async function follow() {
  await show(unanswered("").length ? stateOf(queryNow()) : "");
  sayUnanswered();
}

/** A hand has let go: the address says it, and the sentences say at which values they stand. */
function report(part, values, isStep) {
  const query = queryNow();
  for (const [key, value] of Object.entries(values)) {
    if (!controls.has(key)) continue;
    if (String(value) === controls.get(key).default) query.delete(key);
    else query.set(key, String(value));
  }
  write(query, isStep);
  standsFor(part, values);
}

/** Say for which values the sentences below a picture were written, where it shows others. */
function standsFor({ frame: { nextElementSibling: line }, sent }, values) {
  if (!line?.matches(".stands:has(~ h2)")) return; // there are sentences
  const first = handsOf(sent).values, isOther = (key) => key !== "cell" && String(values[key]) !== String(first[key]);
  const others = [...controls.keys()].filter((key) => key in values && isOther(key));
  line.hidden = !others.length;
  line.querySelector("output").value = others.map((key) => worded(controls.get(key), String(first[key]))).join(" · ");
}

/** The hands of a picture, as Python has sent them. */
const handsOf = ({ bytes }) => unpack(bytes).hands;

const isDark = () => {
  const { theme } = body.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

/** A figure travels in the colours of the light theme. */
const recolour = (figure) =>
  isDark()
    ? JSON.parse(
      JSON.stringify(figure).replace(/#[0-9a-f]{6}|rgba\(\d+,\d+,\d+,/gi, (colour) => darkOf[colour] ?? colour),
    )
    : figure;

/** Draw what moves, as it is in the state that is shown. What is in sections waits for them. */
function drawParts() {
  for (const [id, { mounted, frame }] of parts) {
    if (frame.isConnected) continue;
    mounted?.close();
    parts.delete(id);
  }
  for (const frame of all(".picture-frame")) {
    const id = frame.dataset.part, sent = Object.hasOwn(sentParts, id) && (shown.parts[id] ?? sentParts[id]);
    const part = parts.get(id) ?? { frame, sent: null };
    if (!sent || sent === part.sent) continue;
    part.sent = sent;
    parts.set(id, part);
    draw(part);
  }
}

/** Draw a picture, with what the address asks for, or a chart. */
function draw(part) {
  const { frame, sent } = part,
    isChart = sent.kind === "chart",
    values = isChart ? {} : Object.fromEntries(asked(sent));
  if (part.mounted) part.mounted.take(sent, values);
  else if (isChart) part.mounted = new Chart(frame, sent, recolour);
  else part.mounted = new Part(frame, sent, values, (...moved) => report(part, ...moved));
  if (isChart) return;
  frame.classList.add("drawn");
  standsFor(part, values);
}

/** Load a script of this site, once. */
function load(url) {
  return askedOnce(loaded, url, () => {
    const script = Object.assign(document.createElement("script"), { src: url });
    document.head.append(script);
    return new Promise((onload, onerror) => Object.assign(script, { onload, onerror: () => onerror(new Error(url)) }));
  });
}

/** What a script of this site has compressed. @param {string} name its own, without an ending */
async function read(name, folder = "") {
  if (!handed.has(name)) await load(`${folder}${name}.js`);
  return unzipped(handed.get(name));
}

/** A part as it is drawn: a picture's message is whole, also where its numbers are in a script that pages share. */
async function whole(part) {
  if (part.bytes === undefined || part.bytes instanceof Uint8Array) return part;
  const header = bytesIn(part.bytes), rest = part.numbers ? await (await read(part.numbers, root)).arrayBuffer() : [];
  return { ...part, bytes: new Uint8Array(await new Blob([header, new Uint8Array(rest)]).arrayBuffer()) };
}

/** Parts that scripts have brought. @param {Record<string, any>} sent */
async function take(sent) {
  await Promise.all(Object.entries(sent).map(async ([id, part]) => sentParts[id] ??= await whole(part)));
  drawParts();
}

/** The HTML of a state. @param {{ html: number[] }} state */
function madeOf({ html }) {
  const template = document.createElement("template");
  template.innerHTML = html.map((number) => drawn.pieces[number]).join(""); // ours, made when the site was
  return template.content;
}

/**
 * An element whose content was made of `before` has that of `after`; what is the same in both stays as it is.
 * @param {any} here @param {Node} before @param {Node} after
 */
function become(here, before, after) {
  const [nodes, old, next] = [here, before, after].map(({ childNodes }) => [...childNodes]);
  if (old.length !== next.length) return here.replaceChildren(...after.cloneNode(true).childNodes);
  for (const [at, node] of old.entries()) {
    if (node.isEqualNode(next[at])) continue;
    if (node.cloneNode().isEqualNode(next[at].cloneNode())) become(nodes[at], node, next[at]);
    else nodes[at].replaceWith(next[at].cloneNode(true));
  }
}

/** Show the page in a state, or in the nearest one that it has. chosen: a state that it holds. @param {string} wanted */
async function show(wanted, chosen = "") {
  if (!body.dataset.states || !(wanted || chosen || drawn)) return;
  drawn ??= await (await read("states")).json();
  const { states } = drawn, state = nearest(Object.keys(states), wanted, chosen), made = madeOf(states[state]);
  become(all("#lesson")[0], shown.made ?? madeOf(states[""]), made);
  shown = { state, parts: {}, made };
  for (const [id, part] of Object.entries(states[state].parts)) shown.parts[id] = await whole(part);
  prepare();
  drawParts();
}

const sectionsKey = `${body.dataset.lesson}_open`;

/** Open the sections that the address names, and close the others. */
function openSections() {
  const named = (queryNow().get(sectionsKey) ?? "").split(",");
  for (const section of all("details[data-section]")) section.open = named.includes(section.dataset.section);
}

/** The sections: what moves in them is loaded when the first one opens. Which are open stands in the address. */
function sections() {
  const found = all("details[data-section]");
  openSections();
  for (const section of found) {
    section.addEventListener("toggle", async () => {
      const query = queryNow(), open = found.filter((other) => other.open).map((other) => other.dataset.section);
      if (open.length) query.set(sectionsKey, open.join(","));
      else query.delete(sectionsKey);
      if (query.toString() !== queryNow().toString()) write(query);
      if (!section.open || !section.querySelector(".picture-frame")) return;
      if (document.querySelector("details [data-picture=chart]")) await load(`${root}plotly-basic.min.js`);
      await take(await (await read("sections")).json());
    });
  }
}

/** An address of this page with other values in its query. @param {Record<string, string>} values */
function addressWith(values, page = location.href) {
  const url = new URL(page);
  url.search = location.search;
  url.searchParams.delete("embed");
  for (const [key, value] of Object.entries(values)) url.searchParams.set(key, value);
  return url;
}

const FOLLOWS = // the height that tellHeight says
  'addEventListener("message", ({ source, data }) => { for (const frame of document.querySelectorAll("iframe")) ' +
  "if (frame.contentWindow === source && data.alibiViz) frame.height = data.alibiViz; });";

/** What shows the picture in another page, as high as it is (docs/pictures-elsewhere.md). @param {URL} url */
function frameOf(url) {
  const [{ textContent: title }] = all("h1"), src = url.href.replaceAll("&", "&amp;");
  const look = 'width="100%" height="760" style="border: 0"';
  return `<iframe src="${src}" title="${title}" ${look}></iframe>\n<script>${FOLLOWS}</script>`;
}

/** Links of this page with what the address says now. A file of this computer is shared as the page that it is a copy of. */
function showLinks() {
  const { lang } = document.documentElement, { search } = addressWith(lang === "en" ? {} : { lang });
  const original = isDisk ? all("[rel=canonical]")[0]?.href : location.href;
  const page = addressWith({}, original), embed = frameOf(addressWith({ embed: "true" }, original));
  for (const note of all("#on_disk")) note.hidden = !isDisk;
  const links = { page, app: `${APP}/${path}${search}`, embed };
  for (const button of all("[data-copy]")) button.nextElementSibling.value = links[button.dataset.copy];
  for (const link of all(".whole a")) link.href = addressWith({}).href;
  for (const link of all("[data-language]")) link.search = location.search;
}

/** Copy what stands beside a button, also where a browser has no clipboard for a page: without https, from the disk. */
function copy({ target }) {
  const { textContent: name } = target;
  getSelection()?.selectAllChildren(target.nextElementSibling);
  if (!document.execCommand("copy")) return;
  target.textContent = target.dataset.copied;
  setTimeout(() => target.textContent = name, 2000);
}

function write(query, isStep = false) {
  setQuery(query, isStep);
  showLinks();
}

/** Links and choices that have come into the page. */
function prepare() {
  for (const link of isDisk ? [] : all("a[href*='index.html']")) {
    link.setAttribute("href", link.getAttribute("href").replace("index.html", "") || "./");
  }
  for (const list of all(".choice select")) list.value = list.querySelector("[selected]").value; // a copy shows another one
  for (const choice of all(".choice:not([data-ready])")) {
    choice.dataset.ready = "";
    choice.addEventListener("click", ({ target }) => choose(choice, target.dataset.state));
    choice.addEventListener("change", ({ target }) => choose(choice, target.value));
  }
}

/**
 * A choice is made, and the other values of the address stay. The focus stays on it, in the block that takes its place.
 * @param {HTMLElement} chosen @param {string | undefined} state
 */
async function choose(chosen, state) {
  if (state === undefined) return;
  const number = all(".choice").indexOf(chosen), query = queryNow(), values = new URLSearchParams(state);
  for (const key of chosen.dataset.sets?.split(",") ?? []) {
    const value = values.get(key);
    if (value === null || !controls.has(key)) query.delete(key);
    else query.set(key, value);
  }
  write(query, true);
  await show(stateOf(query), state);
  sayUnanswered();
  const choice = all(".choice")[number];
  (choice?.querySelector("[aria-pressed=true], select") ?? choice?.querySelector("button"))?.focus();
}

function update() {
  for (const { mounted } of parts.values()) mounted?.update();
}

/** @param {string[]} value */
const stored = (...value) => {
  try {
    return value.length ? localStorage.setItem("alibi-viz-theme", value[0]) : localStorage.getItem("alibi-viz-theme");
  } catch {
    return null; // this browser keeps nothing
  }
};

async function begin() {
  const { controls: bounds, parts: sent } = await (await read("page")).json();
  for (const [key, bound] of Object.entries(bounds)) controls.set(key, bound);
  await take(sent);
  sections();
  await follow();
  const { type } = performance.getEntriesByType("navigation")[0].toJSON();
  if (type === "navigate" && !location.hash) all("details[data-section][open]")[0]?.scrollIntoView(); // a link to it
}

/** @param {Record<string, any>} views name -> { mount, css } @param {Record<string, string>} dark */
export default function mountSite(views, dark) {
  Object.assign(globalThis, { alibiViz: (name, data) => handed.set(name, data) });
  for (const [name, view] of Object.entries(views)) kinds.set(name, view);
  darkOf = dark;
  files.read = async (address) => (await read(address.replace(/\/\w+/, ""), root)).arrayBuffer(); // it has a token in the app
  const query = queryNow(), theme = query.get("theme") ?? stored();
  const [link] = all(`[data-language="${CSS.escape(query.get("lang") ?? "")}"]`);
  query.delete("lang");
  if (link) { // an address of the app
    link.search = query.toString();
    return location.replace(`${link.href}${location.hash}`);
  }
  if (theme === "dark" || theme === "light") body.dataset.theme = theme;
  prepare();
  all("#theme")[0].onclick = () => {
    body.dataset.theme = isDark() ? "light" : "dark";
    stored(body.dataset.theme);
    update();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
  for (const button of all("[data-copy]")) button.onclick = copy;
  if (query.has("embed")) {
    body.classList.add("embedded");
    document.head.append(Object.assign(document.createElement("base"), { target: "_blank" })); // of what surrounds it
    tellHeight();
  }
  const manifest = Object.assign(document.createElement("link"), { rel: "manifest", href: `${root}site.webmanifest` });
  if (!isDisk) document.head.append(manifest); // a file may not ask for it
  showLinks();
  addEventListener("popstate", goBack);
  addEventListener("DOMContentLoaded", begin); // page.js has run
}
