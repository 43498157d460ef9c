"""The command line: `python -m alibi_viz`."""
