"""The adapter of PicoClaw for claw-adapter; `claw_adapter_picoclaw.adapter` is the place to start reading."""
