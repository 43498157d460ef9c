"""What stands beside the app. `install` makes its environment, for everybody; the rest is what maintainers run: collect the
text, train and measure the shipped runs, let them write, verify their numbers.

Not in the wheel. `make pretrained` makes all of it again, `python -m tools.verify` compares it with what is shipped.
"""
