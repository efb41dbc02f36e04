"""The loopback model endpoint that every harness is pointed at: one process per run, shared by its trials.

The runner uses `ModelEndpoint` (claw_adapter.endpoint.client); `EndpointServer` (claw_adapter.endpoint.server) is the same
thing inside the own process, for tests. What was recorded is read by `claw_adapter.runs.transcript`.
"""

from claw_adapter.endpoint.client import ModelEndpoint
from claw_adapter.endpoint.records import RoundMeter, Standing

__all__ = ["ModelEndpoint", "RoundMeter", "Standing"]
