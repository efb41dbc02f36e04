"""Previews as a browser has them: the tree of the page is sound and says what the scenario says; and it can be drawn."""

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.authoring import packaged_specs
from claw_adapter_scenarios.compiler import compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.specdocs.page import page

VOID = {"meta", "br", "link", "img", "input", "hr"}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Tree(HTMLParser):
    """Elements in order with their text, and every tag that is not closed where it belongs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[int] = []
        self.nodes: list[tuple[str, dict[str, str | None]]] = []
        self.parts: list[list[str]] = []
        self.faults: list[str] = []
        self.feed(text)
        self.close()
        self.faults += [f"<{self.nodes[at][0]}> is never closed" for at in self.open]

    def handle_starttag(self, tag, attrs):
        self.nodes.append((tag, dict(attrs)))
        self.parts.append([])
        if tag not in VOID:
            self.open.append(len(self.nodes) - 1)

    def handle_endtag(self, tag):
        if not self.open or self.nodes[self.open[-1]][0] != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")
        else:
            self.open.pop()

    def handle_data(self, data):
        for at in self.open:
            self.parts[at].append(data)

    def texts(self, tag: str, **attributes: str) -> list[str]:
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return [
            " ".join("".join(parts).split())
            for (name, has), parts in zip(self.nodes, self.parts, strict=True)
            if name == tag and wanted.items() <= has.items()
        ]


@pytest.fixture(scope="module")
def three() -> list[Compiled]:
    """The example, another seed of it, and the first other spec that is finished (else a third seed)."""
    found = []
    for root in sorted(packaged_specs(), key=lambda p: p.name != "clinic-fridge"):
        try:
            made = compile_spec(load_spec(root))
        except ScenarioError:
            continue
        found.append(made)
        if len(found) == 2:
            break
    return [*found, *(compile_spec(found[0].spec, seed) for seed in range(1, 4 - len(found)))]


@pytest.fixture(scope="module", params=range(3))
def made(three: list[Compiled], request: pytest.FixtureRequest) -> Compiled:
    return three[request.param]


@pytest.fixture(scope="module")
def text(made: Compiled) -> str:
    """Its page."""
    return page(made)


def test_the_tree_is_sound(text: str):
    assert Tree(text).faults == []
    assert Tree("<div><p>x</div>").faults, "the parser sees what is not closed"


def test_the_page_has_every_channel_file_round_and_message(made: Compiled, text: str):
    tree = Tree(text)
    summaries = tree.texts("summary")
    for entry in made.material.entries:
        assert any(line.startswith(" ".join(entry.title.split())) for line in summaries), entry.title
    for path in made.material.files:
        assert any(line.startswith(path) for line in summaries), path
    for one in made.rounds:
        assert any(line.startswith(f"{one.spec.id} ") for line in summaries), one.spec.id
    said = sum(m.role == "user" for loop in made.material.loops for m in loop.messages)
    main = sum(m.role == "user" for m in made.material.main)
    assert len(tree.texts("div", class_="user")) == said + main


def test_options_are_lettered_in_order_and_the_truth_is_folded(made: Compiled, text: str):
    tree = Tree(text)
    asked = [one for one in made.rounds if one.options]
    assert len(tree.texts("ol", type="A")) == len(asked)
    (truth,) = tree.texts("details", class_="truth")
    at = next(i for i, node in enumerate(tree.nodes) if node == ("details", {"class": "truth"}))
    assert "open" not in tree.nodes[at][1]
    for name in made.canon.spec.truth.facts:
        assert name in truth


def test_nothing_is_loaded_from_elsewhere(text: str):
    for tag, attributes in Tree(text).nodes:
        assert tag not in ("script", "img", "iframe", "object", "link")
        assert not {"src", "href", "onclick", "onerror"} & attributes.keys()


def test_a_browser_draws_the_page(text: str, tmp_path: Path):
    if CHROMIUM is None:
        pytest.skip("NO BROWSER: previews were not drawn; install chromium to have them looked at")
    source, picture = tmp_path / "page.html", tmp_path / "page.png"
    source.write_text(text, "utf-8")
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--hide-scrollbars", "--window-size=1000,1400", f"--screenshot={picture}", source.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
    assert picture.is_file(), done.stderr[-2000:]
    assert drawn(picture.read_bytes()) > 20, "more than an empty page"


def drawn(png: bytes) -> int:
    """How many different bytes the picture's data have; a page in one colour has a handful. Also checks size and form."""
    import struct
    import zlib

    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    assert (width, height) == (1000, 1400)
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        data += png[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    return len(set(zlib.decompress(data)))
