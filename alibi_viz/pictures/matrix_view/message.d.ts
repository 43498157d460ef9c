// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../core.js";
export type Axis = { start: number; step: number; labels: string[] | null; name: string };
export type Colours = { quantity: "content" | "bias" | "scores" | "weight"; domain: [number, number]; scale: "linear" |
  "sqrt"; follows: "fixed" | "whole" | "top" };
export type Model = { content: Numbers | [Numbers, Numbers, number] | null; slope: number; future_slope: number | null;
  form: "causal" | "symmetric" | "two_sided" | "key_only"; strength: number; causal: boolean; logsum: Numbers | null;
  total: number | null; head: number };
export type Follow = { channel: string; value: number };
export type Strength = { channel: string; value: number; form: "strength" };
export type Heads = { channel: string; value: number; future: number; form: "heads" };
export type Length = { channel: string; value: number; row: number; col: number; span: number; most: number; marks:
  Mark[]; form: "length" };
export type Panel = { title: string; values: Numbers; colours: Colours; caption: string; model: Model | null; stage:
  "content" | "bias" | "scores" | "masked" | "weights" | null; key: string; live_title: string; live_caption: string };
export type Mark = { row0: number; col0: number; row1: number; col1: number; label: string };
export type Readout = { allowed: string; masked: string; empty: string; ahead: string };
export type Options = { rows: Axis; cols: Axis; marks: Mark[]; readout: Readout; follows: (Strength | Heads | Length)[];
  size: "normal" | "large" | "stage" | "thumb" | "beside"; fills: boolean; zoomable: boolean; locked: number[]; picked:
  number; front: number[]; filename: string; alt: string };
