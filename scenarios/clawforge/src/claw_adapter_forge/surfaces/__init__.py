"""The command surfaces: declared once as a grammar, run against a world."""
