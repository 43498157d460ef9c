// Written by `python -m tests.message_types` from message.py. An array travels as its number.

import type { Hands } from "../hands/message.d.ts";
export type Line = { method: string; name: string; times: number[]; values: number[] };
export type Message = { key: string; hands: Hands; tokens: string[]; ids: number[]; vectors: number; closing: number;
  rows: number; plain: number; matrix: number | null; lines: Line[]; trained: number; note: string; alt: string; words:
  Record<string, string>; presenting: boolean; size: "stage" };
