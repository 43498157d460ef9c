// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Hands } from "../hands/message.d.ts";
export type Column = { method: string; name: string; acts_on: string; adds: string; origin: string; about: string; page:
  string; cells: Numbers; logsum: Numbers; row: Numbers; row_logsum: number; problem: string; perplexity: Record<string,
  number> };
export type Message = { key: string; hands: Hands; columns: Column[]; methods: [string, string][]; tokens: string[];
  named: boolean; positions: Numbers; count: number; content: Numbers; query: number; row: Numbers; pair: [number,
  number]; perplexities: [number, number]; words: Record<string, string>; alt: string; filename: string; size: "stage"
  };
