"""Decide one exec_check: ``python check.py EXPECTED.json WORKSPACE``. Standard library only.

Exit 0 when every artefact is as expected, 1 with one line per fault. EXPECTED is made by the scenario compiler from
predicates over facts; the artefacts were written by an agent, so nothing in them is trusted to be of any shape.
"""

from __future__ import annotations

import csv
import glob
import io
import json
import re
import subprocess
import sys
import unicodedata
from datetime import datetime
from pathlib import Path
from typing import Any

__all__ = ["check", "main"]

MOST_BYTES = 8 * 1024 * 1024
HAN = "\u2e7f"
"""Beyond it lie the scripts that are written without blanks: there words have no boundaries to look for."""
LETTER = r"[^\W\u2e80-\u9fff\uf900-\ufaff]"
"""What makes a word or number longer: a letter or digit of a script that puts blanks between words."""
MARKS = re.compile(r"([^\W_\u2e80-\u9fff][*_`]+(?=[^\W_\u2e80-\u9fff]))|[*_`]+")
"""Emphasis; between two letters or digits it belongs to a name."""
BESIDE_HAN = re.compile(r" (?=[\u2e80-\u9fff])|(?<=[\u2e80-\u9fff]) ")
"""A blank beside a Chinese character, which some write and some do not."""
NUMBER = re.compile(
    rf"(?<!{LETTER})(?<![-:/])(?<!\d[.,])(\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.(\d+))?(?![.,:/-]?\d)(?!{LETTER})"
)
"""A number that stands alone: no part of a date, a time or a name. Its whole part, its decimals."""
SPOKEN = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
NUMERALS = "\u3007\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341"
"""Chinese ones, from nought to ten."""
NO_NUMERAL = f"[{NUMERALS}\u96f6\u4e24\u767e\u5343\u4e07]"
MOMENT = re.compile(
    r"(?:(\d{4}-\d{2}-\d{2})[T ])?(\d{1,2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?:\s*(?:Z|UTC|[+-]\d{2}:?\d{2}))?\Z"
)
DAY = re.compile("(\\d{4})\\s*\u5e74\\s*(\\d{1,2})\\s*\u6708\\s*(\\d{1,2})\\s*\u65e5\\s*")
CLOCK = re.compile("(\\d{1,2})\\s*[\u65f6\u70b9]\\s*(\\d{1,2})\\s*\u5206?")
"""A date and a time as they are written in Chinese."""


class Fault(Exception):
    """What is wrong with an artefact."""


def main(arguments: list[str]) -> int:
    """Check, print the faults, return the exit status."""
    expected = json.loads(Path(arguments[0]).read_text("utf-8"))
    faults = check(Path(arguments[1]), expected)
    print("\n".join(faults))  # noqa: T201 - a program of its own
    return 1 if faults else 0


def check(workspace: Path, expected: dict[str, Any]) -> list[str]:
    """One line per fault; empty when all artefacts are as expected."""
    faults: list[str] = []
    loaded: dict[str, Any] = {}
    for rule in expected["files"]:
        try:
            path, text = read(workspace, rule)
            loaded[rule["path"]] = CHECKS[rule["format"]](rule, text, loaded, path)
            words(rule, text)
        except Fault as fault:
            faults.append(f"{rule['path']}: {fault}")
        except RecursionError:
            faults.append(f"{rule['path']}: nested too deeply")
    return faults


def read(workspace: Path, rule: dict[str, Any]) -> tuple[Path, str]:
    """The artefact's place and text; with a glob the only file that fits, or the newest name in order."""
    root = workspace.resolve()
    pattern = rule.get("find") or glob.escape(rule["path"])
    found = sorted(p for p in root.glob(pattern) if p.is_file() and p.resolve().is_relative_to(root))
    found = [p for p in found if p.relative_to(root).as_posix() not in rule.get("old", [])]
    if not found:
        raise Fault("there is no such file")
    path = found[-1]
    if path.stat().st_size > MOST_BYTES:
        raise Fault("too large")
    try:
        return path, path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Fault(f"cannot be read: {error}") from None


