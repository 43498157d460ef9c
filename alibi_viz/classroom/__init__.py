"""Rooms of a class, and the addresses at which its phones reach this machine."""
