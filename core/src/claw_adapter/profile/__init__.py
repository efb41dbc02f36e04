"""What a harness costs, keeps and does at its limits, measured offline from its requests: `profile`. See docs/profile.md."""

from claw_adapter.profile.records import Figure, Profile, read_profile
from claw_adapter.profile.run import profile
from claw_adapter.profile.tables import to_pandas

__all__ = ["Figure", "Profile", "profile", "read_profile", "to_pandas"]
