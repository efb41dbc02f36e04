"""Links lead somewhere, documents that code cites are here, and the changelog is made of its fragments."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.errors import Owner

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = (
    "*.md",
    "docs/**/*.md",
    "changelog.d/*.md",
    "core/*.md",
    "plugins/*/*.md",
    "scenarios/*/*.md",
    "frameworks/*/*.md",
)
PAGES = sorted(page for pattern in PATTERNS for page in ROOT.glob(pattern))
CODE = sorted(p for top in ("core", "plugins", "scenarios", "tools", "tests") for p in (ROOT / top).rglob("*.py"))
SCENE = {
    "AGENTS.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "USER.md", "a.md", "data.md", "instruction.md", "plan.md",
}  # fmt: skip
"""What docstrings name as a file of an agent's workspace or of an export, and not as a document of ours."""

changelog = SimpleNamespace(**runpy.run_path(str(ROOT / "tools/changelog.py")))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The names under which a hosting site knows the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def docstrings(path: Path) -> list[str]:
    """Those of modules, classes, functions and attributes."""
    tree = ast.parse(path.read_text("utf-8"))
    found = [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    return [node.value for node in found if isinstance(node.value, str)]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    text = re.sub(r"`[^`\n]*`", "", prose(page))  # what stands in code is no link
    for target in re.findall(r"\]\((?![a-z]+:)([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        there = (page.parent / path) if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_paths_in_the_text_are_in_the_repository(page):
    tops = r"core|docs|frameworks|plugins|scenarios|tools|tests|requirements|changelog\.d|\.ci"
    for path in re.findall(rf"`((?:{tops})/[\w./-]*)`", prose(page)):
        assert (ROOT / path).exists(), path


def test_documents_that_docstrings_cite_are_in_the_repository():
    known = {page.name for page in PAGES} | {path.name for path in ROOT.glob("docs/examples/**/*.md")}
    for path in CODE:
        for text in docstrings(path):
            for cited in re.findall(r"[\w./<>-]*\w\.md\b", text):
                there = (ROOT / cited).is_file() if cited.startswith("docs/") else Path(cited).name in known | SCENE
                assert there, f"{name(path)} cites {cited}"


def test_the_architecture_names_every_package_of_core_and_every_owner_of_a_failure():
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    packages = [path.parent.name for path in (ROOT / "core/src/claw_adapter").glob("*/__init__.py")]
    assert [package for package in packages if f"`{package}/`" not in text] == []
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == {owner.value for owner in Owner}


def test_every_decision_is_in_the_index():
    folder = ROOT / "docs/decisions"
    linked = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text("utf-8"))
    assert linked == sorted(path.name for path in folder.glob("[0-9]*.md"))


def test_the_changelog_is_made_of_the_fragments():
    assert (ROOT / "CHANGELOG.md").read_text("utf-8") == changelog.current(), "run: make changelog"


def test_released_versions_stay_in_the_changelog(tmp_path):
    (tmp_path / "README.md").write_text("no fragment")
    released = "## 0.1.0 (2026-12-01)\n\n### Forge\n\n- first\n"
    assert changelog.changelog(released, "0.2.0", tmp_path) == f"{changelog.HEAD}\n{released}"
    (tmp_path / "command-line.md").write_text("- second\n")
    first = changelog.changelog(released, "0.2.0", tmp_path)
    assert first == f"{changelog.HEAD}\n## 0.2.0 (unreleased)\n\n### Command line\n\n- second\n\n{released}"
    assert changelog.changelog(first, "0.2.0", tmp_path) == first


def test_fragments_are_lines_of_a_list():
    for path in (ROOT / "changelog.d").glob("*.md"):
        if path.name != "README.md":
            lines = path.read_text("utf-8").splitlines()
            assert [line for line in lines if not line.startswith("- ")] == [], path.name
