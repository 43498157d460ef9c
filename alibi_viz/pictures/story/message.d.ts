// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Hands } from "../hands/message.d.ts";
export type Step = { question: string; text: string; gesture: string; after: string };
export type Line = { method: string; name: string; colours: [string, string]; times: number[]; values: number[];
  contexts: number[]; context_values: number[] };
export type Written = { method: string; text: Numbers; words: Numbers; characters: Numbers; near: Numbers; near_words:
  Numbers; near_characters: Numbers; all: number; hidden: number; clamped: number };
export type Drawing = { is_open: boolean; mine: number[]; of_class: Numbers };
export type Message = { hands: Hands; steps: Step[]; weights: Numbers; lines: Line[]; learned: [string, string];
  trained: number; words: Record<string, string>; alt: string; swap: [number, number]; slopes: number[]; thetas:
  number[]; texts: Written[]; prompt: Numbers | null; example: string; language: string; models: Record<string, string>;
  known: string; seeds: number; temperature: number; longest: number; predictions: string; control: number; end:
  string[]; links: [string, string][]; rivals: Record<string, string>; is_han: boolean; drawing: Drawing | null; key:
  string; filename: string; size: "stage" };
