// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Hands } from "../hands/message.d.ts";
export type Axis = { start: number; step: number; labels: string[] | null; name: string };
export type Colours = { quantity: "content" | "bias" | "weight"; domain: [number, number] | null; scale: "linear" |
  "sqrt"; from_top: boolean };
export type Model = { total: number; content: Numbers | null; slope: number; future: number; form: "causal" |
  "symmetric" | "two_sided" | "key_only"; strength: number; causal: boolean; head: number };
export type Panel = { title: string; values: Numbers; colours: Colours; caption: string; model: Model | null; stage:
  "content" | "bias" | "masked" | "weights" | null; key: string };
export type Mark = { row0: number; col0: number; row1: number; col1: number; label: string };
export type Readout = { allowed: string; masked: string; empty: string; ahead: string };
export type View = { panels: Panel[]; rows: Axis; cols: Axis; marks: Mark[]; readout: Readout | null; follows:
  Record<string, "strength" | "heads" | "length" | "words"> | null; most: number; size: "normal" | "large" | "stage" |
  "thumb" | "beside"; fills: boolean; zoomable: boolean; picked: number | null; front: number[]; filename: string; alt:
  string };
export type Sentence = { template: string; numbers: Record<string, string>; near: [number, number] | null; few: string
  };
export type Trained = { weights: string; view: View; square: string; note: Sentence; limits: number[]; slopes: number[]
  | null; most: number; cut: string };
export type Message = { key: string; hands: Hands; views: View[]; note: Sentence; beside: number; problem: string; size:
  "stage" | "section"; trained: Record<string, Trained> };
