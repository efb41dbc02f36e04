"""The type ``money``: an amount in a currency."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, NamedTuple

from .numerals import number
from .text import Description, Unclear, language_of
from .units import names_of

__all__ = ["CURRENCIES", "NAMES", "PER", "Money", "read_money"]


class Money(NamedTuple):
    """An exact amount and the ISO 4217 code of its currency."""

    amount: Fraction
    currency: str


CURRENCIES: Final = {
    "USD": "US$ US_dollar US_dollars U.S._dollars 美元 美金", "EUR": "€ euro euros 欧元",
    "GBP": "£ pound pounds pounds_sterling pound_sterling 英镑",
    "CNY": "元 元人民币 人民币 RMB CN¥ yuan renminbi yuan_renminbi Chinese_yuan 块 块钱 圆",
    "JPY": "円 JP¥ yen Japanese_yen 日元 日圆", "HKD": "HK$ Hong_Kong_dollars 港元 港币", "TWD": "NT$ 新台币",
    "KRW": "₩ won Korean_won 韩元",
    "INR": "₹ rupee rupees Indian_rupees 卢比",
    "CHF": "Fr. SFr. Swiss_francs 瑞士法郎 瑞郎",
    "AUD": "A$ AU$ Australian_dollars 澳元", "CAD": "C$ CA$ Canadian_dollars 加元",
    "SGD": "S$ SG$ Singapore_dollars 新加坡元 新元",
    "NZD": "NZ$ New_Zealand_dollars 新西兰元", "SEK": "Swedish_kronor 瑞典克朗", "NOK": "Norwegian_kroner 挪威克朗",
    "DKK": "Danish_kroner 丹麦克朗", "RUB": "₽ rouble roubles ruble rubles 卢布", "BRL": "R$ real reais 雷亚尔",
    "PLN": "zł zloty 兹罗提", "CZK": "Kč Czech_koruna 捷克克朗", "TRY": "₺ Turkish_lira 土耳其里拉", "THB": "฿ baht 泰铢",
    "VND": "₫ dong 越南盾", "ILS": "₪ shekel shekels", "UAH": "₴ hryvnia", "MXN": "MX$ Mexican_pesos",
    "ZAR": "rand South_African_rand 兰特",
}  # fmt: skip
DOLLARS: Final = {"US": "USD", "AU": "AUD", "CA": "CAD", "SG": "SGD", "NZ": "NZD", "HK": "HKD", "TW": "TWD"}
YEN: Final = {"zh": "CNY", "ja": "JPY"}
SHARED: Final[dict[str, tuple[str, ...]]] = {"$": ("USD", "AUD", "CAD", "SGD", "NZD", "HKD", "TWD", "MXN"), "¥": ("CNY", "JPY"),
                 "kr": ("SEK", "NOK", "DKK")}  # fmt: skip
SHARED.update(dollar=SHARED["$"], dollars=SHARED["$"])
NAMES: Final = {name.replace("_", " ").casefold(): code for code, names in CURRENCIES.items() for name in names.split()}
NAMES.update({code.casefold(): code for code in CURRENCIES})
LONGEST: Final = sorted((*NAMES, *SHARED), key=len, reverse=True)
PER: Final = r" ?(?:/|每|per ) ?"
SMALL: Final = re.compile(
    r"(?P<whole>.+?)[元块圆](?:(?P<tenth>[0-9一二三四五六七八九])(?:[角毛]|(?<=块.)\Z))?零?(?:(?P<cent>[0-9一二三四五六七八九])分)?(?:钱)?[整正]?"
)
CENTS: Final = re.compile(
    r"(.+?) ((?:US )?dollars?|euros?|pounds?)(?: and|,)? ([0-9]{1,2}|[a-z -]+) (?:cents?|pence|p)"
)


def read_money(description: Description, text: str) -> Money | None:
    """Symbol, code or name before or behind (or both, if they agree); an amount alone is in the type's `currency`."""
    if "per" in description:
        of = f"(?:{'|'.join(map(re.escape, names_of(description['per'])))})"
        text = re.sub(rf"(?<=.){PER}{of}\Z|\A每{of} ?(?=.)", "", text, count=1)
    sign, rest = 1, text
    if re.match(r"-(?=[^0-9.\s-])", text):
        sign, rest = -1, text[1:]
    before, rest = _before(rest)
    behind, rest = _behind(rest)
    codes = _codes([name for name in (before, behind) if name], description)
    amount = _amount(rest, description)
    if amount is None:
        return _parts(sign, text, description)
    if sign < 0 and amount < 0:
        return None
    code = codes.pop() if codes else description.get("currency")
    if code is None:
        raise Unclear(f"the currency is missing: write its code, as in {text} EUR")
    return Money(sign * amount, code)


