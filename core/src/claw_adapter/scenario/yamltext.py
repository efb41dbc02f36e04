"""YAML as scenario files hold it, written: what :func:`~claw_adapter.scenario.yamlsource.read_yaml` gives back as it was."""

from __future__ import annotations

from functools import cache
from typing import Any

from claw_adapter.scenario.yamlsource import plain_value

__all__ = ["yaml_text"]


def yaml_text(data: Any, *, width: int = 110, flow: bool | None = False, blocks: bool = False) -> str:
    """Plain data as YAML, in the order that it has and without anchors.

    PyYAML knows the numbers of YAML 1.1 only and would leave a text such as ``0E0`` without quotes, which readers of YAML 1.2
    take for a number.

    Args:
        data: mappings, lists, texts, numbers, truth values, None.
        width: how long a line gets before it is folded.
        flow: None writes collections without collections in them as ``[…]`` and ``{…}``.
        blocks: whether texts of several lines stand as blocks (``|``).
    """
    import yaml

    text: str = yaml.dump(
        data, Dumper=_dumper(blocks), sort_keys=False, allow_unicode=True, width=width, default_flow_style=flow
    )
    return text


@cache
def _dumper(blocks: bool) -> type[Any]:
    try:
        from yaml import CSafeDumper as Base
    except ImportError:  # PyYAML without its library in C: the same text, more slowly
        from yaml import SafeDumper as Base  # type: ignore[assignment]

    class Dumper(Base):
        def ignore_aliases(self, data: Any) -> bool:
            del data
            return True

    def text(dumper: Dumper, value: str) -> Any:
        style = "'" if not isinstance(plain_value(value), str) else "|" if blocks and "\n" in value else None
        style = '"' if _indents(value) else style
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return Dumper


def _indents(value: str) -> bool:
    """Whether a sign in it would look like indentation, or like the end of a line."""
    return any(mark in value for mark in "\t\r\x85\u2028\u2029\ufeff")
