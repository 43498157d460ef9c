// Written by `python -m tests.message_types` from message.py. An array travels as its number.

export type WindowPlan = { read: number; counted: number; context: number; other: number };
export type Settings = { window: number; stride: number; least: number; sliding: boolean };
export type Dragged = { channel: string; value: number; sequence: number; glides: boolean; form: "window" | "stride" |
  "least" };
export type Options = { names: Record<string, string>; readout: Record<string, string>; alt: string; follows: Dragged[];
  size: "normal" | "stage"; filename: string };
