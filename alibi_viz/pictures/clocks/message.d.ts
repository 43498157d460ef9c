// Written by `python -m tests.message_types` from message.py. An array travels as its number.

export type Dials = { turns: number; hands: number; trained: number; names: string[]; captions: string[] };
export type Position = { channel: string; value: number; sequence: number; glides: boolean; form: "position" };
export type Options = { legend: Record<string, string>; alt: string; follows: Position[]; size: "normal" | "stage";
  filename: string };
