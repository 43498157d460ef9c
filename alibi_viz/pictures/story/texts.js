// What two models write: in step 0 without their names, in step 7 with them, in step 8 with far keys hidden, or clamped. After
// the reader's own sentence they write in the browser; after the example it is there.

import { countCharacters, countWords, filled, lettersOf, stretchesOf } from "../text.js";
import { languageOf, LiveTexts, promptOf } from "../lm_texts.js";
import { make, wholePercent } from "../shared.js";

/** @import { Stage } from "./stage.js" @import { Written } from "./message.d.ts" */

const LETTERS = "AB"; // what the models are called until step 7

const FEWEST = 20; // words of which a share is said
const CUT = 96; // bytes before the mark of L that are left out on a phone, so that the mark stays in sight
const SMALLER = 0.06; // em, by which type is smaller where the text does not fit

/** The texts that are shown: with all keys, with the near ones, and with distances clamped. */
export class Texts {
  prompt = 0; // bytes
  isForeign = false; // the reader's sentence: the models write another language

  /** @param {{ file: (address: string) => Promise<ArrayBuffer>, changed: () => void }} picture */
  constructor(picture) {
    const told = { ...picture, rested: () => {}, failed: () => "" };
    this.all = new LiveTexts(told);
    this.near = new LiveTexts(told);
    this.clamped = new LiveTexts(told);
  }

  /** From now on the texts that the hands ask for. @param {Stage} stage */
  ask({ step, isWriting, message, hands: { values, ofText } }) {
    const { texts, models, language, example, trained, known, is_han, temperature, longest } = message;
    if (!isWriting || !texts.length) return;
    const own = ofText || example, isOwn = own !== example && languageOf(own, language) === language;
    this.isForeign = own !== example && !isOwn;
    const prompt = promptOf(isOwn ? `${own.trim()} ` : undefined, message.prompt ?? []);
    const seed = Number(values.write_seed), isShipped = !isOwn && seed === Number(message.hands.values.write_seed);
    const writers = texts.map(({ method }) => ({ weights: models[method], most: 0, problem: "" }));
    const choices = { prompt, temperature, seed }, length = longest - prompt.length;
    const shipped = (of) => new Map(isShipped ? texts.map((text) => [models[text.method], of(text)]) : []);
    const all = shipped(({ text: bytes, words }) => ({ bytes, words }));
    const near = shipped(({ near: bytes, near_words: words }) => ({ bytes, words }));
    this.prompt = prompt.length;
    this.all.ask({ ...choices, window: 0 }, writers, length, all, { known, is_han });
    const later = step === 8 ? length : 0; // what the next step shows is not written before
    this.near.ask({ ...choices, window: trained }, writers, isShipped ? length : later, near, { known, is_han });
    const asked = step === 8 && values.write_near === "clamped" ? length : 0; // written here, once it is asked for
    this.clamped.ask({ ...choices, window: 0, clamp: trained }, writers, asked, new Map(), { known, is_han });
  }

  /** What a model has written by now. @param {string} weights */
  of(weights, reading) {
    return /** @type {import("../lm_texts.js").LiveText} */ (this[reading].texts.get(weights));
  }

  stop() {
    this.all.stop();
    this.near.stop();
    this.clamped.stop();
  }
}

/** What the models go on from where the reader has no sentence. @param {import("./message.d.ts").Message} message */
export const beginningOf = ({ prompt }) => new TextDecoder().decode(Uint8Array.from(prompt ?? [])).trim();

/** What is there of a text by now. @param {Stage} stage @param {Written} text */
const now = ({ texts, reading, message: { models } }, { method }, which = reading) => texts.of(models[method], which);

/** The two columns. @param {Stage} stage */
export function buildTexts({ message: { texts } }) {
  return texts.map((text) => {
    const name = make("span"), count = make("small"), flow = make("p", "flow");
    const column = make("div", "column", {}, make("h3", "", {}, name, count), flow);
    return { column, name, count, flow, shown: "", of: text };
  });
}

/** How many bytes are shown: while it plays, fewer than the hands say. @param {Stage} stage */
export const bytesShown = ({ bytes, v, step, message: { longest } }) =>
  step === 8 ? longest : Math.round(40 + (bytes - 40) * v.play);

/** Known words beyond L, of those that are shown. @param {Stage} stage @param {Written} text */
export function knownOf(stage, text) {
  return countWords(now(stage, text).words, stage.message.trained, bytesShown(stage));
}

