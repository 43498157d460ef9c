// Written by `python -m tests.message_types` from message.py. An array travels as its number.

import type { Hands } from "../hands/message.d.ts";
export type Message = { hands: Hands; distances: number; slopes: number[]; families: number[]; weights: number; words:
  Record<string, string>; alt: string; filename: string; problem: string; key: string; size: "stage" };
