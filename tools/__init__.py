"""What maintainers run: collect the text, train and measure the shipped runs, let them write, verify their numbers.

Not in the wheel. `make pretrained` makes all of it again, `python -m tools.verify` compares it with what is shipped.
"""
