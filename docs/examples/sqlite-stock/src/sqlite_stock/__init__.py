"""A shop's stock in an SQLite database, as an environment for claw-adapter."""
