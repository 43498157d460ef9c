// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Picture } from "../hands/message.d.ts";
export type Model = { method: string; name: string; colours: [string, string]; language: string; weights: string; most:
  number; problem: string };
export type Text = { weights: string; text: Numbers; words: Numbers };
export type Language = { known: string; real: number; is_han: boolean };
export type Message = Picture & { models: Model[]; texts: Text[]; choices: string; prompt: Numbers; length: number;
  temperature: number; held_out: Numbers; reader: string; languages: Record<string, Language>; carried: string[];
  train_length: number };
