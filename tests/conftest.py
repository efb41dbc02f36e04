"""Settings for all tests."""

from hypothesis import settings

# No test asserts a wall-clock time: what is slow on a busy machine is not wrong.
settings.register_profile("claw", deadline=None)
settings.load_profile("claw")
