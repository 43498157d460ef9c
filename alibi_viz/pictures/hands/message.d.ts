// Written by `python -m tests.message_types` from message.py.

export type Hand = { key: string; label: string; help: string; where: Record<string, (number | string | boolean)[]> |
  null; further: boolean };
export type Slider = { key: string; label: string; help: string; where: Record<string, (number | string | boolean)[]> |
  null; further: boolean; low: number; high: number; step: number; log: boolean; within: string; typed: boolean; kind:
  "slider" };
export type Choice = { key: string; label: string; help: string; where: Record<string, (number | string | boolean)[]> |
  null; further: boolean; options: [string, string][]; kind: "choice" };
export type Switch = { key: string; label: string; help: string; where: Record<string, (number | string | boolean)[]> |
  null; further: boolean; kind: "switch" };
export type Pick = { key: string; label: string; help: string; where: Record<string, (number | string | boolean)[]> |
  null; further: boolean; options: [string, string][]; sets: Record<string, Record<string, number | string | boolean>> |
  null; kind: "pick" };
export type Several = { key: string; label: string; help: string; where: Record<string, (number | string | boolean)[]> |
  null; further: boolean; options: [string, string][]; kind: "several" };
export type Line = { key: string; label: string; help: string; where: Record<string, (number | string | boolean)[]> |
  null; further: boolean; longest: number; kind: "line" };
export type Preset = { label: string; values: Record<string, number | string | boolean> };
export type Hands = { hands: (Slider | Choice | Switch | Pick | Several | Line)[]; values: Record<string, number |
  string | boolean>; presets: Preset[]; more: string; heard: string; words: Record<string, string> };
