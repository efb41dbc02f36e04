"""A number alone: in digits with the locale's marks, in English words, in Chinese numerals. Whole or not at all."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from .text import Description, language_of

__all__ = ["CHINESE", "chinese", "chinese_words", "digits", "english_words", "number", "whole"]

COMMA: Final = frozenset([
    "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "cs", "sk", "da", "sv", "nb", "no", "fi",
    "tr", "el", "ro", "hu", "id", "vi", "bg", "hr", "sl", "et", "lv", "lt",
])  # fmt: skip
"""Languages that write 1.234,5 or 1 234,5."""
VULGAR: Final = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5),
    "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip
ONES: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
PLURALS: Final = {f"{word}s": size for word, size in SCALES.items()}
SHORT: Final = {"k": 10**3, "K": 10**3, "M": 10**6, "mn": 10**6, "bn": 10**9, "tn": 10**12, **SCALES, **PLURALS}
WORD: Final = {
    **{word: n for n, word in enumerate(ONES)}, **{word: 10 * (n + 2) for n, word in enumerate(TENS)},
    "hundred": 100, **SCALES,
}  # fmt: skip
PARTS: Final = {
    "a half": (1, 2),
    "a quarter": (1, 4),
    "three quarters": (3, 4),
    "a third": (1, 3),
    "two thirds": (2, 3),
}
CHINESE: Final = "零一二三四五六七八九"
PLACES: Final = {"十": 10, "百": 100, "千": 1000}
MYRIADS: Final = {"万": 10**4, "亿": 10**8}
LOWER: Final = {"百": "十", "千": "百", "万": "千"}
FORMAL: Final = str.maketrans("〇○两兩壹贰叁肆伍陆柒捌玖拾佰仟萬億點負", "零零二二一二三四五六七八九十百千万亿点负")
SUPERSCRIPT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
PLAIN: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
POWER: Final = re.compile(r"(.+?)(?:[eE]([+-]?[0-9]{1,2})|\s?[×x*·]\s?10(?:\^([+-]?[0-9]{1,2})|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})))")


def number(text: str, description: Description) -> Fraction | None:
    """Any notation of a number, with its sign; None where the whole text is none."""
    text = text.strip()
    sign = 1
    if signed := re.match(r"([+-])(?=[0-9.½¼¾⅓⅔])|(minus |negative )(?=\S)|(负|負)", text, re.IGNORECASE):
        sign = -1 if signed[0] != "+" else 1
        text = text[signed.end() :]
    found = _unsigned(text, description)
    return None if found is None else sign * found


def _unsigned(text: str, description: Description) -> Fraction | None:
    found = digits(text, description)
    if found is None:
        found = _mixed(text, description)
    if found is None:
        found = _scaled(text, description)
    if found is None and text.isascii():
        found = _spoken(text.lower())
    return found if found is not None else chinese(text, description)


def digits(text: str, description: Description) -> Fraction | None:
    """1234, 1,234.5 (or 1.234,5 by locale), 1 234, 1.5e3, 1.5 × 10³; without a sign."""
    if power := POWER.fullmatch(text):
        base = None if POWER.fullmatch(power[1]) else digits(power[1], description)
        exponent = int(power[2] or power[3] or power[4].translate(SUPERSCRIPT))
        return None if base is None else base * Fraction(10) ** exponent
    text = _ungrouped(text, description)
    return Fraction(text) if PLAIN.fullmatch(text) else None


def _ungrouped(text: str, description: Description) -> str:
    """Without the locale's marks between thousands and with a point before decimals; what has other marks stays."""
    locale = str(description.get("locale", "en"))
    group, mark = ("[.]", ",") if language_of(description) in COMMA else (",", "[.]")
    if locale.endswith("CH"):
        group, mark = "['.]" if mark == "," else "[',]", "[.]"
    groups = rf"[0-9]{{1,3}}(?:(?P<sign>{group}| )[0-9]{{3}}(?:(?P=sign)[0-9]{{3}})*)?|[0-9]+"
    if locale.endswith("IN"):
        groups += r"|[0-9]{1,2}(?:,[0-9]{2})*,[0-9]{3}"
    found = re.fullmatch(rf"(?P<whole>{groups})?(?:{mark}(?P<part>[0-9]+))?", text)
    if not found or not text:
        return "" if re.search("[.,']", text) else text
    whole_part = re.sub("[^0-9]", "", found["whole"] or "0")
    return whole_part + ("." + found["part"] if found["part"] else "")


