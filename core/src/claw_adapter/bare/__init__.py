"""The bare loop (Algorithm 1 of the ClawForge paper) as a harness: one command per reply, which the environment executes."""
