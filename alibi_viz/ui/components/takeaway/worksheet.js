// The worksheet of a lesson: one HTML file to print.

import { make } from "../../../pictures/shared.js";

/** One HTML file: the figure, the questions with room to write, the answers on a page of their own, link and QR code. */
export function worksheet(svg, { title, link, qr, sheet, words }) {
  const page = document.implementation.createHTMLDocument(title), { body } = page;
  const add = (tag, text, name = "") => body.appendChild(make(tag, name, {}, text));
  page.head.append(make("meta", "", { charset: "utf-8" }), make("style", "", {}, SHEET));
  add("h1", title);
  add("figure", "").append(svg);
  const list = add("ol", "", "questions");
  for (const { question } of sheet) list.append(make("li", "", {}, question));
  const foot = add("footer", "");
  foot.innerHTML = qr; // drawn by the server, from the link alone
  foot.append(make("p", "", {}, link));
  add("h2", words.answers, "answers");
  const answers = add("ol", "");
  for (const { answer } of sheet) answers.append(make("li", "", {}, answer));
  return new Blob([`<!doctype html>\n${page.documentElement.outerHTML}`], { type: "text/html" });
}

const SHEET = `
body { max-width: 720px; margin: 32px auto; padding: 0 24px; font: 16px/1.5 "Source Sans 3", system-ui, sans-serif; }
h1 { font: 600 26px Georgia, serif; } h2 { font: 600 20px Georgia, serif; }
figure { margin: 0 0 20px; } figure svg { width: 100%; height: auto; max-height: 440px; }
.questions li { margin-bottom: 10px; padding-bottom: 52px; border-bottom: 1px solid #ccc; }
footer { display: flex; align-items: center; gap: 16px; overflow-wrap: anywhere; font-size: 13px; }
footer svg { width: 110px; height: 110px; flex: none; }
.answers { break-before: page; }
@media print { body { margin: 0 auto; } .questions li { break-inside: avoid; } }`;
