// The pages of the site: what moves in them, the address, the theme, and links to take away.

import { Chart, kinds, Part } from "../host.js";

const APP = "http://127.0.0.1:8501"; // where the app serves itself
const { body } = document, { root, path } = body.dataset, isDisk = location.protocol === "file:";
const lines = ["own"]; // texts that the browser reads itself; others go to Python
/** @type {(Chart | Part)[]} */ const parts = [];
const loaded = new Map(); // scripts
/** @type {Record<string, string>} colour of the light theme -> that of the dark one */ let darkOf = {};
/** Key -> { kind, low, high, choices, default }: how the page bounds what its address says. @type {Record<string, any>} */
let controls = {};

/** @type {(selector: string) => any[]} */
const all = (selector) => [...document.querySelectorAll(selector)];
const queryNow = () => new URLSearchParams(location.search);

/** Write the address in place. From the disk a browser lets none be written. */
function setQuery(query) {
  const search = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  try {
    history.replaceState(null, "", `${location.pathname}${search && `?${search}`}${location.hash}`);
  } catch { /* file: */ }
  showLinks();
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
  return kind === "text" && text.length <= 2000 ? text : undefined;
}

/** What the address asks for of a picture's hands, where it is not what is shown. */
function asked({ hands, values }) {
  const typed = hands.filter(({ kind, key }) => kind === "line" && !lines.includes(key)).map(({ key }) => key);
  const wanted = {};
  for (const [key, text] of queryNow()) {
    const value = key in values && key in controls && !typed.includes(key) ? bounded(controls[key], text) : undefined;
    if (value !== undefined && String(value) !== String(values[key])) wanted[key] = value;
  }
  return Object.keys(wanted).length ? wanted : null;
}

/** A hand has let go: the address says it, and the sentences say at which values they stand. */
function report(frame, values) {
  const query = queryNow();
  for (const [key, value] of Object.entries(values)) {
    if (!(key in controls)) continue;
    if (String(value) === controls[key].default) query.delete(key);
    else query.set(key, String(value));
  }
  setQuery(query);
  standsFor(frame);
}

/** Show at which values the sentences below a picture stand. @param {HTMLElement} frame */
function standsFor({ nextElementSibling: line }) {
  if (line instanceof HTMLElement && line.matches(".stands")) line.hidden = false;
}

const headerOf = (bytes) => {
  const data = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
  const length = new DataView(data.buffer).getUint32(0, true);
  return JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
};

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

function mountPart([id, part]) {
  const frame = document.getElementById(id);
  if (!frame) return;
  frame.replaceChildren();
  if (part.kind === "chart") return parts.push(new Chart(frame, part.data, recolour));
  const values = asked(headerOf(part.bytes).hands ?? { hands: [], values: {} });
  parts.push(new Part(frame, part, values, (moved) => report(frame, moved)));
  if (values) standsFor(frame);
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

/** The sections: what moves in them is loaded when the first one opens. Which are open stands in the address. */
function sections() {
  const key = `${body.dataset.lesson}_open`, found = all("details[data-section]");
  const isOpen = (queryNow().get(key) ?? "").split(",");
  for (const section of found) {
    section.open = isOpen.includes(section.dataset.section);
    section.addEventListener("toggle", async () => {
      const query = queryNow(), open = found.filter((other) => other.open).map((other) => other.dataset.section);
      if (open.length) query.set(key, open.join(","));
      else query.delete(key);
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
  for (const link of all("[data-language]")) link.search = location.search;
}

function setTheme(theme) {
  body.dataset.theme = theme;
  parts.forEach((part) => part.update());
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
  if (!isDisk) {
    for (const inside of all("a[href*='index.html']")) {
      inside.setAttribute("href", inside.getAttribute("href").replace("index.html", "") || "./");
    }
  }
  all("#theme")[0].onclick = () => {
    setTheme(isDark() ? "light" : "dark");
    stored(body.dataset.theme ?? "");
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => parts.forEach((part) => part.update()));
  for (const button of all("[data-copy]")) {
    button.onclick = () => navigator.clipboard?.writeText(button.parentElement.querySelector("output").value);
  }
  showLinks();
  Object.assign(globalThis, {
    alibiViz: {
      page(sent) {
        controls = sent.controls;
        Object.entries(sent.parts).forEach(mountPart);
        sections();
      },
      sections: (sent) => Object.entries(sent).forEach(mountPart),
    },
  });
}
