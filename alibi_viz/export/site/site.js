// The pages of the site: what moves in them, the address, the theme, and links to take away.

import { bytesOf, Chart, kinds, Part } from "../host.js";

const APP = "http://127.0.0.1:8501"; // where the app serves itself
const { body } = document, { root, path } = body.dataset, isDisk = location.protocol === "file:";
const lines = ["own"]; // texts that the browser reads itself; others go to Python
/** What moves, by the name that its frame has. @type {Map<string, { mounted: Chart | Part, frame: HTMLElement, sent: object }>} */
const parts = new Map();
/** The same as the page was sent. @type {Record<string, any>} */ const sentParts = {};
/** What Python has drawn for other choices: the name of a state -> its blocks and parts that are not as in the first one. */
let states = /** @type {Record<string, { html: Record<string, string>, parts: Record<string, any> }>} */ ({});
let shown = { html: {}, parts: {} }; // the state
/** @type {Set<string>} keys of the address that something here shows */ const answered = new Set();
const loaded = new Map(); // scripts
const numbers = new Map(); // of large pictures, by their names
const htmlOf = new Map(); // blocks: what stands in them
let stateScript = Promise.resolve({}); // all states
/** @type {Record<string, string>} colour of the light theme -> that of the dark one */ let darkOf = {};
let searchShown = location.search; // the part of the address that the page shows
/** Key -> { label, kind, low, high, choices, default }: how the page bounds what its address says. @type {Record<string, any>} */
let controls = {};

/** @type {(selector: string) => any[]} */
const all = (selector) => [...document.querySelectorAll(selector)];
const queryNow = () => new URLSearchParams(location.search);

/** Write the address; Back undoes a step. From the disk some browsers let none be written. */
function setQuery(query, isStep = false) {
  const search = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  const url = `${location.pathname}${search && `?${search}`}${location.hash}`;
  try {
    if (isStep) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
  } catch { /* file: */ }
  searchShown = location.search;
  showLinks();
}

/** Back or forward: the page shows what the address says now. */
async function goBack() {
  if (location.search === searchShown) return; // a link within the page
  searchShown = location.search;
  answered.clear();
  openSections();
  for (const { mounted, frame, sent } of parts.values()) {
    if (mounted instanceof Chart) continue;
    const hands = handsOf(sent), values = asked(hands);
    mounted.take(sent, values);
    standsFor(frame, values ?? {}, hands.values);
  }
  await show(stateAsked());
  showLinks();
  sayUnanswered();
}

/** What a text of the address says of a control; undefined: nothing that the page can show. */
function bounded({ kind, low, high, choices }, text) {
  if (kind === "flag") return text === "true" || text === "1";
  if (kind === "int" || kind === "float") {
    const value = kind === "int" ? Math.round(Number(text)) : Number(text);
    return text.trim() && Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : undefined;
  }
  if (kind === "choice") return choices.includes(text) ? text : undefined;
  if (kind === "choices") return choices.filter((choice) => text.split(",").includes(choice)).join(",") || undefined;
  if (kind === "cell") return /^\d{1,8},\d{1,8}$/.test(text) ? text : undefined;
  return kind === "text" && text.length <= 2000 ? text : undefined;
}

/**
 * What the address asks for of a picture's hands, where it is not what is shown. Python alone answers texts, and all hands on a page
 * that has states.
 */
function asked({ hands, values }) {
  const { states: hasStates } = body.dataset, isPythons = ({ kind, key }) => kind === "line" && !lines.includes(key);
  const pythons = hands.filter((hand) => hasStates || isPythons(hand)).map(({ key }) => key), wanted = {};
  for (const [key, text] of queryNow()) {
    if (!(key in values && key in controls) || pythons.includes(key)) continue;
    if (hasStates && controls[key].kind === "text") continue;
    const value = bounded(controls[key], text);
    if (value === undefined) continue;
    answered.add(key);
    if (String(value) !== String(values[key])) wanted[key] = value;
  }
  return Object.keys(wanted).length ? wanted : null;
}

/** Say what the address asks for that nothing here can show. */
function sayUnanswered() {
  const isOpen = ([key, text]) => key in controls && text !== controls[key].default && !answered.has(key);
  const open = [...queryNow()].filter(isOpen), [box] = all("#asks");
  box.hidden = !open.length;
  box.querySelector("output").value = open.map(([key, text]) => `${controls[key].label}: ${text.slice(0, 80)}`).join(
    " · ",
  );
}

