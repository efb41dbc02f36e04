"""A run on disk: plan, folder, journal, checkpoints, store, transcript, prices; written and read back. Nothing is started."""
