// The number of each step, and what it is of: templates of the lesson, and what stands for their names.

import { halving } from "../attention.js";
import { percent, perplexity } from "../plot.js";
import { wholePercent } from "../shared.js";
import { fromContext, guessText, measured, PENS } from "./chart.js";
import { FARTHEST, largestChange, ownOrder, weightsOf, worthAt } from "./arithmetic.js";
import { slopeText, wordCount } from "./stage.js";
import { bytesShown, knownOf, shareText } from "./texts.js";

/**
 * @import { Stage } from "./stage.js"
 * @typedef {{ big: string, caption: string, facts: Record<string, string | number> }} Takeaway big: a template; caption: its name
 */

const SAYS = [writeSays, orderSays, farSays, headsSays, allSays, longerSays, guessSays, writeSays, nearSays, endSays];

/** @param {Stage} stage @returns {Takeaway} */
export const takeaway = (stage) => SAYS[stage.step](stage);

/** A weight between two words, PyTorch's. @param {Stage} stage */
function weightFacts(stage, query, key) {
  const { count, sentence } = stage, share = percent(stage.weights()[query * count + key]);
  return { share, query: sentence[query], key: sentence[key], distance: query - key, slope: slopeText(stage.slope) };
}

/** The far word in sight that matches the asking one best: of what a hand takes most. */
function farMatch({ count, query, isCausal, content }) {
  const match = (word) => content[query * count + word], isInSight = (word) => !isCausal || word <= query;
  const others = ownOrder(count).filter((word) => Math.abs(word - query) > 1 && isInSight(word));
  return others.reduce((best, word) => (match(word) > match(best) + 1e-9 ? word : best), others[0] ?? 0);
}

function orderSays(stage) {
  const { count, isCausal, query, content, message: { words } } = stage;
  const moved = stage.order.filter((word, at) => word !== at).length;
  if (!moved) {
    const key = farMatch(stage), before = percent(weightsOf(content, ownOrder(count), 0, false)[query * count + key]);
    const facts = { ...weightFacts(stage, query, key), before };
    return { big: isCausal ? words.from : "{share}", caption: "plain", facts };
  }
  const change = largestChange(weightsOf(content, ownOrder(count), 0, isCausal), stage.weights());
  const facts = { change: (change < 1e-6 ? 0 : change).toFixed(2), moved };
  return { big: "{change}", caption: isCausal ? "change_mask" : "change", facts };
}

function farSays(stage) {
  const { count, query, content, slope, bent, message: { words } } = stage, key = farMatch(stage);
  if (bent > 0 && bent < 1.5) {
    const facts = { factor: worthAt(1, slope, 1).toFixed(2), slope: slopeText(slope) };
    return { big: "× {factor}", caption: "each_back", facts };
  }
  const before = percent(weightsOf(content, ownOrder(count), 0, true)[query * count + key]);
  return { big: words.from, caption: "pulled", facts: { ...weightFacts(stage, query, key), before } };
}

function headsSays({ head, message: { slopes } }) {
  const slope = slopes[head - 1], half = wordCount(halving(slope));
  const facts = { words: half, head, heads: slopes.length, slope: slopeText(slope) };
  return { big: "{words}", caption: "half", facts };
}

function allSays(stage) {
  const { cell: [query, key] } = stage, caption = query === key ? "cell_self" : "cell";
  return { big: "{share}", caption, facts: weightFacts(stage, query, key) };
}

function longerSays({ count, v }) {
  const longest = Math.round(count * v.times), beyond = longest - count;
  const share = wholePercent((beyond * (beyond + 1)) / (longest * (longest + 1)));
  return { big: "{share}", caption: "pairs", facts: { share, count: longest } };
}

function guessSays(stage) {
  const { v, drawn, message: { words } } = stage, isGrown = v.shown === 1, isBoth = drawn.alibi && drawn.rope;
  const measuredAt = (times) => PENS.map((pen) => perplexity(measured(stage.lineOf(pen), times)));
  const guesses = PENS.map((pen) => guessText(drawn[pen]));
  const [alibi_here, rope_here] = measuredAt(1), [alibi_drawn, rope_drawn] = guesses;
  const [alibi, rope] = isGrown ? measuredAt(FARTHEST) : guesses;
  const facts = { alibi, rope, alibi_here, rope_here, alibi_drawn, rope_drawn };
  return { big: words.two, caption: !isGrown ? "guess" : isBoth ? "yours" : "measured", facts };
}

function writeSays(stage) {
  const { step, message: { words, texts, trained, is_han }, hands: { values } } = stage, bytes = bytesShown(stage);
  // Rubbish in Han characters and kana has hardly a word: there the words are counted, for a share of few says nothing.
  const said = ([known, all]) => is_han && all ? String(known) : shareText([known, all], words);
  const [alibi, rope] = texts.map((text) => said(knownOf(stage, text)));
  const facts = { alibi, rope, bytes: bytes.toLocaleString("en"), seed: Number(values.write_seed) };
  const caption = bytes <= trained + 10 ? "pull_on" : step ? "beyond_known" : "beyond_plain";
  return { big: step ? words.two : words.unnamed, caption, facts };
}

function nearSays({ reading, message: { words, texts, control } }) {
  const of = { all: "all", near: "hidden", clamped: "clamped" }[reading];
  const [alibi, rope] = texts.map((text) => perplexity(text[of]));
  return { big: words.two, caption: reading, facts: { alibi, rope, control: perplexity(control) } };
}

function endSays(stage) {
  const { seen, v, farthest: most, message: { predictions } } = stage, line = stage.lineOf("alibi");
  const [alibi, all] = [2 ** v.seen, most].map((bytes) => perplexity(fromContext(line, bytes)));
  return { big: "{alibi}", caption: "curtained", facts: { alibi, seen, most, all, predictions } };
}
