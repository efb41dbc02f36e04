"""How the values of artefacts are typed: a description for each field, the expected value in it, and how people write it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import Any, Final

from claw_adapter import values
from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.compiler.canon import NOW, Canon
from claw_adapter_scenarios.language.values import Value, render_value, to_value
from claw_adapter_scenarios.language.wording import words_of

__all__ = ["Types", "expected_text", "in_words", "rounded"]

NOISE: Final = "0.000000001"
"""Tolerance of a number where none is stated: what the sum of binary fractions is off."""
CHINESE_ZONES: Final = {"北京时间": "+08:00", "中国标准时间": "+08:00", "CST": "+08:00"}


class Types:
    """The types of one variant: its language, calendar, clock and people."""

    def __init__(self, canon: Canon) -> None:
        self.canon = canon
        truth = canon.spec.truth
        chinese = truth.language.startswith("zh")
        self.language = "zh" if chinese else "en"
        zones = {"zones": CHINESE_ZONES} if chinese and truth.offset == "+08:00" else {}
        self._own: dict[str, Any] = {
            "locale": "zh-CN" if chinese else truth.language,
            "year": canon.value(NOW).year,
            "zone": truth.offset,
            **zones,
        }

    def stated(self, given: Mapping[str, Any], tolerance: float = 0.0, form: str = "") -> dict[str, Any]:
        """The type that an author states, in the form that the question asks for.

        Raises:
            ScenarioError: it is none.
        """
        return self._complete({**self._rendered(given), **_asked(form)}, tolerance)

    def natural(
        self, found: Value, *, form: str = "", accept: Sequence[str] = (), tolerance: float = 0.0
    ) -> dict[str, Any]:
        """The type that a value has by itself; `form` says what of a moment is asked for, `accept` is what says the same."""
        return self._complete({**self._natural(found, form, accept), **_asked(form)}, tolerance)

    def _complete(self, given: Mapping[str, Any], tolerance: float = 0.0) -> dict[str, Any]:
        """A description with what the scenario knows: locale, year, zone, tolerance.

        Raises:
            ScenarioError: it is none.
        """
        kind = str(given.get("type"))
        allowed = values.KEYS.get(kind, frozenset())
        own = {key: value for key, value in self._own.items() if key in allowed}
        if tolerance and "tolerance" in allowed:
            own["tolerance"] = str(tolerance)
        elif kind == "number" and not given.keys() & {"tolerance", "relative", "round"}:
            own["tolerance"] = NOISE
        made = {**own, **given}
        if kind == "person" and "people" not in made:
            made["people"] = self.people()
        if kind == "names" and isinstance(made.get("of"), dict) and "type" in made["of"]:
            made["of"] = self._complete(made["of"])
        try:
            values.validate(made)
        except ValueError as error:
            raise ScenarioError(
                f"'as' is no type: {error}", remedy="docs/values.md has the types and their keys."
            ) from None
        return made

    def _rendered(self, given: Any) -> Any:
        """The strings of a description, keys of options included, as templates."""
        if isinstance(given, str):
            return self.canon.render(given).text
        if isinstance(given, list):
            return [self._rendered(one) for one in given]
        if isinstance(given, dict):
            return {self._rendered(key): self._rendered(one) for key, one in given.items()}
        return given

    def _natural(self, found: Value, form: str, accept: Sequence[str]) -> dict[str, Any]:
        if isinstance(found, bool):
            return {"type": "choice", "of": values.YES_NO}
        if isinstance(found, int | float):
            return {"type": "number"}
        if isinstance(found, timedelta):
            return {"type": "duration", "bare": "min"}
        if isinstance(found, date | time):
            return {"type": _kind_of_moment(found, form)}
        text = render_value(found, "", self.canon.language)
        if text in self.canon.people.values() and not accept:
            return {"type": "person"}
        return {"type": "choice", "of": {text: list(accept)}}

    def people(self) -> dict[str, list[str]]:
        """Everybody by full name, with what else tells them apart: role, mail address."""
        roles = Counter(actor.role.casefold() for actor in self.canon.spec.truth.actors.values())
        return {
            full: [
                *([role] if role and roles[role.casefold()] == 1 else []),
                self.canon.text(name, "mail") or "",
            ]
            for name, full in self.canon.people.items()
            for role in [self.canon.text(name, "role")]
        }

    def expect(self, description: Mapping[str, Any], found: Value) -> Any:
        """The expected value as JSON that the check takes.

        Raises:
            ScenarioError: what the expression gives cannot be said in the type.
        """
        if isinstance(found, list | tuple) and description["type"] == "names":
            return sorted((self.expect(description["of"], one) for one in found), key=str)
        value = values.parse({**description, "form": ""}, plain(description, found, self.canon.language))
        if isinstance(value, values.Refused):
            raise ScenarioError(f"{found!r} is no {description['type']} as asked for: {value}")
        return values.as_json(value)

    def spoilt(self, description: Mapping[str, Any], found: Value) -> Value:
        """A wrong value of the same type: for readers who never looked, where nothing misleading is on record."""
        if isinstance(found, bool):
            return not found
        if isinstance(found, str) and description["type"] not in ("person", "choice", "names", "reference"):
            found = _read_back(description, found)
        if isinstance(found, int | float):
            return round(found * 1.5 + 1, 2)
        if isinstance(found, datetime):
            moved = found + timedelta(days=description["type"] != "time")
            return moved.replace(hour=(found.hour + 5) % 24)
        if isinstance(found, time):
            return found.replace(hour=(found.hour + 5) % 24)
        if isinstance(found, date | timedelta):
            return found + timedelta(days=3)
        options = list(description.get("people") or description.get("of") or ())
        right = values.parse(dict(description), str(found))
        unchecked = words_of(self.canon.language)["unchecked"].format(value=found)
        return next((option for option in options if option != right), unchecked)


def _read_back(description: Mapping[str, Any], text: str) -> Value:
    """A date, time or moment that is written out; the text itself where it is none."""
    value = values.parse({**description, "form": ""}, text)
    if description["type"] == "time" and isinstance(value, str):
        return time.fromisoformat(value)
    if description["type"] in ("date", "moment") and isinstance(value, str):
        return to_value(value[:10] if description["type"] == "date" else value[:16])
    return text


def _asked(form: str) -> dict[str, str]:
    """The form that the question asks for; `hm` and `date` only say which part of a moment is meant."""
    return {} if form in ("", "hm", "date") else {"form": form}


def _kind_of_moment(found: date | time, form: str) -> str:
    if isinstance(found, time) or (isinstance(found, datetime) and form in ("hm", "HH:MM")):
        return "time"
    return "moment" if isinstance(found, datetime) and form not in ("date", "YYYY-MM-DD") else "date"


def plain(description: Mapping[str, Any], found: Value, language: str) -> Any:
    """A value as a text or number that its type reads; a number alone has the unit or currency that was asked for."""
    kind = description["type"]
    if isinstance(found, timedelta):
        seconds = found.total_seconds()
        return f"{seconds:g} s" if kind == "duration" else plain(description, seconds / 60, language)
    if isinstance(found, int | float) and not isinstance(found, bool):
        return _with_unit(description, found)
    if isinstance(found, datetime | time) and kind == "time":
        return found.strftime("%H:%M:%S" if found.second else "%H:%M")
    return render_value(found, "date" if isinstance(found, datetime) and kind == "date" else "", language)


def rounded(description: Mapping[str, Any], found: Value) -> Value:
    """A number as it is written where so many decimals are asked for."""
    if isinstance(found, bool) or not isinstance(found, int | float) or "round" not in description:
        return found
    step = Fraction(str(description["round"]))
    return float(round(Fraction(str(round(found, 9))) / step) * step)


def _with_unit(description: Mapping[str, Any], found: float) -> str:
    number = render_value(round(found, 9) if isinstance(found, float) else found)
    if description["type"] == "number" and "unit" in description:
        return _united(number, description)
    return f"{number} {description['bare']}" if description["type"] == "duration" and "bare" in description else number


def _united(number: str, description: Mapping[str, Any]) -> str:
    """A number with its unit, which is in the plural where its type reads that as the same."""
    unit = str(description["unit"])
    if unit == "%":
        return f"{number}%"
    text = f"{number} {unit}"
    other = f"{number} {unit.removesuffix('s')}" if number == "1" else f"{number} {unit}s"
    if len(unit) < 3 or unit in ("min", "sec") or not (unit.isascii() and unit.islower()):
        return text
    found = values.parse(dict(description), other)
    same = not isinstance(found, values.Refused) and found == values.parse(dict(description), text)
    return other if same else text


def in_words(description: Mapping[str, Any], found: Value, language: str) -> str:
    """A value as somebody writes it behind a label: plainly, rounded as asked for, with the unit or currency."""
    kind = description["type"]
    if isinstance(found, bool) and kind == "choice" and description["of"] == values.YES_NO:
        return words_of(language)["yes" if found else "no"]
    text = str(plain(description, rounded(description, found), language))
    if kind in ("date", "time", "moment") and description.get("form"):
        value = values.parse({**description, "form": ""}, text)
        return _first_way(description, value, language)
    if isinstance(found, bool | int | float | timedelta) and kind in ("money", "duration", "choice"):
        value = values.parse(dict(description), text)
        return text if isinstance(value, values.Refused) else _first_way(description, value, language) or text
    return text


def _first_way(description: Mapping[str, Any], value: Any, language: str) -> str:
    """The plainest notation: money by the currency's name in Chinese, and with both decimals or none."""
    ways = values.renderings(dict(description), value, language[:2])
    first = next(iter(ways.values()), "")
    if description["type"] != "money":
        return first
    named = (text for name, text in ways.items() if name.endswith(" behind") and name[:1] > "\u2e7f")
    cents = re.sub(r"(\d[.,]\d)(?!\d)", r"\g<1>0", next(named, first))
    return cents if values.parse(dict(description), cents) == value else first


