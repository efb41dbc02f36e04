"""Units: what each is worth within its dimension, and its names."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["DIMENSIONS", "Unit", "dimension_of", "names_of", "unit_named", "units_of"]


class Unit(NamedTuple):
    """`factor` of the dimension's base unit, `offset` for scales with another zero, `names` the first of which is its sign."""

    factor: Fraction
    names: tuple[str, ...]
    offset: Fraction = Fraction(0)


def _table(text: str) -> dict[str, Unit]:
    """Lines ``factor sign | English names | Chinese names``; an English word has its plural by itself."""
    found = {}
    for line in text.strip().splitlines():
        first, english, han = (part.strip() for part in line.split("|"))
        factor, sign = first.split()
        factor, _, offset = factor.partition("@")
        words = [word.strip().replace("_", " ") for word in english.split(",") if word.strip()]
        words.insert(0, sign)
        words += [f"{word}s" for word in words if re.search("[a-z ]{2}[a-rt-y]\\Z", word)]
        names = (*words, *(word.replace("²", "^2").replace("³", "^3") for word in words), *han.split())
        found[sign] = Unit(Fraction(factor), tuple(dict.fromkeys(names)), Fraction(offset or 0))
    return found


DIMENSIONS: Final = {
    "mass": _table("""
        1/1000000000 μg | ug, mcg, microgram, microgramme | 微克
        1/1000000 mg | milligram, milligramme | 毫克
        1/1000 g | gram, gramme | 克
        1 kg | kilogram, kilogramme, kilo, kgs | 千克 公斤
        1/2 斤 | jin, catty | 市斤
        1000 t | tonne, metric_ton | 吨 公吨
        45359237/100000000 lb | lbs, pound | 磅
        45359237/1600000000 oz | ounce | 盎司
    """),
    "length": _table("""
        1/1000000 μm | um, micrometre, micrometer, micron | 微米
        1/1000 mm | millimetre, millimeter | 毫米
        1/100 cm | centimetre, centimeter | 厘米 公分
        1 m | metre, meter | 米
        1000 km | kms, kilometre, kilometer | 千米 公里
        254/10000 in | inch, inches | 英寸
        3048/10000 ft | foot, feet | 英尺
        9144/10000 yd | yard, yds | 码
        1609344/1000 mi | mile | 英里
        1852 nmi | nautical_mile | 海里
    """),
    "area": _table("""
        1/10000 cm² | cm2, sq_cm, square_centimetre, square_centimeter | 平方厘米
        1 m² | m2, sqm, sq_m, square_metre, square_meter | 平方米 平米
        10000 ha | hectare | 公顷
        1000000 km² | km2, sq_km, square_kilometre, square_kilometer | 平方公里 平方千米
    """),
    "volume": _table("""
        1/1000000 μl | μL, ul, uL, microlitre, microliter | 微升
        1/1000 ml | mL, cc, cm³, cm3, millilitre, milliliter | 毫升 立方厘米
        1/100 cl | cL, centilitre, centiliter | 厘升
        1/10 dl | dL, decilitre, deciliter | 分升
        1 L | l, litre, liter | 升 公升
        1000 m³ | m3, cubic_metre, cubic_meter | 立方米
    """),
    "temperature": _table("""
        1@0 °C | C, ° C, deg C, deg. C, degC, celsius, degrees celsius, degree celsius, degrees C | 摄氏度 度
        5/9@-160/9 °F | F, ° F, deg F, deg. F, degF, fahrenheit, degrees fahrenheit, degree fahrenheit, degrees F | 华氏度
        1@-5463/20 K | kelvin | 开尔文
    """),
    "data": _table("""
        1 B | byte | 字节
        1/8 bit | | 比特
        125 kbit | Kb, kilobit | 千比特
        125000 Mbit | Mb, megabit | 兆比特
        125000000 Gbit | Gb, gigabit | 吉比特
        1000 kB | KB, kb, kilobyte | 千字节
        1024 KiB | kibibyte |
        1000000 MB | mb, megabyte | 兆字节
        1048576 MiB | mebibyte |
        1000000000 GB | gb, gigabyte | 吉字节
        1073741824 GiB | gibibyte |
        1000000000000 TB | tb, terabyte | 太字节
        1099511627776 TiB | tebibyte |
    """),
    "time": _table("""
        1/1000000 μs | us, microsecond | 微秒
        1/1000 ms | msec, millisecond | 毫秒
        1 s | sec, secs, ", second | 秒 秒钟
        60 min | mins, m, ', minute | 分钟 分
        900 quarter-hour | quarter_hour | 刻钟
        3600 h | hr, hrs, hour | 小时 个小时 钟头 个钟头 时
        86400 d | day | 天 日
        604800 wk | wks, w, week | 周 星期 个星期 礼拜 个礼拜
    """),
    "months": _table("""
        1 month | mo, mos, mth, mths | 个月 月
        3 quarter | | 季度 个季度
        12 year | yr, yrs, y | 年
    """),
    "ratio": _table("""
        1/10 ‰ | permille, per_mille, per_mil | 千分
        1 % | percent, per_cent, pct | 个百分点
    """),
    "speed": _table("""
        1 m/s | mps, metres_per_second, meters_per_second | 米/秒 米每秒
        5/18 km/h | kph, kmh, kilometres_per_hour, kilometers_per_hour | 公里/小时 千米/小时 公里每小时 千米每小时
        44704/100000 mph | miles_per_hour, mi/h | 英里/小时 英里每小时
        463/900 kn | kt, kts, knot | 节
    """),
    "pressure": _table("""
        1 Pa | pascal | 帕 帕斯卡
        100 hPa | mbar, millibar, hectopascal | 百帕 毫巴
        1000 kPa | kilopascal | 千帕
        1000000 MPa | megapascal | 兆帕
        100000 bar | bars | 巴
        133322387415/1000000000 mmHg | mm_Hg | 毫米汞柱
        6894757293/1000000 psi | |
    """),
    "energy": _table("""
        1 J | joule | 焦 焦耳
        1000 kJ | kilojoule | 千焦
        1000000 MJ | megajoule | 兆焦
        4184 kcal | kilocalorie | 千卡 大卡
        3600 Wh | watt_hour, watt-hour | 瓦时
        3600000 kWh | kilowatt_hour, kilowatt-hour | 千瓦时 度 度电
        3600000000 MWh | megawatt_hour, megawatt-hour | 兆瓦时
    """),
    "power": _table("""
        1/1000 mW | milliwatt | 毫瓦
        1 W | watt | 瓦 瓦特
        1000 kW | kilowatt | 千瓦
        1000000 MW | megawatt | 兆瓦
    """),
    "frequency": _table("""
        1 Hz | hertz | 赫兹
        1000 kHz | kilohertz | 千赫
        1000000 MHz | megahertz | 兆赫
        1000000000 GHz | gigahertz | 吉赫
    """),
    "rate": _table("""
        1 /min | bpm, per_minute, beats/min, beats_per_minute, breaths/min, times/min, rpm | 次/分 次/分钟 次每分钟
        1/60 /h | per_hour, times/h, times_per_hour | 次/小时 次每小时
    """),
    "voltage": _table("""
        1/1000 mV | millivolt | 毫伏
        1 V | volt | 伏 伏特
        1000 kV | kilovolt | 千伏
    """),
    "current": _table("""
        1/1000 mA | milliamp, milliampere | 毫安
        1 A | amp, ampere | 安 安培
    """),
    "concentration": _table("""
        1/1000000 μg/L | μg/l, ug/L, ug/l, mcg/L, ng/mL, ng/ml | 微克/升
        1/1000 mg/L | mg/l, μg/mL, μg/ml | 毫克/升
        1/100 mg/dL | mg/dl | 毫克/分升
        1 g/L | g/l, mg/mL, mg/ml | 克/升 毫克/毫升
        10 g/dL | g/dl | 克/分升
    """),
    "amount": _table("""
        1/1000 μmol/L | μmol/l, umol/L, umol/l | 微摩尔/升
        1 mmol/L | mmol/l | 毫摩尔/升
    """),
    "data rate": _table("""
        1000 kbit/s | kbps, Kbps, kb/s | 千比特/秒
        1000000 Mbit/s | Mbps, Mb/s | 兆比特/秒
        1000000000 Gbit/s | Gbps, Gb/s | 吉比特/秒
    """),
}  # fmt: skip
SIGNS: Final = {name: (kind, sign) for kind, units in DIMENSIONS.items() for sign, unit in units.items()
                for name in unit.names[:2]}  # fmt: skip


@lru_cache(maxsize=256)
def dimension_of(name: str) -> str | None:
    """The dimension in which a unit goes by that name; None for a unit of the caller's own ("pallet")."""
    kinds = [kind for kind, units in DIMENSIONS.items() if any(name in unit.names for unit in units.values())]
    return SIGNS[name][0] if name in SIGNS else kinds[0] if kinds else None


@lru_cache(maxsize=256)
def units_of(name: str) -> dict[str, Unit]:
    """All units of the dimension of a unit, by sign; a unit of the caller's own stands alone."""
    kind = dimension_of(name)
    return DIMENSIONS[kind] if kind else {name: Unit(Fraction(1), (name,))}


def unit_named(name: str, among: dict[str, Unit]) -> Unit | None:
    """The unit of that very name, or of that name in other letters where only one has it."""
    exact = [unit for unit in among.values() if name in unit.names]
    if exact:
        return exact[0]
    close = [unit for unit in among.values() if name.casefold() in [other.casefold() for other in unit.names]]
    return close[0] if len(close) == 1 else None


@lru_cache(maxsize=256)
def names_of(name: str) -> tuple[str, ...]:
    """All names of a unit."""
    unit = unit_named(name, units_of(name))
    return unit.names if unit else (name,)
