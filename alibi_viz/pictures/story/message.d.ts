// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Picture } from "../hands/message.d.ts";
export type Step = { question: string; text: string; gesture: string; after: string };
export type Line = { method: string; name: string; colours: [string, string]; times: number[]; values: number[];
  contexts: number[]; context_values: number[]; is_strong: boolean };
export type Written = { method: string; text: Numbers; words: Numbers; near: Numbers; near_words: Numbers; all: number;
  hidden: number; clamped: number };
export type Drawing = { is_open: boolean; mine: number[]; of_class: Numbers };
export type Message = Picture & { steps: Step[]; weights: Numbers; lines: Line[]; learned: [string, string]; trained:
  number; swap: [number, number]; slopes: number[]; thetas: number[]; texts: Written[]; prompt: Numbers | null; example:
  string; language: string; models: Record<string, string>; known: string; seeds: number; temperature: number; longest:
  number; predictions: string; control: number; end: string[]; links: [string, string][]; rivals: Record<string,
  string>; is_han: boolean; drawing: Drawing | null; key: string; filename: string };
