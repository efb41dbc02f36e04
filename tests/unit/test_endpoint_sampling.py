"""What changes what the model says is the run's, whatever a harness asks for."""

import pytest

from claw_adapter.endpoint.sampling import asked, effective
from claw_adapter.protocol import ModelSpec

OF_DIALECTS = {
    "chat": ("temperature", "top_p", "presence_penalty", "frequency_penalty", "logit_bias", "seed", "n", "reasoning_effort"),
    "responses": ("temperature", "top_p", "reasoning"),
    "messages": ("temperature", "top_p", "top_k", "thinking"),
    "llama.cpp and vLLM": ("top_k", "min_p", "typical_p", "repeat_penalty", "repetition_penalty", "best_of"),
}  # fmt: skip
"""By the documents of each, not by our list."""


@pytest.mark.parametrize("dialect", OF_DIALECTS)
def test_what_a_harness_asks_of_sampling_is_noted_and_does_not_reach_the_model(dialect):
    wishes = dict.fromkeys(OF_DIALECTS[dialect], 1)
    spec = ModelSpec(name="m", kind="scripted", params={"temperature": 0})
    assert effective(spec, {**wishes, "tools": []}) == {"temperature": 0, "tools": []}
    assert asked(wishes, "theirs") == {"model": "theirs", **wishes}
    passing = ModelSpec(name="m", kind="scripted", params={"temperature": 0}, sampling="pass")
    assert effective(passing, wishes) == {"temperature": 0} | wishes
