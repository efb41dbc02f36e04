"""Which error a provider's failure is: one table of statuses for the endpoint and every adapter, words for each harness."""

from __future__ import annotations

import pytest

from claw_adapter.errors import (
    EndpointAuthError,
    EndpointError,
    EndpointFilteredError,
    EndpointMalformedError,
    EndpointQuotaError,
    EndpointTransientError,
    endpoint_error,
)

RULES = ((r"content filter", EndpointFilteredError), (r"json", EndpointMalformedError))


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (401, "json", EndpointAuthError),
        (402, "", EndpointQuotaError),
        (403, "", EndpointAuthError),
        (408, "", EndpointTransientError),
        (409, "", EndpointTransientError),
        (425, "", EndpointTransientError),
        (429, "", EndpointQuotaError),
        (500, "json", EndpointTransientError),
        (529, "", EndpointTransientError),
        (400, "the Content Filter said no", EndpointFilteredError),
        (0, "no JSON after the content filter", EndpointFilteredError),
        (0, "this is not JSON", EndpointMalformedError),
        (404, "no such model", EndpointError),
        (0, "", EndpointError),
    ],
)
def test_the_status_decides_where_it_can_and_else_the_first_rule_that_fits(status, text, kind):
    assert endpoint_error(status, text, RULES) is kind
