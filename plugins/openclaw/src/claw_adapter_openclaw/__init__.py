"""The adapter of OpenClaw for claw-adapter; `claw_adapter_openclaw.adapter` is the place to start reading."""
