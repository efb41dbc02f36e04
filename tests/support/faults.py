"""What a run makes of each fault that an endpoint's schedule can ask for."""

CLASSES = {
    "refused": "EndpointTransientError", "400": "EndpointError", "context": "EndpointError", "401": "EndpointAuthError",
    "429": "EndpointQuotaError", "500": "EndpointTransientError", "529": "EndpointTransientError",
    "filter": "EndpointFilteredError", "stall": "EndpointTransientError", "cut": "EndpointTransientError",
    "garbage": "EndpointMalformedError", "empty": "EndpointMalformedError",
    "truncated_arguments": "EndpointMalformedError",
}  # fmt: skip
"""Kind of fault → class of the error that the round is unscored with, whatever the harness."""
