// Written by `python -m tests.message_types` from message.py.

import type { Numbers } from "../unpack.js";
import type { Picture } from "../hands/message.d.ts";
export type Message = Picture & { turns: Numbers; plain: Numbers; trained: Numbers; problem: string; colours:
  string[][]; key: string; filename: string };
