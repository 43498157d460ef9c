// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Hands } from "../hands/message.d.ts";
export type Message = { hands: Hands; turns: Numbers; plain: Numbers; trained: Numbers; words: Record<string, string>;
  alt: string; problem: string; colours: string[][]; key: string; filename: string; size: "stage" };
