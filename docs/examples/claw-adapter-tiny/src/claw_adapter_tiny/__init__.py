"""A third-party plugin: an adapter for the tiny agent."""
