// Written by `python -m tests.message_types` from message.py. An array travels as its number.

export type Sentence = { words: string[]; free: number; masked: number };
export type Options = { names: Record<string, string>; alt: string; filename: string };
