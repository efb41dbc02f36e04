"""Problems of scenario files: collected while reading, so that an author sees all of them at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from claw_adapter.errors import ScenarioError

__all__ = ["MAX_LISTED", "Problem", "Problems", "ScenarioProblems"]

MAX_LISTED = 20
"""How many problems one error message lists; the rest is counted."""

LONGEST = 2000
"""Characters of what is said about one problem."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong; `where` is ``file:line``, `remedy` one sentence."""

    what: str
    where: str
    remedy: str = ""


class ScenarioProblems(ScenarioError):
    """Several problems in one error; `problems` has them all, the message the first 20."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        lines = [f"{p.where}: {p.what}" + (f" ({p.remedy})" if p.remedy else "") for p in problems[:MAX_LISTED]]
        if more := len(problems) - MAX_LISTED:
            lines += [f"and {more} more"] if more > 0 else []
        super().__init__("\n  ".join([f"{len(problems)} problems", *lines]), where=problems[0].where)
        self.problems = problems


@dataclass(slots=True)
class Problems:
    """Collects problems; `raise_any` ends the collecting."""

    found: list[Problem] = field(default_factory=list)

    def add(self, what: str, *, where: str, remedy: str = "") -> None:
        """Note one problem; a field's name may be of any length."""
        self.found.append(Problem(what if len(what) <= LONGEST else f"{what[: LONGEST - 1]}…", where, remedy))

    def absorb(self, error: ScenarioError) -> None:
        """Note what an error says, every problem of it."""
        if isinstance(error, ScenarioProblems):
            self.found.extend(error.problems)
        else:
            self.add(error.what, where=error.where, remedy=error.remedy)

    def raise_any(self) -> None:
        """Raise what was found, if anything.

        Raises:
            ScenarioError: the problem, or a `ScenarioProblems` that lists several.
        """
        if len(self.found) == 1:
            only = self.found[0]
            raise ScenarioError(only.what, where=only.where, remedy=only.remedy)
        if self.found:
            raise ScenarioProblems(tuple(self.found))
