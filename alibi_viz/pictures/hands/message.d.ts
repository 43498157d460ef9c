// Written by `python -m tests.message_types` from message.py.

export type Hand = { key: string; label: string; help: string; visible_when: Record<string, (number | string |
  boolean)[]> | null; advanced: boolean };
export type Slider = { key: string; label: string; help: string; visible_when: Record<string, (number | string |
  boolean)[]> | null; advanced: boolean; low: number; high: number; step: number; log: boolean; within: string; typed:
  boolean; kind: "slider" };
export type Choice = { key: string; label: string; help: string; visible_when: Record<string, (number | string |
  boolean)[]> | null; advanced: boolean; options: [string, string][]; kind: "choice" };
export type Switch = { key: string; label: string; help: string; visible_when: Record<string, (number | string |
  boolean)[]> | null; advanced: boolean; kind: "switch" };
export type Pick = { key: string; label: string; help: string; visible_when: Record<string, (number | string |
  boolean)[]> | null; advanced: boolean; options: [string, string][]; sets: Record<string, Record<string, number |
  string | boolean>> | null; kind: "pick" };
export type MultiChoice = { key: string; label: string; help: string; visible_when: Record<string, (number | string |
  boolean)[]> | null; advanced: boolean; options: [string, string][]; kind: "multi_choice" };
export type Line = { key: string; label: string; help: string; visible_when: Record<string, (number | string |
  boolean)[]> | null; advanced: boolean; longest: number; least: number; most: number; shown: number; refusal: string;
  kind: "line" };
export type Preset = { label: string; values: Record<string, number | string | boolean> };
export type Hands = { hands: (Slider | Choice | Switch | Pick | MultiChoice | Line)[]; values: Record<string, number |
  string | boolean>; presets: Preset[]; more: string; acknowledged: string; words: Record<string, string>; answered:
  string[]; states: string[] | null; cuts: Record<string, string[]> };
export type Row = { key: string; hands: Hands; size: "row" };
