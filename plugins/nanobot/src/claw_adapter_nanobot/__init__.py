"""The adapter of NanoBot for claw-adapter; `claw_adapter_nanobot.adapter` is the place to start reading."""
