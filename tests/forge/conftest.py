from __future__ import annotations

import pytest

from claw_adapter_forge.generator.task_sets import generate
from claw_adapter_forge.tasks.spec import ForgeTask


@pytest.fixture(scope="session")
def paper() -> tuple[ForgeTask, ...]:
    """The whole set `paper362` of seed 0."""
    return tuple(generate("paper362", 0))


@pytest.fixture(scope="session")
def one_per_family(paper: tuple[ForgeTask, ...]) -> tuple[ForgeTask, ...]:
    """The first task of each family and variant."""
    found = {(t.meta.family, t.meta.variant): t for t in reversed(paper)}
    return tuple(found.values())
