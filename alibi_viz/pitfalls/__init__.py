"""Mistakes that people made with positions (`table`), and what is in a reader's own numbers (`identify`, `reading`), which
needs no torch.
"""