def check_json(rule: dict[str, Any], text: str, loaded: dict[str, Any], _path: Path) -> Any:
    """Fields of a JSON object."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise Fault(f"no JSON: {error}") from None
    if not isinstance(data, dict):
        raise Fault("no JSON object")
    for name, wanted in rule["fields"].items():
        field(name, wanted, at(data, name), loaded)
    if rule.get("strict"):
        extra = set(paths(data)) - set(rule["fields"])
        if extra:
            raise Fault(f"has fields that were not asked for: {', '.join(sorted(extra))}")
    return data


def paths(data: dict[str, Any], prefix: str = "") -> list[str]:
    """Dotted names of the leaves."""
    found: list[str] = []
    for key, value in data.items():
        name = f"{prefix}{key}"
        found += paths(value, f"{name}.") if isinstance(value, dict) and value else [name]
    return found


def at(data: Any, name: str) -> Any:
    """The value under a dotted name."""
    for part in name.split("."):
        if not isinstance(data, dict) or part not in data:
            raise Fault(f"field {name!r} is missing")
        data = data[part]
    return data


def field(name: str, wanted: dict[str, Any], value: Any, loaded: dict[str, Any]) -> None:
    """One field against what is wanted."""
    if "list" in wanted:
        if not isinstance(value, list) or len(value) != len(wanted["list"]):
            raise Fault(f"field {name!r} is no list of {len(wanted['list'])}")
        left = list(value)
        for item in wanted["list"]:
            match = next((i for i, other in enumerate(left) if same(item, other)), None)
            if match is None:
                raise Fault(f"field {name!r} does not have every entry")
            left.pop(match)
    elif "cites" in wanted:
        cites(name, wanted["cites"], value)
    elif "same_as" in wanted:
        other = elsewhere(wanted["same_as"], loaded)
        if not same({"kind": "number", "value": other, "tolerance": wanted.get("tolerance", 0.011)}, value):
            raise Fault(f"field {name!r} does not agree with {wanted['same_as']}")
    elif not same(wanted, value):
        raise Fault(f"field {name!r} is not right")


def cites(name: str, groups: list[list[str]], value: Any) -> None:
    """Every group has a member that is named in the list."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Fault(f"field {name!r} is no list of sources")
    named = [plain(item) for item in value]
    for group in groups:
        if not any(plain(wanted) in item for wanted in group for item in named):
            raise Fault(f"field {name!r} does not name every source")


def elsewhere(place: str, loaded: dict[str, Any]) -> float:
    """A field of another artefact, or the sum of a column."""
    path, _, name = place.partition("#")
    if path not in loaded:
        raise Fault(f"{path} cannot be compared with")
    try:
        if name.startswith("sum:"):
            return sum(float(row[name[4:]]) for row in loaded[path])
        return float(at(loaded[path], name))
    except (KeyError, TypeError, ValueError):
        raise Fault(f"{place} is no number") from None


def same(wanted: dict[str, Any], value: Any) -> bool:
    """Whether a value says what is wanted."""
    kind, expected = wanted["kind"], wanted["value"]
    if kind == "flag":
        return isinstance(value, bool) and value is expected
    if kind == "number":
        found = number(value)
        return found is not None and abs(found - float(expected)) <= float(wanted.get("tolerance", 0)) + 1e-9
    if kind == "moment":
        return moment(str(value), expected, wanted.get("form", ""))
    said = plain(str(value)) if isinstance(value, str | int | float) else None
    return said is not None and said in {plain(str(text)) for text in (expected, *wanted.get("accept", ()))}


