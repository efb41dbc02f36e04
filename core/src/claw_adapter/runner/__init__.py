"""Running trials: the plan, one trial's loop, the journal, resume, executors."""
