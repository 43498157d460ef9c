// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../core.js";
import type { Hands } from "../hands/message.d.ts";
export type Column = { method: string; name: string; text: Numbers; words: Numbers; characters: Numbers; done: boolean;
  problem: string; place: number };
export type Message = { key: string; hands: Hands; columns: Column[]; prompt: number; end: number; train_length: number;
  real: number; is_han: boolean; words: Record<string, string>; alt: string; filename: string; problem: string; size:
  "stage" };
