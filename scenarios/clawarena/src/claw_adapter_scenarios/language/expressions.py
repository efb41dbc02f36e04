"""Expressions over facts: a small, safe part of Python's syntax."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.language.values import SeriesValue, Value, to_value

__all__ = ["CLAIM_FUNCTIONS", "FUNCTIONS", "UNKNOWN", "calls_in", "evaluate", "names_in", "parse"]

Resolver = Callable[[str], Value]
_CLOCK: Final = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?|\d\d:\d\d")


class _Unknown:
    """The value of a fact of which the evidence says that it cannot be known."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN: Final = _Unknown()

CLAIM_FUNCTIONS: Final = frozenset({"says", "agree", "disagree", "unknown"})
"""Functions about claims and beliefs; a resolver answers them, their arguments are names and not values."""


def _above(series: SeriesValue, limit: float) -> list[datetime]:
    return [reading.at for reading in series.readings if reading.value > limit]


def _below(series: SeriesValue, limit: float) -> list[datetime]:
    return [reading.at for reading in series.readings if reading.value < limit]


FUNCTIONS: Mapping[str, Callable[..., Value]] = MappingProxyType({
    "len": len, "sum": sum, "min": min, "max": max, "abs": abs, "round": round, "sorted": sorted,
    "minutes": lambda v: v.total_seconds() / 60 if isinstance(v, timedelta) else timedelta(minutes=v),
    "hours": lambda v: v.total_seconds() / 3600 if isinstance(v, timedelta) else timedelta(hours=v),
    "days": lambda v: (v.days if isinstance(v, timedelta) else timedelta(days=v)),
    "date": lambda v: v.date() if isinstance(v, datetime) else v,
    "time": lambda v: v.time(),
    "at": lambda day, clock: datetime.combine(day.date() if isinstance(day, datetime) else day, to_value(clock)),
    "int": int, "text": str, "upper": lambda v: str(v).upper(), "lower": lambda v: str(v).lower(),
    "first": lambda v: str(v).split()[0], "if_": lambda c, a, b: a if c else b,
    "peak": lambda s: max(r.value for r in s.readings),
    "lowest": lambda s: min(r.value for r in s.readings),
    "mean": lambda s: sum(r.value for r in s.readings) / len(s.readings),
    "peak_at": lambda s: max(s.readings, key=lambda r: r.value).at,
    "count_above": lambda s, limit: len(_above(s, limit)),
    "minutes_above": lambda s, limit: len(_above(s, limit)) * s.step,
    "first_above": lambda s, limit: _above(s, limit)[0],
    "last_above": lambda s, limit: _above(s, limit)[-1],
    "lowest_at": lambda s: min(s.readings, key=lambda r: r.value).at,
    "count_below": lambda s, limit: len(_below(s, limit)),
    "count_below_until": lambda s, limit, until: sum(at < until for at in _below(s, limit)),
    "minutes_below": lambda s, limit: len(_below(s, limit)) * s.step,
    "first_below": lambda s, limit: _below(s, limit)[0],
    "last_below": lambda s, limit: _below(s, limit)[-1],
    "reading": lambda s, at: next(r.value for r in s.readings if r.at == at),
})  # fmt: skip
"""Functions by name."""

_BINARY: Mapping[type, Callable[[Any, Any], Any]] = MappingProxyType({
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
})  # fmt: skip
_COMPARE: Mapping[type, Callable[[Any, Any], Any]] = MappingProxyType({
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
})  # fmt: skip


