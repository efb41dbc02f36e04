"""Layer 3: rounds, options as predicates over facts, checks as predicates over artefacts, preferences."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from claw_adapter.protocol.base import Record
from claw_adapter.protocol.gold import Regex
from claw_adapter.protocol.scenario import Identifier
from claw_adapter_scenarios.spec.common import Expression, Name, Text

__all__ = [
    "FieldRule",
    "FileRule",
    "Follow",
    "OptionSpec",
    "PreferenceSpec",
    "RoundSpec",
    "Rounds",
    "RowsRule",
    "ScriptRule",
    "SectionRule",
    "UnseenRule",
]

Dimension = Literal["output_format", "artefact_naming", "document_structure", "analytical_style", "tone"]
Form = Literal[
    "", "hm", "date", "HH:MM", "YYYY-MM-DD", "YYYY-MM-DD HH:MM", "YYYY-MM-DDTHH:MM:SS", "ISO 8601", "number", "full"
]  # fmt: skip
"""How a value is asked for: in a notation that is then the only right one, a number of JSON, a full name."""
Stage = Literal["calibration", "feedback", "session_implicit", "silent"]


class OptionSpec(Record):
    """A statement: its text, and the predicate that decides it from what is known at the round."""

    condition: Expression = Field(alias="if")
    text: Text
    why: Text = Field("", description="Feedback on it; otherwise made of where its evidence stands.")
    hasty: bool | None = Field(None, description="What a careless reader says; otherwise the opposite of the answer.")
    always: bool = Field(False, description="Where options are drawn: this one is asked in any case.")


class FieldRule(Record):
    """What a value must be: a field of JSON, or what stands behind a label. One of `equals`, `list`, `cites`, `same_as`."""

    equals: Expression | None = Field(None, description="M1: an expression.")
    type: dict[str, JsonValue] | None = Field(
        None,
        alias="as",
        description="How it is read and compared: a type of claw_adapter.values; otherwise by the value.",
    )
    tolerance: Annotated[float, Field(ge=0)] = 0.0
    form: Form = Field(
        "", description="The form that the question asks for, or `hm` or `date` of a moment in any notation."
    )
    accept: tuple[Text, ...] = Field((), description="Other texts that say the same.")
    list: tuple[Expression, ...] = Field((), description="The entries of a list, in any order.")
    cites: tuple[Text, ...] = Field((), description="M2: these sources and no others (a|b: either of them).")
    may: tuple[Text, ...] | None = Field(
        None, description="What may be named beside `cites`: these; without it, what is evidence of the same facts."
    )
    same_as: str = Field("", description="M3: file#field of another artefact, or file#sum:column of a table.")

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = (self.equals is not None, bool(self.list), bool(self.cites), bool(self.same_as))
        if sum(given) != 1:
            raise ValueError("exactly one of 'equals', 'list', 'cites', 'same_as'")
        return self


class SectionRule(Record):
    """A heading that must be there once. With `labels`, the lines ``Label: value`` below it; without, prose."""

    title: Text
    labels: dict[str, FieldRule] = Field(default_factory=dict, description="What stands behind each label.")
    prose: Text = Field("", description="Sentences that an oracle writes there, below its labels if it has any.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.labels or self.prose):
            raise ValueError("a section without 'labels' has 'prose', which the oracle writes there")
        return self


class RowsRule(Record):
    """The rows of a CSV artefact: every row is there, once, and no other. Cells are templates, or ``=expression``."""

    columns: tuple[str, ...] = Field(min_length=1)
    key: Annotated[int, Field(ge=1)] = Field(1, description="So many first columns tell rows apart.")
    rows: tuple[tuple[JsonValue, ...], ...] = Field(min_length=1)
    types: dict[str, dict[str, JsonValue]] = Field(
        default_factory=dict, alias="as", description="Type by column; otherwise by the values in it."
    )
    tolerance: Annotated[float, Field(ge=0)] = 0.0
    form: Literal["", "HH:MM", "YYYY-MM-DD"] = Field(
        "", description="The form that the question asks for its times or days in."
    )

    @model_validator(mode="after")
    def _shape(self) -> Self:
        if any(len(row) != len(self.columns) for row in self.rows) or self.key > len(self.columns):
            raise ValueError("every row has a cell per column, and the key is no wider than that")
        if unknown := set(self.types) - set(self.columns):
            raise ValueError(f"'as' names no column {', '.join(sorted(unknown))}")
        return self


class UnseenRule(Record):
    """How an input file is changed for runs that nobody has seen. Tables are changed by column, other files by `replace`."""

    draw: dict[str, tuple[float, float]] = Field(
        default_factory=dict, description="Columns of numbers that are drawn anew, each between two bounds."
    )
    permute: tuple[str, ...] = Field((), description="Columns whose values change places.")
    drop: Annotated[int, Field(ge=0)] = Field(0, description="So many rows are left out.")
    keep: Text = Field("", description="Rows with this text in them are neither left out nor permuted.")
    replace: dict[Text, tuple[Text, ...]] = Field(
        default_factory=dict, description="Text by what stands in its place in each of the runs, three or more."
    )

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.draw or self.permute or self.drop or self.replace):
            raise ValueError("one of 'draw', 'permute', 'drop', 'replace' says what changes")
        return self


class ScriptRule(Record):
    """M5: a program. It is run on the workspace as it is and on unseen inputs, and prints each result as ``name=value``."""

    arguments: tuple[Text, ...] = ()
    prints: dict[Name, FieldRule] = Field(min_length=1, description="What each result is on the inputs that are there.")
    unseen: dict[Text, UnseenRule] = Field(
        min_length=1, description="Input files by path; what is right on them is what the oracle prints."
    )
    oracle: str = Field(description="A program that does it (Python, standard library); <<name|format>> is a field.")
    hasty: str = Field(description="A program that does it wrongly.")


class FileRule(Record):
    """One artefact. A `json` has `fields`, a `csv` has `rows`, a `markdown` has `sections`, a `python` a `script`."""

    path: Text = Field(description="Where a plain reader writes it.")
    find: Text = Field("", description="Glob by which the check finds it, when its name is the agent's choice.")
    format: Literal["json", "csv", "markdown", "python"]
    fields: dict[str, FieldRule] = Field(default_factory=dict, description="Dots go into objects: disputed.agreed.")
    strict: bool = Field(False, description="M4: no other fields than these.")
    rows: RowsRule | None = None
    sections: tuple[SectionRule, ...] = ()
    lacks: tuple[Text, ...] = Field((), description="M6: what must not be there, as words of their own.")
    script: ScriptRule | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        has = {
            "json": bool(self.fields), "csv": self.rows is not None, "python": self.script is not None,
            "markdown": bool(self.sections),
        }  # fmt: skip
        if not has[self.format]:
            raise ValueError(f"a {self.format} artefact says what must be in it")
        return self


class Follow(Record):
    """How the oracle follows a preference; the plain reader does nothing of it."""

    rename: Text = Field("", description="New file name; {stem} and {suffix} are those of the plain one.")
    prepend: Text = ""
    append: Text = ""
    labels: Literal["", "table"] = Field("", description="`table`: labels and values are rows of a table.")
    answer: Text = Field("", description="What the reply says.")


class PreferenceSpec(Record):
    """A habit of the user: taught by its feedback, silently examined later. Rule fields as in scenario/1."""

    dimension: Dimension
    rule: Text
    files: str = ""
    answer: bool = False
    name: Regex | None = None
    contains: Regex | None = None
    lacks: Regex | None = None
    format: Literal["json", "csv", "yaml", "markdown"] | None = None
    headings: Annotated[int, Field(ge=1)] | None = None
    correct: Text = ""
    incorrect: Text = Field(description="Said when the rule was not kept; the sentence that teaches it (one line).")
    follow: Follow

    @model_validator(mode="after")
    def _decidable(self) -> Self:
        if self.answer == bool(self.files):
            raise ValueError("a preference applies either to 'files' or to the 'answer'")
        if not any((self.name, self.contains, self.lacks, self.format, self.headings)):
            raise ValueError("a preference needs one of 'name', 'contains', 'lacks', 'format', 'headings'")
        if self.answer and (self.name or self.format or self.headings):
            raise ValueError("on the 'answer' only 'contains' and 'lacks' apply")
        return self


class RoundSpec(Record):
    """One question."""

    id: Identifier
    type: Literal["multi_choice", "exec_check", "preference", "revision"]
    ask: Text
    dimensions: tuple[Literal["MS", "DU", "P"], ...] = Field(min_length=1)
    skill: Literal["recall", "reasoning"]
    updates: tuple[Identifier, ...] = ()
    options: tuple[OptionSpec, ...] = Field((), description="Of a revision: those of the revised round when empty.")
    draw: Annotated[int, Field(ge=3, le=10)] | None = Field(
        None, description="So many of the options are asked, drawn by seed: two or more true ones, and a false one."
    )
    files: tuple[FileRule, ...] = ()
    needs: tuple[Name, ...] = Field((), description="Facts that the work needs beyond those in its predicates.")
    of: Identifier | None = Field(None, description="The round that a revision revises.")
    stage: Stage | None = None
    teach: tuple[Name, ...] = ()
    exam: tuple[Name, ...] = ()
    correct: Text = ""
    incorrect: Text = ""
    goal: Text = Field("", description="Question goal, for the documents of the spec.")
    shallow: Text = Field("", description="How a shallow agent fails.")
    limits: bool = Field(False, description="It asks about epistemic limits: what cannot be known yet.")
    timeout: Annotated[float, Field(gt=0, le=600)] = 30.0

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.type == "multi_choice" and not self.options:
            raise ValueError("a multi_choice round has options")
        if self.draw is not None and self.draw >= len(self.options):
            raise ValueError("'draw' is fewer than there are options")
        if self.type == "revision" and not self.of:
            raise ValueError("a revision says which round it revises ('of')")
        if self.type in ("exec_check", "preference") and not self.files:
            raise ValueError(f"a {self.type} round has files")
        if self.type == "preference" and not self.exam:
            raise ValueError("a preference round examines something ('exam')")
        return self


class Rounds(Record):
    """``3-rounds.yaml``."""

    preferences: dict[Name, PreferenceSpec] = Field(default_factory=dict)
    rounds: tuple[RoundSpec, ...] = Field(min_length=1)
