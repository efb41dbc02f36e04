"""The loopback model endpoint that every harness is pointed at: one process per run, shared by its trials.

The runner uses `ModelEndpoint` (claw_adapter.endpoint.client); `EndpointServer` (claw_adapter.endpoint.server) is the same
thing inside the own process, for tests; `read_transcript` reads what was recorded.
"""

from claw_adapter.endpoint.client import ModelEndpoint
from claw_adapter.endpoint.records import RoundMeter
from claw_adapter.endpoint.transcript import Exchange, read_transcript

__all__ = ["Exchange", "ModelEndpoint", "RoundMeter", "read_transcript"]
