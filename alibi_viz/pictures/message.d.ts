// Written by `python -m tests.message_types` from message.py.

