"""Rooms of a class, what its servers share, how many readers one of them can hold, and what the others see."""
