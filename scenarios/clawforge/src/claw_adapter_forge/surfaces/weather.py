"""``weather`` and ``curl``: the forecast, and the same data behind a web address."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

from claw_adapter_forge.surfaces.grammar import Arg, Args, Flag, Refused, Verb
from claw_adapter_forge.world.records import Place, WeatherDay
from claw_adapter_forge.world.state import World

__all__ = ["VERBS"]

_CODES = {"sunny": 0, "cloudy": 3, "rainy": 61, "snowy": 71, "stormy": 95}
_MAX_DAYS = 7


def _place(world: World, name: str) -> Place:
    for place in world.rows("weather", Place):
        if place.id.lower() == name.strip().lower():
            return place
    raise Refused(f"No forecast for {name}")


def _day(day: WeatherDay) -> str:
    return f"{day.date}: {day.condition}, {day.temperature}°C, {day.humidity}% humidity"


def _get(world: World, args: Args) -> str:
    place = _place(world, args.text("location"))
    wanted = args.text("date") or world.now[:10]
    for day in place.days:
        if day.date == wanted:
            return f"Weather for {place.id}: {_day(day)}"
    raise Refused(f"No forecast for {place.id} on {wanted}")


def _forecast(world: World, args: Args) -> str:
    place = _place(world, args.text("location"))
    count = max(1, min(args.number("days"), _MAX_DAYS))
    days = place.days[:count]
    return "\n".join([f"{len(days)}-day forecast for {place.id}:", *(f"  {_day(d)}" for d in days)])


def _alerts(world: World, args: Args) -> str:
    place = _place(world, args.text("location"))
    bad = [d for d in place.days if d.condition == "stormy"]
    lines = [f"  {d.date}: storm warning" for d in bad]
    return "\n".join([f"Alerts for {place.id}:", *lines]) if lines else f"No alerts for {place.id}."


def _geocode(world: World, query: dict[str, list[str]]) -> dict[str, object]:
    name = query.get("name", [""])[0].lower()
    rows = [p for p in world.rows("weather", Place) if p.id.lower() == name]
    return {"results": [{"name": p.id, "latitude": p.latitude, "longitude": p.longitude} for p in rows]}


def _api_forecast(world: World, query: dict[str, list[str]]) -> dict[str, object]:
    try:
        latitude, longitude = float(query["latitude"][0]), float(query["longitude"][0])
    except (KeyError, ValueError) as error:
        raise Refused("latitude and longitude are needed", 22) from error
    places = world.rows("weather", Place)
    if not places:
        raise Refused("no data for this place", 22)
    near = min(places, key=lambda p: (p.latitude - latitude) ** 2 + (p.longitude - longitude) ** 2)
    return {
        "latitude": near.latitude,
        "longitude": near.longitude,
        "daily": {
            "time": [d.date for d in near.days],
            "weather_code": [_CODES[d.condition] for d in near.days],
            "temperature_2m_max": [d.temperature for d in near.days],
        },
    }


def _curl(world: World, args: Args) -> str:
    parts = urlsplit(args.text("url"))
    query = parse_qs(parts.query)
    if parts.hostname == "geocoding-api.open-meteo.com" and parts.path == "/v1/search":
        return json.dumps(_geocode(world, query))
    if parts.hostname == "api.open-meteo.com" and parts.path == "/v1/forecast":
        return json.dumps(_api_forecast(world, query))
    raise Refused(f"curl: (6) Could not resolve host: {parts.hostname or args.text('url')}", 6)


_LOCATION = Flag("location", "city", required=True)

VERBS = (
    Verb(
        ("weather", "get"),
        "The weather of one day.",
        _get,
        (_LOCATION, Flag("date", "day (today if not given)", "date"), Flag("online", "ask the service", "switch")),
    ),
    Verb(
        ("weather", "forecast"),
        "The days from today on.",
        _forecast,
        (_LOCATION, Flag("days", "how many, at most 7", "number", default="3")),
    ),
    Verb(("weather", "alerts"), "Warnings for a city.", _alerts, (_LOCATION,)),
    Verb(
        ("curl",),
        "Fetch from the weather service (api.open-meteo.com, geocoding-api.open-meteo.com); nothing else is reachable.",
        _curl,
        (Flag("silent", "no progress", "switch"),),
        (Arg("url", "address"),),
    ),
)
