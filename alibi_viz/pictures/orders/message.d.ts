// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../core.js";
import type { Hands } from "../hands/message.d.ts";
export type Message = { hands: Hands; sentence: string[]; order: number[]; content: Numbers; before: Numbers; weights:
  Numbers; slope: number; words: Record<string, string>; alt: string; problem: string; colours: [string, string]; key:
  string; filename: string; size: "stage" };