def expected_text(wanted: Mapping[str, Any], language: str) -> str:
    """What a check expects of a field, as a text that it accepts; of true and false as JSON has them."""
    if "flag" in wanted:
        return "true" if wanted["flag"] else "false"
    description, value = dict(wanted["as"]), wanted["value"]
    kind = description["type"]
    if kind in ("date", "time", "moment") and description.get("form"):
        return _first_way(description, value, language)
    if kind in ("number", "money") and "round" in description:
        value = _rounded_form(description, value)
    if kind in ("time", "moment"):
        return str(value)[: 5 if kind == "time" else 16].replace("T", " ")
    if kind == "number":
        text = _number(float(Fraction(str(value))), float(Fraction(str(description.get("tolerance", 0)))))
        return _united(text, description) if "unit" in description else text
    if kind in ("money", "duration"):
        return _first_way(description, value, language) or str(value)
    yes_or_no = kind == "choice" and description["of"] == values.YES_NO
    parts = value if isinstance(value, list) else [value]
    return words_of(language)["comma"].join(words_of(language)[str(one)] if yes_or_no else str(one) for one in parts)


def _rounded_form(description: Mapping[str, Any], value: Any) -> Any:
    """The form in JSON of a number or of money, rounded."""
    amount, *currency = value if isinstance(value, list) else [value]
    whole = str(rounded(description, float(Fraction(str(amount)))))
    return [whole, *currency] if currency else whole


def _number(value: float, tolerance: float) -> str:
    """All digits of a number, but no more decimals (two to six) than tell it within the tolerance."""
    digits = next((n for n in range(2, 6) if abs(round(value, n) - value) <= tolerance + 1e-9), 6)
    return render_value(round(value, digits))
