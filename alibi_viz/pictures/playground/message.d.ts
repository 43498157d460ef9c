// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Picture } from "../hands/message.d.ts";
import type { Line } from "../story/message.d.ts";
export type Message = Picture & { rows: Numbers; plain: Numbers; matrix: Numbers | null; lines: Line[]; trained: number;
  note: string; filename: string };