/** A hand has let go: the address says it, and the sentences say at which values they stand. */
function report(frame, values, isStep) {
  const query = queryNow();
  for (const [key, value] of Object.entries(values)) {
    if (!(key in controls)) continue;
    if (String(value) === controls[key].default) query.delete(key);
    else query.set(key, String(value));
  }
  setQuery(query, isStep);
  standsFor(
    frame,
    values,
    handsOf((parts.get(frame.dataset.part) ?? { sent: sentParts[frame.dataset.part] }).sent).values,
  );
}

/** Say at which values the sentences below a picture stand, unless it shows these: the first ones. @param {HTMLElement} frame */
function standsFor({ nextElementSibling: line }, values, first) {
  const isFirst = Object.keys(values).every((key) => key === "cell" || String(values[key]) === String(first[key]));
  if (line instanceof HTMLElement && line.matches(".stands")) line.hidden = isFirst;
}

/** The hands of a picture, as Python has sent them. */
function handsOf({ bytes }) {
  const data = bytesOf(bytes), length = new DataView(data.buffer).getUint32(0, true);
  return JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length))).hands ?? { hands: [], values: {} };
}

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
function mountParts() {
  for (const [id, { mounted, frame }] of parts) {
    if (frame.isConnected) continue;
    mounted.close();
    parts.delete(id);
  }
  for (const frame of all(".picture-frame")) {
    const { part: id } = frame.dataset,
      sent = id in sentParts && (shown.parts[id] ?? sentParts[id]),
      before = parts.get(id);
    if (!sent || sent === before?.sent) continue;
    if (before) {
      if (before.mounted instanceof Chart) before.mounted.take(sent.data);
      else before.mounted.take(sent, asked(handsOf(sent)));
      before.sent = sent;
    } else parts.set(id, { mounted: mountIn(frame, sent), frame, sent });
  }
}

function mountIn(frame, part) {
  if (part.kind === "chart") return new Chart(frame, part.data, recolour);
  const hands = handsOf(part), values = asked(hands);
  const mounted = new Part(frame, part, values, (...moved) => report(frame, ...moved));
  frame.classList.add("drawn");
  standsFor(frame, values ?? {}, hands.values);
  return mounted;
}

/** What a script of this site holds in base64, compressed. @param {string} text */
const unpacked = (text) =>
  new Response(new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip")));

/** @param {string} text */
const opened = (text) => unpacked(text).json();

/** A picture's message, whose numbers may be in a script that the languages share. */
async function whole(part) {
  if (!part.numbers) return part;
  await load(`${root}numbers-${part.numbers}.js`);
  const header = bytesOf(part.bytes), rest = new Uint8Array(await numbers.get(part.numbers));
  const bytes = new Uint8Array(header.length + rest.length);
  bytes.set(header);
  bytes.set(rest, header.length);
  return { ...part, bytes };
}

/** The name of the state that the address asks for: what is not at its default. */
function stateAsked() {
  const isOwn = ([key, value]) => key in controls && !answered.has(key) && value !== controls[key].default;
  return [...queryNow()].filter(isOwn).map(([key, value]) => `${key}=${bounded(controls[key], value) ?? value}`).sort()
    .join("&");
}

/** The state that has most of what the address asks for, and nothing else. @param {string} wanted */
function nearest(wanted) {
  const pairsOf = (state) => state.split("&").filter(Boolean), pairs = pairsOf(wanted);
  const fitting = Object.keys(states).filter((state) => pairsOf(state).every((pair) => pairs.includes(pair)));
  return fitting.reduce((best, state) => pairsOf(state).length > pairsOf(best).length ? state : best, "");
}

/** Show the page in a state, or in the nearest one that it has. @param {string} wanted */
async function show(wanted) {
  const { dataset } = body;
  if (!dataset.states || (!wanted && !Object.keys(states).length)) return;
  await load(dataset.states);
  states = await stateScript;
  const state = nearest(wanted);
  for (const key of new URLSearchParams(state).keys()) answered.add(key);
  shown = states[state];
  for (const [id, first] of Object.entries(states[""].html)) {
    const block = document.getElementById(id), html = shown.html[id] ?? first;
    if (block && htmlOf.get(id) !== html) block.innerHTML = html; // ours, made when the site was
    htmlOf.set(id, html);
  }
  prepare();
  mountParts();
}

/** Load a script of this site, once. */
function load(url) {
  if (!loaded.has(url)) {
    loaded.set(
      url,
      new Promise((done, failed) => {
        const script = Object.assign(document.createElement("script"), { src: url, onload: done, onerror: failed });
        document.head.append(script);
      }),
    );
  }
  return loaded.get(url);
}

/** @param {Record<string, any>} sent */
async function take(sent) {
  for (const [id, part] of Object.entries(sent)) sentParts[id] = await whole(part);
}

const sectionsKey = `${body.dataset.lesson}_open`;

/** Open the sections that the address names, and close the others. */
function openSections() {
  answered.add(sectionsKey);
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
      if (query.toString() !== queryNow().toString()) setQuery(query);
      if (!section.open || !section.querySelector(".picture-frame")) return;
      if (document.querySelector("details [data-picture=chart]")) await load(`${root}plotly-basic.min.js`);
      await load("sections.js");
    });
  }
}

