"""Attention blocks to take away: files that stand alone, without the rest of this package."""
