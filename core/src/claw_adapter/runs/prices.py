"""What tokens cost, by a price list that others maintain (the package ``genai-prices``, extra ``prices``)."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import ipaddress
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlsplit

from claw_adapter.errors import PluginError
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.runs.providers import load_providers

__all__ = ["Price", "cost", "is_sold", "price_list", "prices_available"]

_PACKAGE: Final = "genai_prices"
_DISTRIBUTION: Final = "genai-prices"
_FREE: Final = ("reader", "scripted", "replay")


class Price(Record):
    """An amount, and where its prices come from."""

    amount: Decimal
    currency: str = "USD"
    prices: str
    """The price list with its version, which is all the dating that it has."""
    day: date
    """The day whose prices these are: some change on known days, and within a day."""
    entry: str
    """Provider and model under which the price stands in the list."""


def prices_available() -> bool:
    """Whether a price list is installed."""
    return importlib.util.find_spec(_PACKAGE) is not None


def price_list() -> str:
    """Name and version of the price list.

    Raises:
        PluginError: none is installed.
    """
    if not prices_available():
        remedy = "install the extra: pip install 'claw-adapter[prices]'"
        raise PluginError("no price list is installed", where=_DISTRIBUTION, remedy=remedy)
    return f"{_DISTRIBUTION} {importlib.metadata.version(_DISTRIBUTION)}"


def is_sold(model: ModelSpec) -> bool:
    """Whether somebody may ask money for the model: not for the reader, scripts, replays, and what runs on this machine."""
    return model.kind not in _FREE and bool(_entry(model)[1])


def cost(model: ModelSpec, usage: TokenUse, day: date | None = None, *, cached: bool = False) -> Price | None:
    """What `usage` costs at list price on `day` (today, UTC), nothing taken off for cached input: an upper bound.

    With `cached`, what of the input was cached has its own price, and all other input is written into the cache, which some
    providers charge for.

    The tokens should be the upstream's own; ours (cl100k) give an estimate. None when no price list is installed, when it does
    not have the model, and for what has no price: the reader, scripts, replays, and models on this machine.
    """
    if not is_sold(model) or not prices_available():
        return None
    name, where = _entry(model)
    day = day or datetime.now(UTC).date()
    prices: Any = importlib.import_module(_PACKAGE)  # optional, so that it has no types here
    used = prices.Usage(input_tokens=usage.input, output_tokens=usage.output)
    if cached:
        read = min(usage.cached or 0, usage.input)
        used.cache_read_tokens, used.cache_write_tokens = read, usage.input - read
    moment = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    try:
        found = prices.calc_price(used, name, genai_request_timestamp=moment, **where)
    except LookupError:
        return None
    entry = f"{found.provider.id}/{found.model.id}"
    return Price(amount=found.total_price, prices=price_list(), day=day, entry=entry)


def _entry(model: ModelSpec) -> tuple[str, dict[str, str]]:
    """The name to look for, and at whom: as the file of providers says, else by the host of the base URL."""
    known = load_providers().models.get(model.name)
    if known is not None:
        provider, _, name = known.price.partition("/")
        return name or known.id, {"provider_id": provider} if provider else {}
    host = urlsplit(model.base_url).hostname or ""
    if not host or host == "localhost" or _is_private(host):
        return model.model, {}
    return model.model or model.name, {"provider_api_url": model.base_url}


def _is_private(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False
