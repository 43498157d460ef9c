// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Hands } from "../hands/message.d.ts";
export type Message = { hands: Hands; distances: Numbers; slopes: number[]; families: number[]; weights: Numbers; words:
  Record<string, string>; alt: string; filename: string; problem: string; colours: string[][]; key: string; size:
  "stage" };
