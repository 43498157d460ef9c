// Steps 7 and 8: what two models write, byte by byte, and what becomes of it when far keys are hidden.

import { countCharacters, countWords, filled, lettersOf, stretchesOf } from "../core.js";
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
    return { column, name, count, flow, shown: "", of: text };
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
  return all < FEWEST ? filled(words.few, (name) => String({ known, all }[name])) : wholePercent(known / all);
}

/** @param {Stage} stage @param {ReturnType<typeof buildTexts>} columns */
export function showTexts(stage, columns) {
  const { message: { texts, is_han, trained }, small, v } = stage, bytes = bytesShown(stage);
  texts.forEach((text, at) => {
    const column = columns[at], [known, all] = knownOf(stage, text), line = stage.lineOf(text.method);
    column.column.style.setProperty("--of", stage.colourOf(text.method));
    column.name.textContent = line.name;
    const isBeyond = bytes > trained && (all || is_han), counts = { known, all, whole: wholeOf(stage, text) };
    column.count.textContent = isBeyond ? stage.word("known", counts) : stage.word("within");
    const shown = [bytes, stage.isNear, v.near, stage.width, stage.height].join();
    if (column.shown === shown && column.of === text) return;
    Object.assign(column, { shown, of: text });
    column.flow.replaceChildren(...piecesOf(stage, text, bytes));
    fit(column.flow, typeOf(bytes, small), stage.type(12));
    if (stage.step === 8) column.flow.scrollTop = column.flow.scrollHeight; // the switch is about the last bytes
  });
}

/** The type as large as asked, or so small that the whole text is in sight; below the least size one scrolls, by whole lines. */
function fit(flow, type, least) {
  flow.style.maxHeight = "";
  const size = parseFloat(getComputedStyle(/** @type {Element} */ (flow.parentElement)).fontSize);
  for (let smaller = type;; smaller -= SMALLER) {
    flow.style.setProperty("--type", String(Math.max(smaller, least / size)));
    if (flow.scrollHeight <= flow.clientHeight) return;
    if (smaller * size <= least) break;
  }
  const { lineHeight, paddingBottom } = getComputedStyle(flow),
    [line, below] = [lineHeight, paddingBottom].map(parseFloat);
  flow.style.maxHeight = `${Math.floor((flow.clientHeight - below) / line) * line + below}px`;
}

/** So large that the stage is full. */
function typeOf(bytes, small) {
  if (small) return bytes <= 240 ? 1.25 : bytes <= 480 ? 0.94 : 0.82;
  return bytes <= 300 ? 1.85 : bytes <= 620 ? 1.45 : 1.14;
}

/** The text in pieces that look alike. @param {Stage} stage @param {Written} text */
function piecesOf(stage, text, bytes) {
  const { v, isNear, small, message: { prompt, trained } } = stage, isTurning = v.near > 0 && v.near < 1;
  const from = small && bytes > 480 ? CUT : 0, words = isTurning ? [] : isNear ? text.near_words : text.words;
  const seen = isNear ? bytes - trained : 0, reached = isNear ? bytes - 2 * trained : 0;
  const ofAll = lettersOf(text.text.slice(0, bytes), text.characters);
  const ofNear = lettersOf(text.near.slice(0, bytes), text.near_characters);
  const letters = ofAll.map((letter, at) => {
    const isOfNear = isTurning ? turned(at) < v.near : isNear;
    return (isOfNear ? ofNear[at] : letter).replace("\n", " ");
  });
  const pieces = stretchesOf(words, [prompt, trained, seen, reached], from, bytes).flatMap((stretch) => {
    const { start, end, isUnknown } = stretch, reach = start < reached ? "far" : start < seen ? "reached" : "seen";
    const looks = [start < prompt && "given", isUnknown && "unknown", isNear && reach];
    const piece = make("span", looks.filter(Boolean).join(" "), {}, letters.slice(start, end).join(""));
    return start === trained ? [make("i", "mark"), piece] : [piece];
  });
  return [from ? "… " : "", ...pieces, make("i", "caret")];
}

/** When the letter at a place turns: fixed, and without order. */
const turned = (at) => (Math.imul(at + 7, 2654435761) >>> 0) / 2 ** 32;
