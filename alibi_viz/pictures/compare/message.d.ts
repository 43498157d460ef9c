// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Picture } from "../hands/message.d.ts";
export type Column = { method: string; name: string; colours: [string, string]; is_strong: boolean; acts_on: string;
  adds: string; origin: string; about: string; page: string; cells: Numbers; logsum: Numbers; row: Numbers; row_logsum:
  number; problem: string; perplexity: Record<string, number> };
export type Message = Picture & { columns: Column[]; methods: [string, string][]; tokens: string[]; named: boolean;
  positions: Numbers; count: number; content: Numbers; query: number; row: Numbers; pair: [number, number];
  perplexities: [number, number] };
