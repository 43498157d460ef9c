// Written by `python -m tests.message_types` from message.py. An array travels as its number.

export type Axis = { name: string; low: number; high: number; ticks: number[]; log: boolean; whole: boolean; slopes:
  boolean };
export type Family = { name: string; look: string; dash: string };
export type Curve = { values: number; facts: Record<string, number | string>; family: number; bold: boolean; faint:
  boolean; xs: number | null };
export type Labels = { text: string; at: number[]; first: string; family: number; most: number };
export type Mark = { at: number; name: string };
export type Readout = { curve: string; empty: string };
export type Options = { families: Family[]; labels: Labels | null; mark: Mark | null; readout: Readout; form: "decay" |
  null; label: string | null; locked: number[]; size: "normal" | "stage"; filename: string; markers: number; empty:
  string; further: Record<string, unknown> };
