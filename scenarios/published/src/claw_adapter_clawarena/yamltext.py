"""Plain data as YAML that `claw_adapter.scenario.yamlsource` reads back as it was, in a form people can read."""

from __future__ import annotations

from typing import Any

__all__ = ["to_yaml"]


def to_yaml(data: Any) -> str:
    """YAML without anchors or tags; texts of several lines as blocks, texts that look like something else in quotes."""
    import yaml

    try:
        from yaml import CSafeDumper as Base
    except ImportError:  # PyYAML without its library in C: the same text, more slowly
        from yaml import SafeDumper as Base  # type: ignore[assignment]

    class Dumper(Base):
        def ignore_aliases(self, data: Any) -> bool:
            del data
            return True

    def text(dumper: Dumper, value: str) -> yaml.ScalarNode:
        style = '"' if _quoted(value) else "|" if "\n" in value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    dumped: str = yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=10**9)
    return dumped


def _quoted(value: str) -> bool:
    """Whether a text must be quoted: a tab would look like indentation, a number like a number."""
    if "\t" in value or any(mark in value for mark in "\r\x85\u2028\u2029\ufeff"):
        return True
    try:
        float(value)
    except ValueError:
        return False
    return True
