// Written by `python -m tests.message_types` from message.py. An array travels as its number.

export type Chosen = { heads: number; head: number; strength: number; query: number; ratio: number; slopes:
  Record<string, number> };
export type Line = { method: string; name: string; times: number[]; values: number[] };
export type Message = { key: string; sequence: number; text: string; tokens: string[]; ids: number[]; vectors: number;
  closing: number; chosen: Chosen; rows: number; matrix: number | null; lines: Line[]; trained: number; note: string;
  alt: string; words: Record<string, string>; presenting: boolean };
