"""The tables as Markdown, and as one HTML page with the state difference of every failed task."""

from __future__ import annotations

from typing import Any

from claw_adapter_forge.report.tables import Records
from claw_adapter_forge.tasks.spec import STYLES

__all__ = ["render_html", "render_markdown"]

Table = tuple[str, list[str], list[list[str]]]


def _pct(row: dict[str, Any]) -> str:
    return f"{100 * row['accuracy']:.1f} [{100 * row['low']:.0f}–{100 * row['high']:.0f}]" if row["n"] else "–"


def _share(value: float | None, sign: str = "") -> str:
    return "–" if value is None else f"{100 * value:{sign}.1f}"


def _grid(title: str, data: dict[str, dict[str, Any]], cell: Any, first: str = "") -> Table:
    """Rows are the inner keys, columns the agents."""
    agents = list(data)
    keys = list(next(iter(data.values()))) if data else []
    rows = [[key, *(cell(data[a][key]) if key in data[a] else "–" for a in agents)] for key in keys]
    return title, [first, *agents], rows


def _behaviour(summary: dict[str, Any]) -> Table:
    names = {
        "guard_violation_rate": "broke the frame %",
        "forbidden_rate": "did what is forbidden %",
        "unread_decisive": "acted before reading a decisive fact %",
        "redundant_reads": "redundant commands %",
        "bypass_rate": "used a tool beside the world %",
    }
    rows = [
        [agent, f"{row['steps']:.1f}", *(f"{100 * row[name]:.1f}" for name in names)]
        for agent, row in summary["table_1"].items()
    ]
    return "Behaviour", ["agent", "steps", *names.values()], rows


def _overall(summary: dict[str, Any]) -> Table:
    head = [
        "agent",
        "strict % [95 %]",
        "partial (null line)",
        "progress (null 0)",
        "pass^k",
        "provider failures / impacted",
        "harness failures",
        "adjusted %",
    ]
    rows = []
    for agent, row in summary["table_1"].items():
        hats = ", ".join(f"{k}: {v:.3f}" for k, v in row["pass_hat_k"].items() if v is not None)
        rows.append(
            [
                agent,
                _pct(row),
                f"{row['partial']:.4f} ({row['null_partial']:.4f})",
                f"{row['progress']:.4f}",
                hats,
                f"{row['provider_failures']} / {row['provider_impacted']}",
                str(row["harness_failures"]),
                _share(row["adjusted_accuracy"]),
            ]
        )
    return "Table 1: overall", head, rows


def _partial(row: dict[str, Any]) -> str:
    return "–" if not row["n"] else f"{row['partial']:.3f} ({row['null']:.3f}) / {row['progress']:.3f}"


def _length(row: dict[str, Any]) -> str:
    return f"{100 * row['accuracy']:.1f} / {row['steps']:.1f} (n={row['n']})"


def _paired(summary: dict[str, Any]) -> Table:
    rows = [
        [
            *(p["a"], p["b"], p["differ"]),
            *(str(p[name]) for name in ("tasks", "only_a", "only_b")),
            *(_share(p["difference"], "+"), _share(p["smallest_detectable"])),
            *(f"{p[name]:.4g}" for name in ("p", "p_holm")),
        ]
        for p in summary["paired"]
    ]
    shares = ("b − a, points", "detectable, points")
    head = ["a", "b", "differ in", "tasks both have", "a better", "b better", *shares, "p", "p (Holm)"]
    return "Paired tests (exact, by task; McNemar's with one trial)", head, rows


def _tables(summary: dict[str, Any]) -> list[Table]:
    by_style = {style: {a: split[style] for a, split in summary["figure_4_by_style"].items()} for style in STYLES}
    return [
        _overall(summary),
        _behaviour(summary),
        _grid("Table 2: strict accuracy by ability (%)", summary["table_2"], _pct, "ability"),
        _grid(
            "Table 3: partial credit by ability, Eq. 3 (null line) / progress", summary["table_3"], _partial, "ability"
        ),
        _grid("Table 4: accuracy (%) / executed steps by reference length", summary["table_4"], _length, "length"),
        _grid("Table 7: slices (%)", summary["table_7"], _pct, "family"),
        _grid("Table 8: failure patterns", summary["table_8"], str, "pattern"),
        _grid("Figure 4: strict accuracy by family (%)", summary["figure_4"], _pct, "family"),
        *(_grid(f"Figure 4, {style} prompts (%)", data, _pct, "family") for style, data in by_style.items()),
        _paired(summary),
    ]


