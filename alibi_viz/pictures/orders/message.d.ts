// Written by `python -m tests.message_types` from message.py. An array travels as its number.

import type { Hands } from "../hands/message.d.ts";
export type Message = { hands: Hands; sentence: string[]; order: number[]; content: number; before: number; weights:
  number; slope: number; words: Record<string, string>; alt: string; problem: string; key: string; filename: string;
  size: "stage" };
