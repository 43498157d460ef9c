// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Picture } from "../hands/message.d.ts";
export type Message = Picture & { tokens: string[]; query: number; heads: number; letters: string[]; ends: number[];
  gates: Numbers; steps: Numbers; match: Numbers; weights: Numbers; model: string; problem: string; most: number;
  steepest: number; colours: Record<string, string[]>; key: string };