def whole(text: str, description: Description) -> int | None:
    """A number from nought upwards without decimals."""
    found = _unsigned(text.strip(), description)
    return None if found is None or found.denominator != 1 else int(found)


def _mixed(text: str, description: Description) -> Fraction | None:
    """½, 2½, 3/4, 2 3/4: proper fractions."""
    if text[-1:] in VULGAR:
        part, rest = Fraction(*VULGAR[text[-1]]), text[:-1].strip()
    elif slashed := re.fullmatch(r"(?:([0-9]+) )?([0-9]{1,2})/([0-9]{1,2})", text):
        over, under = int(slashed[2]), int(slashed[3])
        if not 0 < over < under:
            return None
        part, rest = Fraction(over, under), slashed[1] or ""
    else:
        return None
    if not rest:
        return part
    before = digits(rest, description)
    return None if before is None or before.denominator != 1 else before + part


def _scaled(text: str, description: Description) -> Fraction | None:
    """12k, 1.2 million."""
    found = re.fullmatch(r"([0-9.,]+|[0-9 ]*(?:[½⅓⅔¼¾]|[0-9]/[0-9])) ?([A-Za-z]+)", text)
    if not found or (scale := SHORT.get(found[2]) or SHORT.get(found[2].lower() if len(found[2]) > 2 else "")) is None:
        return None
    base = digits(found[1], description)
    base = _mixed(found[1], description) if base is None else base
    return None if base is None else base * scale


def _spoken(text: str) -> Fraction | None:
    """Three hundred and twenty, minus two, three point five, two and a half."""
    text = re.sub("(thousand|million|billion), ", r"\1 ", text).replace("-and-a-half", " and a half")
    for words, part in PARTS.items():
        if text in (words, words.replace("a ", "one "), words.removeprefix("a ")) and text != "third":
            return Fraction(*part)
        for joint in (f" and {words}", f" and one {words.removeprefix('a ')}" if words.startswith("a ") else "\0"):
            if text.endswith(joint):
                before = _spoken(text.removesuffix(joint))
                before = digits(text.removesuffix(joint), {}) if before is None else before
                if before is None or before.denominator != 1 or before >= 100:  # a million and a half is 1.5 million
                    return None
                return before + Fraction(*part)
    if scaled := re.fullmatch(r"(.+?)(?:(?: of)? an?)? (thousand|million|billion|trillion)", text):
        base_part = _spoken(scaled[1])
        if base_part is not None and base_part.denominator > 1:
            return base_part * SCALES[scaled[2]]
    said, point, decimals = text.partition(" point ")
    base = _spoken_whole(said)
    if base is None or not point:
        return None if base is None else Fraction(base)
    places = [ONES.index(word) if word in ONES[:10] else -1 for word in decimals.split()]
    return Fraction(f"{base}.{''.join(map(str, places))}") if places and min(places) >= 0 else None


def _spoken_whole(text: str) -> int | None:
    said = text.replace("-", " ").split()
    words = [word for at, word in enumerate(said) if word != "and" or not _joins(said, at)]
    if words[:1] == ["a"] and len(words) > 1 and words[1] in ("hundred", *SCALES):
        words[0] = "one"
    total = group = 0
    for word in words:
        if word not in WORD:
            return None
        if word in SCALES:
            total, group = total + group * WORD[word], 0
        else:
            group = group * 100 if word == "hundred" else group + WORD[word]
    found = total + group
    usual = [english_words(found)]
    if 1000 < found < 10**4 and found // 100 % 10:
        usual.append(f"{english_words(found // 100)} hundred {english_words(found % 100) if found % 100 else ''}")
    return found if words and words in [form.replace("-", " ").split() for form in usual] else None


def _joins(words: list[str], at: int) -> bool:
    """Whether this "and" stands where one is said: after hundreds or thousands, before what is left."""
    return 0 < at < len(words) - 1 and words[at - 1] in ("hundred", *SCALES) and words[at + 1] in WORD


