"""Optional drafting of prose by a model: proposals beside a spec, each checked, none applied by itself."""

from claw_adapter_scenarios.drafting.run import Draft, draft

__all__ = ["Draft", "draft"]
