// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../core.js";
import type { Hands } from "../hands/message.d.ts";
export type Sentence = { template: string; numbers: Record<string, string>; near: [number, number] | null };
export type Message = { key: string; hands: Hands; parts: Numbers[]; note: Sentence; beside: number; problem: string;
  size: "stage" | "section" };
