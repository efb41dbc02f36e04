"""Data sets: what is wrong with one and how large it is, as ``scenario/1`` or in a format that a plugin reads."""
