// The elements of the playground, and the words in them.

import { make } from "../shared.js";
import { buildMatrices } from "./matrices.js";
import { COUNTS, STRONGEST } from "./store.js";

/** Everything but the chips, whose number follows the heads. @param {Record<string, string>} words */
export function buildPlayground(host, words) {
  const root = make("div", "playground"), stage = make("div", "stage"), controls = make("div", "controls");
  const hero = make("div", "hero"), lower = make("div", "lower"), pairs = make("div", "pairs"), beat = make("div", "beat");
  const parts = {
    root, stage, hero,
    trouble: make("div", "trouble", { role: "alert", hidden: "" }),
    text: make("input", "text", { type: "text", "aria-label": words.text, spellcheck: "false", autocomplete: "off", maxlength: "20000" }),
    heads: make("span", "seg", { role: "radiogroup", "aria-label": words.heads }),
    strength: make("input", "", { type: "range", min: "0", max: String(STRONGEST), step: "0.05", "aria-label": words.strength }),
    strong: make("output"),
    undo: make("button", "icon undo", { type: "button", title: words.undo, "aria-label": words.undo }, "↶"),
    reset: make("button", "icon reset", { type: "button", title: words.reset, "aria-label": words.reset }, "↺"),
    png: make("button", "icon png", { type: "button", title: words.png, "aria-label": words.png }, "⤓"),
    canvas: make("canvas", "arcs", { tabindex: "0", role: "slider", "aria-label": words.slope, "aria-valuemin": "-10", "aria-valuemax": "1" }),
    legend: make("div", "legend"),
    big: make("span", "big"),
    near: make("span", "key"),
    plain: make("span", "key ghost"),
    pull: make("button", "pull", { type: "button", role: "slider", "aria-label": words.pull_label, "aria-valuemin": "1" }),
    read: make("p", "read", { role: "status" }),
    chips: make("div", "chips", { role: "radiogroup", "aria-label": words.head }),
    eq: make("div", "eq"),
    said: make("p", "said"),
    plot: make("div", "plot"),
    lines: make("canvas", "lines", { tabindex: "0", role: "slider", "aria-label": words.longer, "aria-valuemin": "1", "aria-valuemax": "16" }),
    note: make("p", "note", { role: "status" }),
    alt: make("div", "alt"),
  };
  const headsField = make("div", "field hd"), strengthField = make("label", "field st");
  headsField.append(make("span", "", {}, words.heads), parts.heads);
  strengthField.append(make("span", "", {}, words.strength), parts.strength, parts.strong);
  controls.append(parts.text, headsField, strengthField, parts.undo, parts.reset, parts.png);
  for (const count of COUNTS) {
    parts.heads.append(make("button", "", { type: "button", role: "radio", "data-heads": String(count) }, String(count)));
  }
  parts.legend.append(parts.big, parts.near, parts.plain);
  hero.append(parts.canvas, parts.legend, parts.pull);
  pairs.append(make("h2", "", {}, words.pairs), parts.eq, make("p", "hint", {}, words.made_up));
  parts.plot.append(parts.lines);
  beat.append(make("h2", "", {}, words.longer), parts.said, parts.plot, make("p", "hint", {}, words.two_beats));
  lower.append(pairs, beat);
  stage.append(controls, hero, parts.read, parts.note, parts.chips, lower);
  root.append(parts.trouble, stage, parts.alt);
  host.append(root);
  return { ...parts, matrices: buildMatrices(parts.eq, words) };
}
