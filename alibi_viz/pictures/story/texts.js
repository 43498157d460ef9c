// Steps 7 and 8: what two models write, byte by byte, and what becomes of it when far keys are hidden.

import { countCharacters, countWords, lettersOf } from "../core.js";
import { make, wholePercent } from "../shared.js";

/** @import { Stage } from "./stage.js" @import { Written } from "./message.d.ts" */

const FEWEST = 20; // words of which a share is said
const CUT = 96; // bytes before the mark of L that are left out on a phone, so that the mark stays in sight
const SMALLER = 0.06; // em, by which type is smaller where the text does not fit

/** The two columns. @param {Stage} stage */
export function buildTexts({ message: { texts } }) {
  return texts.map((text) => {
    const name = make("span"), count = make("small"), flow = make("p", "flow");
    const column = make("div", "column", {}, make("h3", "", {}, name, count), flow);
    return { method: text.method, column, name, count, flow, shown: "", of: text };
  });
}

/** How many bytes are shown: while it plays, fewer than the hands say. @param {Stage} stage */
export const bytesShown = ({ bytes, v, step }) => (step === 7 ? Math.round(40 + (bytes - 40) * v.play) : 1024);

/** Known words beyond L, of those that are shown. @param {Stage} stage @param {Written} text */
export function knownOf(stage, text) {
  const words = stage.isNear ? text.near_words : text.words;
  return countWords(words, stage.message.trained, bytesShown(stage));
}

/** Share of the bytes beyond L, of those that are shown, that stand in whole characters. @param {Stage} stage @param {Written} text */
export function wholeOf(stage, text) {
  const characters = stage.isNear ? text.near_characters : text.characters;
  const { whole, all } = countCharacters(characters, stage.message.trained, bytesShown(stage));
  return all ? wholePercent(whole / all) : "–";
}

/** “93%”, or of few words “12 of 14”. @param {[number, number]} count */
export function shareText([known, all], words) {
  if (!all) return "–";
  return all < FEWEST
    ? words.few.replace("{known}", String(known)).replace("{all}", String(all))
    : wholePercent(known / all);
}

/** @param {Stage} stage @param {ReturnType<typeof buildTexts>} columns */
export function showTexts(stage, columns) {
  const { message: { texts, words }, small, v } = stage, bytes = bytesShown(stage);
  texts.forEach((text, at) => {
    const column = columns[at],
      [known, all] = knownOf(stage, text),
      mark = [bytes, stage.isNear, v.near, text.text[0], small].join();
    const line = stage.lineOf(text.method);
    column.column.style.setProperty("--of", line.colours[Number(stage.ink.dark)]);
    column.name.textContent = line.name;
    const said = words.known.replace("{known}", String(known)).replace("{all}", String(all));
    const isBeyond = bytes > stage.message.trained && (all || stage.message.is_han);
    column.count.textContent = isBeyond ? said.replace("{whole}", wholeOf(stage, text)) : words.within;
    if (column.shown === mark && column.of === text) return;
    Object.assign(column, { shown: mark, of: text });
    column.flow.replaceChildren(...piecesOf(stage, text, bytes));
    fit(column.flow, typeOf(bytes, small), stage.type(12));
    if (stage.step === 8) column.flow.scrollTop = column.flow.scrollHeight; // the switch is about the last bytes
  });
}

/** The type as large as asked, or so small that the whole text is in sight; below the least size one scrolls. */
function fit(flow, type, least) {
  const size = parseFloat(getComputedStyle(/** @type {Element} */ (flow.parentElement)).fontSize);
  for (let smaller = type;; smaller -= SMALLER) {
    flow.style.setProperty("--type", String(Math.max(smaller, least / size)));
    if (flow.scrollHeight <= flow.clientHeight || smaller * size <= least) return;
  }
}

/** So large that the stage is full. */
function typeOf(bytes, small) {
  if (small) return bytes <= 240 ? 1.25 : bytes <= 480 ? 0.94 : 0.82;
  return bytes <= 300 ? 1.85 : bytes <= 620 ? 1.45 : 1.14;
}

/** The text in pieces that look alike. @param {Stage} stage @param {Written} text */
function piecesOf(stage, text, bytes) {
  const { v, isNear, small, message: { prompt, trained } } = stage, isTurning = v.near > 0 && v.near < 1;
  const unknown = isTurning ? [] : unknownOf(isNear ? text.near_words : text.words),
    from = small && bytes > 480 ? CUT : 0;
  const seen = isNear ? bytes - trained : 0, reached = isNear ? bytes - 2 * trained : 0;
  const edges = new Set([from, prompt, trained, bytes, seen, reached, ...unknown.flat()]), pieces = [];
  const cuts = [...edges].filter((edge) => edge >= from && edge <= bytes).sort((a, b) => a - b);
  const [of_all, of_near] = [
    lettersOf(text.text.slice(0, bytes), text.characters),
    lettersOf(text.near.slice(0, bytes), text.near_characters),
  ];
  const letters = of_all.map((letter, at) => {
    const isOfNear = isTurning ? turned(at) < v.near : isNear;
    return (isOfNear ? of_near[at] : letter).replace("\n", " ");
  });
  if (from) pieces.push("… ");
  for (const [at, begin] of cuts.slice(0, -1).entries()) {
    if (begin === trained) pieces.push(make("i", "mark"));
    const isUnknown = unknown.some(([first, after]) => begin >= first && begin < after);
    const look = [
      begin < prompt && "given",
      isUnknown && "unknown",
      isNear && (begin < reached ? "far" : begin < seen ? "reached" : "seen"),
    ];
    pieces.push(make("span", look.filter(Boolean).join(" "), {}, letters.slice(begin, cuts[at + 1]).join("")));
  }
  return [...pieces, make("i", "caret")];
}

function unknownOf(words) {
  const unknown = [];
  for (let at = 0; at < words.length; at += 3) if (!words[at + 2]) unknown.push([words[at], words[at + 1]]);
  return unknown;
}

/** When the letter at a place turns: fixed, and without order. */
const turned = (at) => (Math.imul(at + 7, 2654435761) >>> 0) / 2 ** 32;