def _before(text: str) -> tuple[str, str]:
    for name in LONGEST:
        if text.casefold().startswith(name):
            rest = text[len(name) :].lstrip()
            if not (name[-1].isalpha() and name.isascii() and rest[:1].isalpha() and rest[:1].isascii()):
                inner, more = _before(rest) if name not in SHARED and rest[:1] in SHARED else ("", rest)
                return (name, more) if not inner or NAMES[name] in SHARED[inner] else (name, rest)
    return "", text


def _behind(text: str) -> tuple[str, str]:
    text = re.sub("(?<=[元圆])[整正]\\Z", "", text)
    if (bracket := re.search(r" ?\(([A-Z]{3})\)\Z", text)) and bracket[1] in CURRENCIES:
        text = f"{text[: bracket.start()]} {bracket[1]}"
    for name in LONGEST:
        if text.casefold().endswith(name):
            rest = text[: len(text) - len(name)]
            if not (
                name[0].isalpha() and name.isascii() and rest[-1:].isalpha() and name not in SHARED and len(name) < 3
            ):
                return name, rest.rstrip()
    return "", text


def _codes(names: list[str], description: Description) -> set[str]:
    """The one currency that a line names; a code decides what a sign that several share means."""
    codes = {NAMES[name] for name in names if name in NAMES}
    for name in names:
        if name in SHARED:
            codes |= codes & set(SHARED[name]) or {_code(name, description)}
    if len(codes) > 1:
        raise Unclear("two currencies are named: name one")
    return codes


def _code(name: str, description: Description) -> str:
    """The currency a name means; of "$" and "¥" only where the type or its locale leaves one reading."""
    if name in NAMES:
        return NAMES[name]
    name = "$" if name.startswith("dollar") else name
    region = str(description.get("locale", "en")).replace("_", "-").partition("-")[2].upper()
    by_locale = YEN.get(language_of(description)) if name == "¥" else DOLLARS.get(region) if name == "$" else None
    stated = description.get("currency")
    readings = {code for code in (by_locale, stated) if code in SHARED[name]}
    if len(readings) != 1:
        raise Unclear(f"{name} is the sign of several currencies: write {' or '.join(SHARED[name][:2])}")
    return readings.pop()


def _amount(text: str, description: Description) -> Fraction | None:
    """A number, also with its scale in one letter behind it: 1.2m."""
    found = number(text, description)
    if found is None and re.fullmatch(r"[-0-9.,]+ ?[mb]", text):
        found = number(text[:-1] + ("M" if text[-1] == "m" else "bn"), description)
    return found


def _parts(sign: int, text: str, description: Description) -> Money | None:
    """12元5角, 3 dollars and 50 cents."""
    body = text.removeprefix("人民币").strip()
    if (small := SMALL.fullmatch(body)) and (small["tenth"] or small["cent"]):
        whole = number(small["whole"], description)
        tenth, cent = (number(small[name] or "0", {}) or Fraction(0) for name in ("tenth", "cent"))
        if body[-1].isnumeric() and (whole is None or whole >= 100):  # 两百块五 may be 250
            return None
        code = _code("元", description)
    elif large := CENTS.fullmatch(text):
        whole, cent, tenth = number(large[1], description), number(large[3], {}) or Fraction(100), Fraction(0)
        code = _code(large[2].lower(), description)
    else:
        return None
    fits = whole is not None and whole.denominator == 1 and whole >= 0 and tenth < 10 and cent < 100
    return Money(sign * (whole + tenth / 10 + cent / 100), code) if fits and whole is not None else None