def number(value: Any) -> float | None:
    """A number, or a text that is nothing but one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if found == found and abs(found) != float("inf") else None  # noqa: PLR0124 - not a number


def moment(text: str, expected: str, form: str) -> bool:
    """A moment to the minute; a date alone or a time alone where that was asked for."""
    wanted = datetime.fromisoformat(expected)
    text = iso(text)
    if form == "date":
        return text[:10] == wanted.date().isoformat()
    found = MOMENT.match(text)
    if found is None:
        return False
    day, clock = found[1], found[2]
    return clock.zfill(5) == wanted.strftime("%H:%M") and (day == wanted.date().isoformat() if day else form == "hm")


def iso(text: str) -> str:
    """A date or time as it is written in Chinese, or in full-width digits, with the signs of ISO 8601."""
    text = DAY.sub(lambda d: f"{d[1]}-{int(d[2]):02d}-{int(d[3]):02d} ", unicodedata.normalize("NFKC", text))
    return CLOCK.sub(lambda c: f"{c[1]}:{int(c[2]):02d}", text).strip()


def plain(text: str) -> str:
    """A text without case, punctuation at its ends and runs of blanks; full-width signs are as good as others."""
    text = " ".join(unicodedata.normalize("NFKC", text).split())
    return text.strip(" .,;:'\"`\uff0c\u3002\uff1b\uff1a\u3001\u201c\u201d").casefold()


def check_csv(rule: dict[str, Any], text: str, _loaded: dict[str, Any], _path: Path) -> Any:
    """Rows of a table: every expected one once, and no other."""
    wanted = rule["rows"]
    try:
        lines = [line for line in csv.reader(io.StringIO(text), skipinitialspace=True, strict=True) if any(line)]
    except csv.Error as error:
        raise Fault(f"no CSV: {error}") from None
    columns = [plain(name) for name in wanted["columns"]]
    if not lines or [plain(name) for name in lines[0]] != columns:
        raise Fault(f"its first line is not {','.join(wanted['columns'])}")
    rows = lines[1:]
    if any(len(row) != len(columns) for row in rows):
        raise Fault("a line has too few or too many cells")
    if len(rows) != len(wanted["rows"]):
        raise Fault(f"has {len(rows)} rows")
    left = list(rows)
    for expected in wanted["rows"]:
        width = wanted["key"]
        match = [
            row for row in left if all(same(cell, value) for cell, value in zip(expected[:width], row, strict=False))
        ]
        if len(match) != 1:
            raise Fault("a row is missing or there twice")
        if not all(same(cell, value) for cell, value in zip(expected, match[0], strict=True)):
            raise Fault("a row is not right")
        left.remove(match[0])
    return [dict(zip(wanted["columns"], row, strict=True)) for row in rows]


def check_markdown(rule: dict[str, Any], text: str, _loaded: dict[str, Any], _path: Path) -> Any:
    """Sections of a document, each with something in it; a heading that has just that name goes before longer ones."""
    lines = text.splitlines()
    sections = {section: heading(section) for section in rule.get("sections", ())}
    heads = headings(lines, set(sections.values()))
    for section, wanted in sections.items():
        named = [head for head in heads if wanted in head[2]]
        if not named:
            raise Fault(f"has no section {section!r}")
        exact = [head for head in named if head[2] == wanted]
        if not any(filled(lines, heads, head) for head in exact or named):
            raise Fault(f"section {section!r} is empty")
    return text


def headings(lines: list[str], sections: set[str]) -> list[tuple[int, int, str]]:
    """Line, level and name of every heading, underlined ones too; three hyphens may also be a rule below a paragraph."""
    found = []
    for at, line in enumerate(lines):
        if marks := re.match(r" {0,3}(#{1,6})\s", line):
            found.append((at, len(marks[1]), heading(line)))
            continue
        under = lines[at + 1].strip() if at + 1 < len(lines) else ""
        alone = at == 0 or not lines[at - 1].strip() or (found and found[-1][0] == at - 1)
        if not re.fullmatch("=+|-+", under) or not alone or not re.match(r" {0,3}[^\s>|#=+-]", line):
            continue
        if under[0] == "=" or len(under) > 3 or heading(line) in sections:
            found.append((at, 1 if under[0] == "=" else 2, heading(line)))
    return found


def heading(line: str) -> str:
    """The name in a heading."""
    return plain(flat(line.strip("# \t")))


def filled(lines: list[str], heads: list[tuple[int, int, str]], head: tuple[int, int, str]) -> bool:
    """Whether there is text below a heading before the next one that is not below it."""
    end = next((at for at, level, _ in heads if at > head[0] and level <= head[1]), len(lines))
    others = {at for at, *_ in heads}
    return any(lines[at].strip(" \t-=*_#") for at in range(head[0] + 1, end) if at not in others)


def check_python(rule: dict[str, Any], _text: str, _loaded: dict[str, Any], path: Path) -> Any:
    """A program: it ends well, and prints what is wanted."""
    script = rule["script"]
    workspace = path
    for _ in Path(rule["path"]).parts:
        workspace = workspace.parent
    try:
        done = subprocess.run(  # that the agent's program runs is what is checked, inside the sandbox
            [sys.executable, str(path), *script["arguments"]],
            cwd=workspace, capture_output=True, text=True, timeout=script["timeout"], check=False, errors="replace",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Fault("the program does not end") from None
    if done.returncode != 0:
        raise Fault(f"the program ends with status {done.returncode}")
    tokens = re.findall(r"[^\s=,;:()\[\]{}\"'\uff0c\uff1b\uff1a\uff08\uff09]+(?::\d{2})?", done.stdout[:MOST_BYTES])
    tokens += re.findall(r"\d{4}-\d\d-\d\d \d{1,2}:\d\d", done.stdout[:MOST_BYTES])
    for wanted in script["prints"]:
        said = any(same(wanted, token.rstrip(".")) for token in tokens)
        if not said and not (wanted["kind"] == "text" and has(done.stdout, wanted["value"])):
            raise Fault("the program does not print what is wanted")
    return done.stdout


def words(rule: dict[str, Any], text: str) -> None:
    """What must be said, and what must not (M6)."""
    for group in rule.get("mentions", ()):
        if not any(has(text, word) for word in group):
            raise Fault("does not mention everything")
    for word in rule.get("lacks", ()):
        if has(text, word):
            raise Fault("says something that does not hold")


def has(text: str, word: str) -> bool:
    """Whether a word or phrase stands in a text, not as part of a longer word or number; numbers as anybody writes them."""
    wanted = flat(str(word))
    before = "" if wanted[:1] > HAN else rf"(?<!{LETTER})(?<!\d[.,])(?<!\s\.)"
    after = "" if wanted[-1:] > HAN else rf"(?!{LETTER}|[.,]\d)"
    pattern, at = "", 0
    for found in NUMBER.finditer(wanted):
        pattern += re.escape(wanted[at : found.start()]) + written(found)
        at = found.end()
    return re.search(before + pattern + re.escape(wanted[at:]) + after, flat(text)) is not None


def flat(text: str) -> str:
    """A text without case, emphasis, runs of blanks, blanks beside Chinese, and other shapes of the same signs (NFKC)."""
    text = unicodedata.normalize("NFKC", text.replace("\uff0c", ", "))  # that comma stands between clauses, not digits
    text = " ".join(MARKS.sub(lambda found: found[1] or "", text).split())
    return BESIDE_HAN.sub("", text).casefold()


def written(found: re.Match[str]) -> str:
    """A pattern of all ways to write a number: 9600, 9,600 and 9600.00; small ones in words, Chinese ones in numerals."""
    whole, part = found[1].replace(",", ""), (found[2] or "").rstrip("0")
    pattern = "[, ]?".join(re.findall(r"\d{1,3}(?=(?:\d{3})*\Z)", whole))
    pattern += rf"\.{part}0*" if part else r"(?:\.0+)?"
    value = 0 if part else int(whole)
    spoken = SPOKEN[value - 2 : value - 1] if value >= 2 else []
    ways = [pattern, *(rf"(?<!\w-){word}(?!-\w| hundred| thousand)" for word in spoken)]
    around = found.string[max(0, found.start() - 1) : found.start()] + found.string[found.end() : found.end() + 1]
    if 2 <= value <= 99 and max(around, default="") > HAN:
        ways.append(rf"(?<!{NO_NUMERAL}){numeral(value)}(?!{NO_NUMERAL})")
    return f"(?:{'|'.join(ways)})"


def numeral(value: int) -> str:
    """A pattern of a Chinese number below a hundred."""
    if value == 2:
        return f"[{NUMERALS[2]}\u4e24]"
    tens, ones = divmod(value, 10)
    return (NUMERALS[tens] if tens > 1 else "") + (NUMERALS[10] if tens else "") + (NUMERALS[ones] if ones else "")


CHECKS = {"json": check_json, "csv": check_csv, "markdown": check_markdown, "python": check_python}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
