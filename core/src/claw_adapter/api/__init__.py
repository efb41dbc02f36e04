"""The Python interface: what `import claw_adapter` offers, and what the commands are made of.

`running` starts runs; `results` opens, sums up and compares them, without anything that runs one; `tables` has their rows.
"""
