"""Suites: which specs belong together, what their figures should be, built, held to rules, and cached for runs."""
