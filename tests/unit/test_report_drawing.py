"""Pictures: escaped, scaled, each with its numbers as a table; nothing in them is fetched or told by colour alone."""

import re
from html.parser import HTMLParser

import pytest

from claw_adapter.report.drawing import Bar, Curve, Point, bars, lines, scatter

HOSTILE = '"><script>alert(1)</script>\x1b[31m'


class Tree(HTMLParser):
    """Every element is closed, in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def drawn():
    return [
        lines("T", "W", [Curve(HOSTILE, (1.0, None, 3.0)), Curve("b", (2.0,))], ["1", "2", "3"], x="turn"),
        bars("T", "W", [Bar(HOSTILE, 0.5, 0.25, 0.75), Bar("none", None)], unit="share"),
        scatter("T", "W", [Point(HOSTILE, 3.0, 0.5), Point("b", 0.0, 1.0)], x="USD", y="score", units=("USD", "share")),
    ]


@pytest.mark.parametrize("number", range(3))
def test_a_picture_is_well_formed_inert_and_has_its_numbers_behind_it(number):
    text = str(drawn()[number])
    tree = Tree(text)
    tags = [tag for tag, _ in tree.tags]
    assert "script" not in tags
    assert "\x1b" not in text
    assert not any("href" in attrs or "style" in attrs or "src" in attrs for _, attrs in tree.tags)
    assert (tags.count("title"), tags.count("desc"), tags.count("table"), tags.count("figcaption")) == (1, 1, 1, 1)
    picture = next(attrs for tag, attrs in tree.tags if tag == "svg")
    assert picture["role"] == "img"
    assert picture["viewbox"].startswith("0 0 420 ")


@pytest.mark.parametrize("number", range(3))
def test_nothing_is_drawn_outside_of_a_picture(number):
    text = re.sub(r'<svg class="key".*?</svg>', "", str(drawn()[number]))
    height = float(re.search(r'viewBox="0 0 420 (\S+)"', text).group(1))
    for name, most in (
        ("x", 420),
        ("x1", 420),
        ("x2", 420),
        ("cx", 420),
        ("y", height),
        ("y1", height),
        ("cy", height),
    ):
        assert all(0 <= float(value) <= most for value in re.findall(rf' {name}="([-\d.]+)"', text))


def test_a_higher_value_is_drawn_higher_and_a_gap_is_left():
    text = str(lines("T", "W", [Curve("a", (0.0, 0.5, None, 1.0))], list("1234"), x="turn", unit="share"))
    drawn = [points.split() for points in re.findall(r'<polyline class="s0" points="([^"]+)"', text)]
    assert [len(points) for points in drawn] == [2, 1]
    heights = [float(point.split(",")[1]) for points in drawn for point in points]
    assert heights == sorted(heights, reverse=True)
    assert "50.0 %" in text


def test_what_colour_tells_apart_a_mark_does_too():
    text = str(lines("T", "W", [Curve(name, (1.0,)) for name in "abcd"], ["1"], x="turn"))
    shapes = [re.sub(r'[-\d.]+|"m\d"', "", found) for found in re.findall(r"<(?:circle|polygon)[^>]*>", text)]
    corners = [found.count(",") for found in re.findall(r"<polygon[^>]*>", text)]
    assert len(shapes) == 8
    assert sorted(set(corners)) == [3, 4]
    assert text.count("<circle") == 2


def test_an_interval_is_drawn_and_told():
    text = str(bars("T", "W", [Bar("a", 0.5, 0.25, 0.75)], unit="share"))
    assert text.count('class="range"') == 1
    for said in ("50.0 %", "25.0 %", "75.0 %"):
        assert said in text
