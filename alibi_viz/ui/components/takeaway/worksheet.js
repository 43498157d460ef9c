// Worksheets: one HTML file to print, of one lesson or of several that the reader has collected in this tab.

import { make } from "../../../pictures/shared.js";

const STORED = "alibi-viz:worksheet";

/** @typedef {{ title: string, svg: string, link: string, qr: string, sheet: { question: string, answer: string }[] }} Part a lesson's */

/** What is collected so far. @returns {Part[]} */
export function collected() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "[]");
  } catch {
    return [];
  }
}

/** Add a lesson; whether the tab's storage has room for it. @param {Part} part */
export function add({ title, svg, link, qr, sheet }) {
  try {
    sessionStorage.setItem(STORED, JSON.stringify([...collected(), { title, svg, link, qr, sheet }]));
    return true;
  } catch {
    return false;
  }
}

export const forget = () => sessionStorage.removeItem(STORED);

/** A file: for each lesson its figure and questions with room to write, link and QR code; then the answers, if they are asked for. */
export function worksheet(parts, words, answers) {
  const page = document.implementation.createHTMLDocument(parts.map(({ title }) => title).join(" · ")), { body } = page;
  page.head.append(make("meta", "", { charset: "utf-8" }), make("style", "", {}, SHEET));
  body.append(...parts.map((part) => lesson(part, words)));
  if (answers) {
    body.append(make("h2", "answers", {}, words.answers));
    for (const { title, sheet } of parts) {
      if (parts.length > 1) body.append(make("h3", "", {}, title));
      body.append(listed("", sheet.map(({ answer }) => answer)));
    }
  }
  return new Blob([`<!doctype html>\n${page.documentElement.outerHTML}`], { type: "text/html" });
}

function lesson({ title, svg, link, qr, sheet }, words) {
  const section = make("section"), blank = make("p", "blank"), figure = make("figure"), foot = make("footer");
  for (const word of [words.name, words.date]) blank.append(make("span", "", {}, word));
  figure.append(document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true));
  foot.innerHTML = qr; // drawn by the server, from the link alone
  foot.append(make("p", "", {}, link));
  section.append(make("h1", "", {}, title), blank, figure, listed("questions", sheet.map(({ question }) => question)), foot);
  return section;
}

function listed(name, texts) {
  const list = make("ol", name);
  list.append(...texts.map((text) => make("li", "", {}, text)));
  return list;
}

const SHEET = `
body { max-width: 720px; margin: 32px auto; padding: 0 24px; font: 16px/1.5 "Source Sans 3", system-ui, sans-serif; }
h1 { font: 600 26px Georgia, serif; margin: 0 0 8px; } h2 { font: 600 20px Georgia, serif; } h3 { font: 600 16px Georgia, serif; }
.blank { display: flex; gap: 24px; margin: 0 0 14px; color: #555; font-size: 14px; }
.blank span { flex: 2; border-bottom: 1px solid #999; } .blank span + span { flex: 1; }
figure { margin: 0 -24px 14px; } figure svg { width: 100%; height: auto; max-height: 620px; }
.questions li { margin-bottom: 10px; padding-bottom: 44px; border-bottom: 1px solid #ccc; }
footer { display: flex; align-items: center; gap: 16px; overflow-wrap: anywhere; font-size: 13px; }
footer svg { width: 110px; height: 110px; flex: none; }
section + section, .answers { break-before: page; }
@media print { body { margin: 0 auto; } .questions li { break-inside: avoid; } figure svg { max-height: 570px; } }`;
