// The number of each step, and what it is of: templates of the lesson, and what stands for their names.

import { halving } from "../attention.js";
import { percent, perplexity } from "../plot.js";
import { wholePercent } from "../shared.js";
import { fromContext, measured, roughly } from "./chart.js";
import { drawnTo, FARTHEST, largestChange, ownOrder, weightsOf } from "./core.js";
import { slopeText, wordCount } from "./stage.js";
import { bytesShown, knownOf, shareText, wholeOf } from "./texts.js";

/** @import { Stage } from "./stage.js" @typedef {{ big: string, caption: string, facts: Record<string, string | number> }} Takeaway */

const OF_STEPS = [
  orderSays,
  farSays,
  headsSays,
  allSays,
  longerSays,
  guessSays,
  writeSays,
  nearSays,
  endSays,
];

/** @param {Stage} stage @returns {Takeaway} */
export const takeaway = (stage) => OF_STEPS[stage.step - 1](stage);

/** A weight between two words, PyTorch's. @param {Stage} stage */
function weightFacts(stage, query, key) {
  const { count, message: { sentence } } = stage, share = percent(stage.weights()[query * count + key]);
  return { share, query: sentence[query], key: sentence[key], distance: query - key, slope: slopeText(stage.slope) };
}

/** The far word in sight that matches the asking one best: of what a hand takes most. */
function farMatch({ count, query, isCausal, message: { content } }) {
  const match = (word) => content[query * count + word],
    others = ownOrder(count).filter((word) => Math.abs(word - query) > 1 && !(isCausal && word > query));
  return others.reduce((best, word) => (match(word) > match(best) + 1e-9 ? word : best), others[0] ?? 0);
}

function orderSays(stage) {
  const { count, isCausal, query, message: { words, content } } = stage,
    moved = stage.order.filter((word, at) => word !== at).length;
  if (!moved) return { big: "{share}", caption: words.plain, facts: weightFacts(stage, query, farMatch(stage)) };
  const change = largestChange(weightsOf(content, ownOrder(count), 0, isCausal), stage.weights());
  const facts = { change: (change < 1e-6 ? 0 : change).toFixed(2), moved };
  return { big: "{change}", caption: isCausal ? words.change_mask : words.change, facts };
}

function farSays(stage) {
  const { count, query, message: { words, content } } = stage, key = farMatch(stage);
  const before = percent(weightsOf(content, ownOrder(count), 0, true)[query * count + key]);
  return { big: words.from, caption: words.pulled, facts: { ...weightFacts(stage, query, key), before } };
}

function headsSays({ head, message: { words, slopes } }) {
  const slope = slopes[head - 1], half = wordCount(halving(slope));
  return {
    big: "{words}",
    caption: words.half,
    facts: { words: half, head, heads: slopes.length, slope: slopeText(slope) },
  };
}

function allSays(stage) {
  const { cell: [query, key], message: { words } } = stage;
  return {
    big: "{share}",
    caption: query === key ? words.cell_self : words.cell,
    facts: weightFacts(stage, query, key),
  };
}

function longerSays({ count, v, message: { words } }) {
  const longest = Math.round(count * v.times),
    beyond = longest - count,
    share = (beyond * (beyond + 1)) / (longest * (longest + 1));
  return { big: "{share}", caption: words.pairs, facts: { share: wholePercent(share), count: longest } };
}

/** Both numbers of two models. @param {string[]} numbers */
const two = ([alibi, rope]) => ({ alibi, rope });

function guessSays(stage) {
  const { v, drawn, message: { words } } = stage, lines = [stage.lineOf("alibi"), stage.lineOf("rope")];
  const [alibi_here, rope_here] = lines.map((line) => perplexity(measured(line, 1)));
  const drawnAt = (line) => (drawnTo(line) ? roughly(Number(line[drawnTo(line)])) : "?");
  const shown = v.shown < 1
    ? [drawn.alibi, drawn.rope].map(drawnAt)
    : lines.map((line) => perplexity(measured(line, FARTHEST)));
  const isBoth = drawn.alibi && drawn.rope, [alibi_drawn, rope_drawn] = [drawn.alibi, drawn.rope].map(drawnAt);
  return {
    big: words.two,
    caption: v.shown < 1 ? words.guess : isBoth ? words.yours : words.measured,
    facts: { alibi_here, rope_here, alibi_drawn, rope_drawn, ...two(shown) },
  };
}

function writeSays(stage) {
  const { message: { words, texts, trained, is_han }, hands: { values } } = stage, bytes = bytesShown(stage);
  const shareOf = (text) => (is_han ? wholeOf(stage, text) : shareText(knownOf(stage, text), words));
  const facts = {
    ...two(texts.map(shareOf)),
    bytes: bytes.toLocaleString("en"),
    seed: Number(values.write_seed),
  };
  return { big: words.two, caption: bytes > trained + 10 ? words.known_share : words.pull_on, facts };
}

function nearSays({ isNear, message: { words, texts, control } }) {
  const facts = {
    ...two(texts.map((text) => perplexity(isNear ? text.hidden : text.all))),
    control: perplexity(control),
  };
  return { big: words.two, caption: isNear ? words.near : words.all, facts };
}

function endSays(stage) {
  const { seen, v, message: { words } } = stage,
    line = stage.lineOf("alibi"),
    most = line.contexts[line.contexts.length - 1];
  const facts = {
    alibi: perplexity(fromContext(line, 2 ** v.seen)),
    seen,
    most,
    all: perplexity(fromContext(line, most)),
  };
  return { big: "{alibi}", caption: words.curtained, facts };
}
