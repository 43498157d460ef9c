// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Picture } from "../hands/message.d.ts";
export type Method = { method: string; name: string; colours: [string, string]; losses: Numbers; perplexities: number[];
  verdict: string };
export type Message = Picture & { methods: Method[]; config: Record<string, unknown>; max_distance: Record<string,
  number>; train: Numbers; held_out: Numbers; times: number[]; verdict_at: number; bigram: number; bytes_per_word:
  number; rule: Record<string, number>; few: number; prompt: string; temperature: number; key: string };
