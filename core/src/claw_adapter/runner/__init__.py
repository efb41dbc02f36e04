"""Running trials: one trial's loop, resume, executors, model servers. What a run leaves on disk is in `claw_adapter.runs`."""
