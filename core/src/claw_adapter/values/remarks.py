"""Whether a bracketed remark holds a value of the type beside which it stands: then there are two values, and so none."""

from __future__ import annotations

import re
from typing import Final

from .dates import ORDINALS
from .money import CURRENCIES
from .names import mentions
from .numerals import WORD
from .quantities import CLASSIFIERS
from .text import Description, Unclear

__all__ = ["refuse_values"]

MONTH: Final = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?"
PLACE: Final = re.compile(
    r"(?:\b(?:lines?|rows?|page|p\.|section|item|step|message|msg|note|figure|table)|[§#]) ?[0-9]+\b|第[0-9]+[行条页节]"
    rf"|(?<![\w.])(?!(?:UTC|GMT|PT|RMB|{'|'.join(CURRENCIES)}|{MONTH})-?[0-9])[A-Za-z_][\w./#:@-]*[0-9][\w./#-]*"
    r"|(?<![\w.])[\w./-]+\.[A-Za-z]{2,4}\b(?!\.)",
    re.IGNORECASE | re.ASCII,
)
"""A place in a file, an id, a file: their digits are no value."""
DATE: Final = re.compile(
    rf"\b[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}\b|\b[0-9]{{1,2}} {MONTH}(?: [0-9]{{4}})?\b|\b{MONTH} [0-9]{{1,2}}\b(?:, [0-9]{{4}})?"
    r"|(?:[0-9]{4}年)?[0-9]{1,2}月[0-9]{1,2}[日号]", re.IGNORECASE | re.ASCII,
)  # fmt: skip
CLOCK: Final = re.compile(r"\b[0-9]{1,2}:[0-9]{2}\b", re.ASCII)
ZONE: Final = re.compile(r"UTC|GMT|\A[A-Z]{1,4}T\Z|\A(?:[A-Z]\w* )+time\Z|\A\S+时间\Z")
NUMBERS: Final = re.compile(rf"\b(?:{'|'.join(WORD)})\b", re.IGNORECASE | re.ASCII)
ORDINAL: Final = re.compile(rf"\b(?:{'|'.join(ORDINALS)})\b", re.IGNORECASE | re.ASCII)
HAN: Final = re.compile(
    rf"[零〇一二三四五六七八九十百千万两半](?:[^\u3400-\u9fff]|\Z|[{CLASSIFIERS}元块时点分秒天日号月年周小刻公千米克度])"
)
NUMERIC: Final = {
    "number": (DATE, CLOCK),
    "money": (DATE, CLOCK),
    "duration": (DATE, CLOCK),
    "time": (DATE,),
    "date": (CLOCK,),
}


def refuse_values(description: Description, found: object, remark: str) -> None:
    """Raise if the remark asks a question, says nothing, or holds a value of the type other than `found`.

    Raises:
        Unclear: with what to write instead.
    """
    if "?" in remark or not any(sign.isalpha() for sign in remark):
        raise Unclear("the remark in brackets is no remark: leave it out")
    kind = description["type"]
    if kind in ("time", "moment") and ZONE.search(remark):
        raise Unclear("the remark in brackets names a time zone that is not one of this type: leave it out")
    if kind in ("person", "choice"):
        if mentions(description, remark) - {found}:
            raise Unclear("the remark in brackets names another one: leave it out")
    elif kind == "reference":
        if PLACE.search(remark):
            raise Unclear("the remark in brackets names a place: leave it out")
    elif kind != "names":
        _refuse_numbers(kind, remark)


def _refuse_numbers(kind: str, remark: str) -> None:
    remark = PLACE.sub(" ", remark)
    for other in NUMERIC.get(kind, ()):
        remark = other.sub(" ", remark)
    ordinal = kind in ("date", "moment") and ORDINAL.search(remark)
    if ordinal or any(sign.isnumeric() and not "\u3400" <= sign <= "\u9fff" for sign in remark):
        raise Unclear("the remark in brackets holds a number: leave it out")
    if NUMBERS.search(remark) or HAN.search(remark):
        raise Unclear("the remark in brackets holds a number in words: leave it out")