/** Share of the bytes beyond L, of those that are shown, that stand in whole characters. @param {Stage} stage @param {Written} text */
function wholeOf(stage, text) {
  const { characters } = now(stage, text);
  const { whole, all } = countCharacters(characters, stage.message.trained, bytesShown(stage));
  return all ? wholePercent(whole / all) : "–";
}

/** “93%”, or of few words “12 of 14”. @param {[number, number]} count */
export function shareText([known, all], words) {
  if (!all) return "–";
  return all < FEWEST ? filled(words.few, (name) => String({ known, all }[name])) : wholePercent(known / all);
}

/** What a column is called: by a letter, until both guesses are made. @param {Stage} stage */
function nameOf(stage, method, at) {
  const { name } = stage.lineOf(method), letter = LETTERS[at];
  return stage.step < 7 ? letter : stage.step === 7 ? stage.word("was", { letter, name }) : name;
}

/** @param {Stage} stage @param {ReturnType<typeof buildTexts>} columns */
export function showTexts(stage, columns) {
  const { message: { texts, is_han, trained }, small, v } = stage, bytes = bytesShown(stage);
  texts.forEach((text, at) => {
    const column = columns[at], [known, all] = knownOf(stage, text), isNamed = stage.step >= 7;
    column.column.style.setProperty("--of", isNamed ? stage.colourOf(text.method) : "");
    column.name.textContent = nameOf(stage, text.method, at);
    const isBeyond = bytes > trained && (all || is_han), counts = { known, all, whole: wholeOf(stage, text) };
    column.count.textContent = !isNamed ? "" : isBeyond ? stage.word("known", counts) : stage.word("within");
    const there = [now(stage, text, "all"), now(stage, text)].flatMap((live) => [live.bytes.length, live.words.length]);
    const shown = [bytes, stage.reading, v.near, stage.width, stage.height, stage.texts.all.name, there].join();
    if (column.shown === shown && column.of === text) return;
    Object.assign(column, { shown, of: text });
    column.flow.replaceChildren(...piecesOf(stage, text, bytes));
    fit(column.flow, typeOf(Math.max(bytes, stage.bytes), small), stage.type(12)); // of one size while it is written
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
  const style = getComputedStyle(flow), [line, below] = [style.lineHeight, style.paddingBottom].map(parseFloat);
  flow.style.maxHeight = `${Math.floor((flow.clientHeight - below) / line) * line + below}px`;
}

/** So large that the stage is full. */
function typeOf(bytes, small) {
  if (small) return bytes <= 240 ? 1.25 : bytes <= 480 ? 0.94 : 0.82;
  return bytes <= 300 ? 1.85 : bytes <= 620 ? 1.45 : 1.14;
}

/** The text in pieces that look alike. @param {Stage} stage @param {Written} text */
function piecesOf(stage, text, bytes) {
  const { v, reading, other, small, texts: { prompt }, message: { trained } } = stage;
  const isTurning = v.near > 0 && v.near < 1, isNear = reading === "near", isOther = reading !== "all";
  const [ofAll, ofOther] = [now(stage, text, "all"), now(stage, text, other)];
  const from = small && bytes > 480 ? CUT : 0, { words } = isTurning ? { words: [] } : isOther ? ofOther : ofAll;
  const seen = isNear ? bytes - trained : 0, reached = isNear ? bytes - 2 * trained : 0;
  const [letters, others] = [ofAll, ofOther].map((each) => lettersOf(each.bytes.slice(0, bytes), each.characters));
  const shown = Array.from({ length: bytes }, (_, at) => {
    const isOfOther = isTurning ? turned(at) < v.near : isOther;
    return ((isOfOther ? others : letters)[at] ?? "").replace("\n", " ");
  });
  const pieces = stretchesOf(words, [prompt, trained, seen, reached], from, bytes).flatMap((stretch) => {
    const { start, end, isUnknown } = stretch, reach = start < reached ? "far" : start < seen ? "reached" : "seen";
    const looks = [start < prompt && "given", isUnknown && "unknown", isNear && reach];
    const piece = make("span", looks.filter(Boolean).join(" "), {}, shown.slice(start, end).join(""));
    return start === trained ? [make("i", "mark"), piece] : [piece];
  });
  return [from ? "… " : "", ...pieces, make("i", "caret")];
}

/** When the letter at a place turns: fixed, and without order. */
const turned = (at) => (Math.imul(at + 7, 2654435761) >>> 0) / 2 ** 32;
