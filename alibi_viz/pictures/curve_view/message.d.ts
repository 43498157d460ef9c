// Written by `python -m tests.message_types` from message.py. An array travels as its number.

export type Axis = { name: string; low: number; high: number; ticks: number[]; log: boolean; whole: boolean; slopes:
  boolean };
export type Family = { name: string; look: string; dash: string };
export type Curve = { values: number; facts: Record<string, number | string>; family: number; bold: boolean; faint:
  boolean; xs: number | null };
export type Labels = { text: string; at: number[]; first: string; family: number; most: number };
export type Mark = { at: number; name: string };
export type Heads = { channel: string; value: number; sequence: number; glides: boolean; rule: "paper" | "plain" |
  "blog"; max_bias: number; form: "heads" };
export type Slope = { channel: string; value: number; sequence: number; glides: boolean; curves: number[]; exponent:
  boolean; form: "slope" };
export type Readout = { curve: string; empty: string };
export type Options = { families: Family[]; labels: Labels | null; mark: Mark | null; readout: Readout; form: "decay" |
  "penalty" | null; hand: number[] | null; follows: (Heads | Slope)[]; label: string | null; locked: number[]; size:
  "normal" | "stage" | "side"; filename: string; markers: number; empty: string };
