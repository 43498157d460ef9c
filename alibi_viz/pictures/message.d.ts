// Written by `python -m tests.message_types` from message.py. An array travels as its number.

