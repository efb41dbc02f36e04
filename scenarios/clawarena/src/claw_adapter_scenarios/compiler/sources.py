"""What can be named as a source at a round: files and conversations, by all their names, and what each is evidence of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.compiler.beliefs import Beliefs, feature
from claw_adapter_scenarios.compiler.material import Material
from claw_adapter_scenarios.language.expressions import names_in

__all__ = ["Sources"]


class Sources:
    """The sources of one round."""

    def __init__(self, material: Material, starts: Mapping[str, int], beliefs: Beliefs) -> None:
        self.beliefs = beliefs
        here = beliefs.index
        files = {*material.files, *(c.path for c in material.changes if starts[c.update] <= here)}
        arriving = {gain.session for gain in material.gains if starts[gain.update] > here}
        present = {*material.sessions, *(gain.session for gain in material.gains if starts[gain.update] <= here)}
        sessions = [one for one in material.entries if one.id in present - (arriving - set(material.sessions))]
        names = {path: [PurePosixPath(path).stem] for path in sorted(files)}
        names |= {
            one.id: [one.title, f"{one.channel} {one.title}", f"{one.id}.md", f"histories/{one.id}.md"]
            for one in sessions
        }
        used = Counter(other.casefold() for others in names.values() for other in {*others})
        taken = {name.casefold() for name in names}
        self.known = {
            name: [
                one
                for one in dict.fromkeys(others)
                if one and used[one.casefold()] == 1 and one.casefold() not in taken
            ]
            for name, others in names.items()
        }

    def group(self, text: str) -> list[str]:
        """The sources that ``a|b`` may mean.

        Raises:
            ScenarioError: nothing that can be seen has such a name.
        """
        found = dict.fromkeys(name for part in text.split("|") for name in self._called(part))
        if not found:
            raise ScenarioError(
                f"no file or conversation that can be seen at this round is called {text!r}",
                remedy="Name its path, the file's name, or the conversation's id or title.",
            )
        return list(found)

    def _called(self, part: str) -> list[str]:
        wanted = part.casefold()
        exact = [n for n, others in self.known.items() if wanted in (n.casefold(), *(one.casefold() for one in others))]
        return exact or [n for n, others in self.known.items() if any(wanted in one.casefold() for one in (n, *others))]

    def evidence(self, facts: Iterable[str], claims: Iterable[str]) -> set[str]:
        """The sources with a right claim about one of the facts or what it is made of, or with a claim that is compared."""
        wanted, compared = self._parts(facts), set(claims)
        return {
            claim.place.partition("/")[2]
            for claim in self.beliefs.visible
            if claim.place.partition("/")[2] in self.known
            and (claim.fragment in compared or (claim.fact in wanted and self._right(claim.fact, claim.value)))
        }

    def _right(self, fact: str, value: object) -> bool:
        return bool(feature(self.beliefs.value(fact)) == feature(value))

    def _parts(self, facts: Iterable[str]) -> set[str]:
        found: set[str] = set()
        left = list(facts)
        while left:
            name = left.pop()
            fact = self.beliefs.canon.spec.truth.facts.get(name)
            if name not in found and fact is not None:
                found.add(name)
                left += names_in(fact.expr) if fact.expr is not None else ()
        return found
