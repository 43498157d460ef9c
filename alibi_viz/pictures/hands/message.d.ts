// Written by `python -m tests.message_types` from message.py.

export type Hand = { key: string; label: string; help: string; visible_when: Record<string, (number | string |
  boolean)[]> | null; advanced: boolean };
export type Slider = Hand & { low: number; high: number; step: number; log: boolean; within: string; typed: boolean;
  kind: "slider" };
export type Choice = Hand & { options: [string, string][]; sets: Record<string, Record<string, number | string |
  boolean>> | null; kind: "choice" | "pick" | "multi_choice" };
export type Switch = Hand & { kind: "switch" };
export type Line = Hand & { longest: number; least: number; most: number; shown: number; refusal: string; kind: "line"
  };
export type Preset = { label: string; values: Record<string, number | string | boolean> };
export type Hands = { hands: (Slider | Choice | Switch | Line)[]; values: Record<string, number | string | boolean>;
  presets: Preset[]; more: string; acknowledged: string; words: Record<string, string>; answered: string[]; states:
  string[] | null; cuts: Record<string, string[]> };
export type Picture = { key: string; hands: Hands; words: Record<string, string>; alt: string; filename: string; size:
  "stage" };
export type Row = { key: string; hands: Hands; size: "row" };