/** Links of this page with what the address says now; those to other pages as a server has them, and in the chosen theme. */
function showLinks() {
  const [here, app] = all("#share output");
  here.value = location.href;
  const query = queryNow();
  if (document.documentElement.lang !== "en") query.set("lang", document.documentElement.lang);
  const search = query.toString();
  app.value = `${APP}/${path}${search && `?${search}`}`;
  Object.assign(all("#asks a")[0], { href: app.value, textContent: app.value });
  for (const link of all("[data-language]")) link.search = location.search;
}

/** Links and choices that have come into the page. */
function prepare() {
  for (const link of isDisk ? [] : all("a[href*='index.html']")) {
    link.setAttribute("href", link.getAttribute("href").replace("index.html", "") || "./");
  }
  for (const choice of all(".choice:not([data-ready])")) {
    choice.dataset.ready = "";
    choice.addEventListener("click", ({ target }) => choose(target.dataset.state));
    choice.addEventListener("change", ({ target }) => choose(target.value));
  }
}

/** A choice is made: the focus stays on it, in the block that takes its place. @param {string | undefined} state */
async function choose(state) {
  if (state === undefined) return;
  const number = all(".choice").findIndex((choice) => choice.contains(document.activeElement));
  await show(state);
  const query = queryNow(), keys = Object.keys(states).flatMap((name) => [...new URLSearchParams(name).keys()]);
  for (const key of keys) query.delete(key);
  for (const [key, value] of new URLSearchParams(state)) {
    if (key in controls) query.set(key, value);
  }
  setQuery(query, true);
  sayUnanswered();
  const choice = all(".choice")[number];
  (choice?.querySelector("[aria-pressed=true], select") ?? choice?.querySelector("button"))?.focus();
}

function update() {
  for (const { mounted } of parts.values()) mounted.update();
}

function setTheme(theme) {
  body.dataset.theme = theme;
  update();
}

/** @param {string[]} value */
const stored = (...value) => {
  try {
    return value.length ? localStorage.setItem("alibi-viz-theme", value[0]) : localStorage.getItem("alibi-viz-theme");
  } catch {
    return null; // this browser keeps nothing
  }
};

/** @param {Record<string, any>} views name -> { mount, css } @param {Record<string, string>} dark */
export default function begin(views, dark) {
  for (const [name, view] of Object.entries(views)) kinds.set(name, view);
  darkOf = dark;
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
    setTheme(isDark() ? "light" : "dark");
    stored(body.dataset.theme ?? "");
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
  for (const button of all("[data-copy]")) {
    button.onclick = () => navigator.clipboard?.writeText(button.parentElement.querySelector("output").value);
  }
  showLinks();
  addEventListener("popstate", goBack);
  Object.assign(globalThis, {
    alibiViz: {
      async page(sent) {
        controls = sent.controls;
        await take(sent.parts);
        mountParts();
        sections();
        await show(stateAsked());
        sayUnanswered();
      },
      async sections(text) {
        await take(await opened(text));
        mountParts();
      },
      numbers(sent) {
        for (const [name, text] of Object.entries(sent)) numbers.set(name, unpacked(text).arrayBuffer());
      },
      states(text) {
        stateScript = opened(text);
      },
    },
  });
}