def english_words(value: int) -> str:
    """three hundred twenty-five"""  # noqa: D403, D415 - an example
    if value < 20:
        return ONES[value]
    if value < 100:
        return TENS[value // 10 - 2] + (f"-{ONES[value % 10]}" if value % 10 else "")
    if value < 1000:
        return f"{ONES[value // 100]} hundred" + (f" {english_words(value % 100)}" if value % 100 else "")
    scale, size = max(((word, size) for word, size in SCALES.items() if size <= value), key=lambda pair: pair[1])
    rest = value % size
    return f"{english_words(value // size)} {scale}" + (f" {english_words(rest)}" if rest else "")


def chinese(text: str, description: Description) -> Fraction | None:
    """三百二十, 三点五, 两千零五, 三分之一, 半, 1.2万; not 三四, which means three or four."""
    text = re.sub("(?<=[\u3400-\u9fff〇○]) | (?=[\u3400-\u9fff〇○])", "", text).translate(FORMAL)
    if text in ("半", "一半"):
        return Fraction(1, 2)
    if "分之" in text:
        under, _, over = text.partition("分之")
        pair = _numeral(over), _numeral(under)
        return Fraction(pair[0], pair[1]) if pair[0] is not None and pair[1] and under != "百" else None
    if re.match("[0-9]", text) and not text.isascii():
        return _digits_and_places(text, description)
    before, point, decimals = text.partition("点")
    base_number = _numeral(before)
    if base_number is None or not point:
        return None if base_number is None else Fraction(base_number)
    if not decimals or any(sign not in CHINESE for sign in decimals):
        return None
    return Fraction(f"{base_number}." + "".join(str(CHINESE.index(sign)) for sign in decimals))


def _digits_and_places(text: str, description: Description) -> Fraction | None:
    """1.2万, 3亿5千万, 3万5000, 3万零500; 3万5 is 35000, and 3万500 is refused, for it may be that or 3万5百."""
    for sign, size in (("亿", 10**8), ("万", 10**4), ("千", 1000), ("百", 100)):
        before, found, after = text.partition(sign)
        if not found:
            continue
        base = _digits_and_places(before, description)
        if base is None or not after:
            return None if base is None else base * size
        if len(after) == 1 and sign in LOWER:
            after += LOWER[sign]
        rest = _digits_and_places(after.removeprefix("零"), description)
        full = after[0] == "零" or not after.isdigit() or len(after) == len(str(size)) - 1
        fits = rest is not None and base.denominator == rest.denominator == 1 and 0 < rest < size and full
        return base * size + rest if fits and rest is not None else None
    numeral = _numeral(text) if text and not text.isascii() else None
    return digits(text, description) if numeral is None else Fraction(numeral)


def _numeral(text: str) -> int | None:
    """A whole number in numerals with places, in its usual form only; 一千二 is 1200."""
    if len(text) > 2 and text[-1] in CHINESE[1:] and text[-2] in LOWER:
        text += LOWER[text[-2]]
    total = group = one = 0
    for sign in text:
        if sign in CHINESE:
            one = CHINESE.index(sign)
        elif sign in PLACES:
            group, one = group + (one or 1) * PLACES[sign], 0
        elif sign in MYRIADS:
            above, here = (0, total + group + one) if sign == "亿" else (total, group + one)
            total, group, one = above + here * MYRIADS[sign], 0, 0
        else:
            return None
    found = total + group + one
    usual = chinese_words(found)
    return found if text in (usual, "一" + usual if usual[0] == "十" else usual) else None


def chinese_words(value: int) -> str:
    """三百二十"""  # noqa: D415 - an example
    if value < 10:
        return CHINESE[value]
    for sign, size in (("亿", 10**8), ("万", 10**4)):
        if value >= size:
            rest = value % size
            gap = CHINESE[0] if rest and rest < size // 10 else ""
            return chinese_words(value // size) + sign + gap + _inner(rest)
    for sign, size in (("千", 1000), ("百", 100), ("十", 10)):
        if value >= size:
            rest = value % size
            gap = CHINESE[0] if rest and rest < size // 10 else ""
            lead = "" if value < 20 else CHINESE[value // size]
            return lead + sign + gap + _inner(rest)
    raise AssertionError


def _inner(rest: int) -> str:
    """The lower part of a number: twelve is 一十二 there."""
    return "" if not rest else ("一" if 10 <= rest < 20 else "") + chinese_words(rest)