def _told(summary: dict[str, Any]) -> str:
    """What was run, with the settings that the files name."""
    parts = [f"{summary['tasks']} tasks", f"{summary['records']} trials", f"mode {', '.join(summary['modes'])}"]
    for name, values in summary.get("settings", {}).items():
        if values:
            parts.append(f"{name} {', '.join(map(str, values))}")
    return ", ".join(parts)


def render_markdown(summary: dict[str, Any]) -> str:
    """All tables as Markdown."""
    lines = [f"# Runs: {_told(summary)}", ""]
    lines += [f"Note: {notice}\n" for notice in summary.get("notices", ())]
    for title, head, rows in _tables(summary):
        lines += [f"## {title}", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        lines += ["| " + " | ".join(row) + " |" for row in rows] + [""]
    return "\n".join(lines)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>ClawForge runs</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0 2rem; display: block; overflow-x: auto; }
td, th { border: 1px solid #8886; padding: .25rem .6rem; text-align: left; white-space: nowrap; }
pre { overflow-x: auto; background: #8881; padding: .6rem; white-space: pre-wrap; }
summary { cursor: pointer; }
</style></head><body>
<h1>ClawForge runs</h1>
<p>{{ told }}.
Partial scores are to be read against their null line, the score of doing nothing.</p>
{% for notice in summary.notices %}<p>Note: {{ notice }}</p>
{% endfor %}{% for title, head, rows in tables %}
<h2>{{ title }}</h2>
<table><thead><tr>{% for h in head %}<th scope="col">{{ h }}</th>{% endfor %}</tr></thead><tbody>
{% for row in rows %}<tr>{% for c in row %}<td>{{ c }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table>
{% endfor %}
<h2>Failed trials</h2>
{% for r in failed %}
<details><summary>{{ r.task }} · {{ r.agent }} · {{ r.harness }} · {{ r.family }} · {{ r.pattern }}
{%- if r.excess %} · excess steps{% endif %}</summary>
<p>{{ r.instruction }}</p>
<p>Ended: {{ r.ended }}; progress {{ "%.3f" | format(r.progress) }}; first wrong step: {{ r.first_wrong or "none" }}.</p>
{% if r.reasons %}<p>What is missing:</p><pre>{{ r.reasons | join("\n") }}</pre>
{%- elif r.missing %}<p>Missing: {{ r.missing | join("; ") }}</p>{% endif %}
{% if r.violations %}<p>Not called for:</p><pre>{{ r.violations | join("\n") }}</pre>{% endif %}
{% if r.failure %}<p>Failure: {{ r.failure }}</p>{% endif %}
{% if r.bypasses %}<p>Tools used beside the world: {{ r.bypasses | join("; ") }}</p>{% endif %}
{% if r.forbidden %}<p>Forbidden: {{ r.forbidden | join("; ") }}</p>{% endif %}
{% if r.unread %}<p>Decisive facts unread before the first change: {{ r.unread | join("; ") }}</p>{% endif %}
<p>State difference, step by step:</p>
<pre>{% for s in r.steps %}{{ loop.index }}. {{ s.command }}{% if s.exit %}  [exit {{ s.exit }}]{% endif %}
{% for c in s.changes %}      {{ c }}
{% endfor %}{% endfor %}</pre></details>
{% endfor %}
</body></html>
"""


def render_html(summary: dict[str, Any], records: Records) -> str:
    """One self-contained page."""
    from jinja2 import Environment

    template = Environment(autoescape=True).from_string(_PAGE)
    failed = [r for r in records if not r.passed]
    return template.render(summary=summary, told=_told(summary), tables=_tables(summary), failed=failed)
