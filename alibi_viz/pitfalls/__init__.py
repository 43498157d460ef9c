"""Mistakes that people made with positions (`table`), and whether what a reader has equals what was declared: slopes
(`identify`), a bias (`judge`), an attention (`certify`) and a model (`probe`). Only these two need torch.
"""
