"""Rooms of a class, and what the servers of one class share."""
