// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Hands } from "../hands/message.d.ts";
export type Line = { method: string; name: string; colours: [string, string]; is_strong: boolean; times: number[];
  values: number[] };
export type Message = { key: string; hands: Hands; rows: Numbers; plain: Numbers; matrix: Numbers | null; lines: Line[];
  trained: number; note: string; alt: string; words: Record<string, string>; presenting: boolean; filename: string;
  size: "stage" };