@lru_cache(maxsize=8192)
def parse(text: str) -> ast.expr:
    """The syntax tree.

    Raises:
        ScenarioError: it is no expression, or uses what is not allowed here.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        clock = _CLOCK.search(text)
        remedy = (
            f"Quote a moment in an expression: '{clock[0]}'; by itself it is 2026-03-10 21:55."
            if clock
            else "Quote texts and moments, and write comparisons as ==."
        )
        raise ScenarioError(f"not an expression: {text!r}", remedy=remedy) from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            _check_call(node, text)
        elif not isinstance(node, _ALLOWED):
            raise ScenarioError(f"{type(node).__name__} is not allowed in an expression: {text!r}")
    return tree


_ALLOWED = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.Subscript,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.IfExp,
)  # fmt: skip


def _check_call(node: ast.Call, text: str) -> None:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if node.keywords or (name not in FUNCTIONS and name not in CLAIM_FUNCTIONS):
        raise ScenarioError(f"there is no function {name or '?'!r}: {text!r}", remedy=f"Known: {', '.join(FUNCTIONS)}.")


def names_in(text: str) -> tuple[str, ...]:
    """Names of facts that an expression uses, in order, each once; names of claims and functions are none."""
    found: dict[str, None] = {}

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in CLAIM_FUNCTIONS:
                return
            for argument in node.args:
                visit(argument)
            return
        if isinstance(node, ast.Name):
            found[node.id] = None
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(parse(text))
    return tuple(found)


def calls_in(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Calls of claim functions: name and the names that they are given."""
    return tuple(
        (node.func.id, tuple(_claim_name(argument, text) for argument in node.args))
        for node in ast.walk(parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CLAIM_FUNCTIONS
    )


def _claim_name(node: ast.expr, text: str) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise ScenarioError(f"claim functions take names: {text!r}")


def evaluate(text: str, resolve: Resolver, ask: Callable[[str, tuple[str, ...]], Value] | None = None) -> Value:
    """The value of an expression.

    Args:
        text: the expression.
        resolve: value of a name; raises ScenarioError for an unknown one.
        ask: answers claim functions, given the function's name and its arguments' names.

    Raises:
        ScenarioError: it cannot be evaluated.
    """
    try:
        return _value(parse(text), text, resolve, ask)
    except ScenarioError:
        raise
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, StopIteration) as error:
        raise ScenarioError(f"{text!r} cannot be evaluated: {error!r}") from None


def _value(node: ast.expr, text: str, resolve: Resolver, ask: Any) -> Value:  # noqa: C901, PLR0911 - one case per kind of node
    def sub(inner: ast.expr) -> Value:
        return _value(inner, text, resolve, ask)

    if isinstance(node, ast.Constant):
        return to_value(node.value)
    if isinstance(node, ast.Name):
        return resolve(node.id)
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)](sub(node.left), sub(node.right))
    if isinstance(node, ast.UnaryOp):
        operand = sub(node.operand)
        return not operand if isinstance(node.op, ast.Not) else -operand if isinstance(node.op, ast.USub) else +operand
    if isinstance(node, ast.BoolOp):
        values = [bool(sub(value)) for value in node.values]
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.Compare):
        left = sub(node.left)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = sub(right_node)
            if not _COMPARE[type(op)](_plain(left), _plain(right)):
                return False
            left = right
        return True
    if isinstance(node, ast.IfExp):
        return sub(node.body) if sub(node.test) else sub(node.orelse)
    if isinstance(node, ast.List | ast.Tuple):
        return [sub(item) for item in node.elts]
    if isinstance(node, ast.Subscript):
        return sub(node.value)[sub(node.slice)]
    assert isinstance(node, ast.Call)  # noqa: S101 - parse lets nothing else through
    assert isinstance(node.func, ast.Name)  # noqa: S101 - as above
    if node.func.id in CLAIM_FUNCTIONS:
        if ask is None:
            raise ScenarioError(f"{node.func.id}() has no meaning here: {text!r}")
        return ask(node.func.id, tuple(_claim_name(argument, text) for argument in node.args))
    return FUNCTIONS[node.func.id](*(sub(argument) for argument in node.args))


def _plain(value: Value) -> Value:
    """Dates compare with moments by day; floats that came of arithmetic compare as decimals people write."""
    if isinstance(value, float):
        return round(value, 9)
    return (
        value
        if not isinstance(value, date) or isinstance(value, datetime)
        else datetime.combine(value, datetime.min.time())
    )
