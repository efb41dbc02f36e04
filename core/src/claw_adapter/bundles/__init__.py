"""One file with a run for other people, which they can score again without a model; see docs/bundles.md."""
