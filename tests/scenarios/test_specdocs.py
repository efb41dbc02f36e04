"""The seven documents have every section and column of the paper's Appendix F; the preview hides the truth."""
# ruff: noqa: E501 - the tables of the appendix, a section a line

import functools
import re

import pytest

from claw_adapter_scenarios.authoring import EXAMPLE
from claw_adapter_scenarios.compiler import compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.specdocs import documents
from claw_adapter_scenarios.specdocs.page import page


@functools.cache
def made() -> Compiled:
    """The example; made when the first test asks, and not by every worker that collects them."""
    return compile_spec(load_spec(EXAMPLE))


@functools.cache
def written() -> dict[str, str]:
    """Its documents by name."""
    return documents(made())


#: Appendix F: section → columns, or words that must be in it
APPENDIX = {
    "GUIDE.md": {
        "Task Overview": ["Task ID", "Domain", "Core evaluation goals", "Final output target"],
        "Spec File Index": ["layer0-narrative.md", "layer1-workspace.md", "layer2-sessions.md", "layer3-eval.md", "layer4-dynamic.md"],
        "Role and Session Table": ["Character role", "Channel", "Session filename", "Initial release or later update"],
        "Contradiction and Bias Quick-Reference": ["C1", "C2", "C3", "C4", "B1", "B2", "First visible round", "Reversal evidence round"],
        "Eight-Step Execution Workflow": [f"Step {n}" for n in range(9)],
        "Mandatory Checks": ["language", "single group", "channel field", "registered"],
    },
    "layer0-narrative.md": {
        "Scene Summary": ["Task ID", "Domain", "Time span", "Main protagonist", "Core benchmark factors"],
        "Objective Timeline": ["Time", "Objective event", "What actually happened", "Who knew at that time"],
        "Role-Level Truth vs Self-Narrative": ["Objective position", "Public narrative", "Private narrative", "Why the gap exists"],
        "Contradiction Map": ["ID", "Description", "Source A claim + location", "Source B claim + location", "Objective truth", "Visible rounds", "Reversal"],
        "Agent Historical Bias Design": ["Bias ID", "Session and phase", "Exact verbatim phrase", "Why misled", "Reversal trigger"],
        "Eval Trap Table": ["Trap ID", "Related contradiction(s)", "Related bias(es)", "Round(s)", "What shallow agents miss"],
        "Writer Constraints": ["Only introduce", "two independent sources", "consistent", "verbatim"],
    },
    "evidence-map.md": {
        "Event-Level Map": ["Event ID", "Objective truth", "Official workspace evidence", "Private DM evidence", "Group-session evidence", "Update-only evidence", "What remains hidden early"],
        "Source Responsibility Map": ["Source type", "What it is allowed to establish", "What it should not fully settle"],
        "Contradiction Seeding": ["Contradiction ID", "Source A claim", "Source B claim", "Source of truth", "Earliest visible round"],
        "Agent Bias Hooks": ["Bias ID", "Session and loop", "Why reasonable at that point", "Exact phrase to embed"],
    },
    "layer1-workspace.md": {
        "Fixed Agent Files": ["AGENTS.md", "IDENTITY.md", "SOUL.md", "USER.md", "TOOLS.md"],
        "Scenario-Specific Files": ["File", "Type", "Initial or update", "Key facts carried", "Token estimate"],
        "File Timing Summary": ["File", "First visible round", "Why delayed or immediate"],
        "Near-Signal Noise Design": ["Noise file", "Why it looks relevant", "Why it should not settle the core contradiction"],
        "Total Workspace Estimate": ["Initial workspace tokens", "Update-added tokens", "Balance notes"],
    },
    "layer2-sessions.md": {
        "Main Session": ["Channel", "Loop 0 user message", "Loop 0 assistant reply", "${roster}", "session tools"],
        "History Session Roster": ["Session name", "Channel", "DM/Group", "Session ID placeholder", "Phase count", "Token estimate"],
        "Per-Session Design": ["Signal/noise label", "User message", "Agent tool calls", "Agent reply", "Contradiction or bias effect"],
        "Session Rules": ["read and light exec", "session-listing", "full channel prefix"],
    },
    "layer3-eval.md": {
        "Round Inventory": ["Round", "Question type", "Main skill tested", "Depends on update?", "Reversal?"],
        "Round Specs": ["Type", "Question goal", "Evidence required", "Correct answer logic", "Shallow failure mode"],
        "Reversal Matrix": ["Earlier round", "Later round", "What changed", "Why the earlier answer should be revised"],
        "Personalization Scoring Notes": ["Round", "Preference in scope", "What should change in the correct answer"],
        "Evidence Coverage Check": ["named evidence source: yes", "epistemic limits: r8", "revision after new information: r5"],
    },
    "layer4-dynamic.md": {
        "Update Summary": ["Update ID", "Trigger round", "Goal", "New sessions?", "New workspace files?"],
        "Action Lists": ['"type": "workspace"', '"type": "session"', '"action": "new"', '"action": "append"', '"path"', '"source"'],
        "Source File Notes": ["Source file", "Update", "Type", "What it reveals", "Must match existing layer section"],
        "Runtime Checks": ["include a channel", "filenames are consistent: yes", "support the intended reversal"],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", APPENDIX)
def test_a_document_has_every_section_in_order(name: str):
    sections = re.findall(r"(?m)^## (\d+)\. (.+)$", written()[name])
    assert [title for _, title in sections] == list(APPENDIX[name])
    assert [int(number) for number, _ in sections] == list(range(1, len(sections) + 1))


@pytest.mark.parametrize(
    ("name", "section"), [(name, section) for name, found in APPENDIX.items() for section in found]
)
def test_a_section_has_every_column(name: str, section: str):
    body = written()[name].split(f". {section}\n", 1)[1].split("\n## ")[0]
    assert [word for word in APPENDIX[name][section] if word not in body] == []


def test_there_are_seven_documents():
    assert list(written()) == list(APPENDIX)


def test_tables_are_whole():
    for text in written().values():
        for block in re.findall(r"(?m)(?:^\|.*\|\n)+", text):
            widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(widths) == 1, block


def test_the_preview_shows_what_an_agent_sees_and_folds_the_truth_away():
    html = page(made())
    seen, _, truth = html.partition('<details class="truth">')
    assert "Ward 3" in seen
    assert "stock/fridges_2026-03-10.csv" in seen
    assert "released_said" not in seen
    assert "nobody noticed" not in seen
    assert "released_said" in truth
    assert "nobody noticed" in truth
    assert "<script" not in html
    assert not re.search(r"""(src|href)=["']""", html)


def test_the_preview_escapes_what_a_spec_says(tmp_path):
    import shutil

    root = tmp_path / "spec"
    shutil.copytree(EXAMPLE, root)
    path = root / "0-truth.yaml"
    text = path.read_text("utf-8")
    path.write_text(
        text.replace("title: The night fridge F2 lost its power", 'title: "<img onerror=x> The night"'), "utf-8"
    )
    assert "img onerror" in page(compile_spec(load_spec(root)))
    assert "<img" not in page(compile_spec(load_spec(root)))
