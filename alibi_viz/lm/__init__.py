"""The tiny language model: text, training, evaluation, and runs on disk."""
