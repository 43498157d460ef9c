"""What runs gave: the shipped ones, published tables, the reader of trained models, and all runs in one form."""
