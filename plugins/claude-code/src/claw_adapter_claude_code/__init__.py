"""The adapter of Claude Code for claw-adapter; `claw_adapter_claude_code.adapter` is the place to start reading."""
