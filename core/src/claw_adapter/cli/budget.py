"""`claw budget`."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import signal
from typing import TYPE_CHECKING, Any

import click

from claw_adapter.cli.common import console

if TYPE_CHECKING:
    from claw_adapter.endpoint.budget import Budget

__all__ = ["command"]


@click.command("budget")
@click.option(
    "--listen", default="127.0.0.1:0", show_default=True, metavar="HOST:PORT", help="Where; port 0 takes a free one."
)
@click.option("--requests-per-minute", type=int, help="Requests that may go out to each model in a minute.")
@click.option("--tokens-per-minute", type=int, help="Tokens, sent and received, of each model in a minute.")
@click.option("--concurrent", type=int, help="Requests to each model that may be under way at a time.")
@click.option("--max-cost", metavar="USD", help="Refuse requests that would cost more in all, at list price.")
@click.option("--max-tokens", type=int, help="Refuse requests with which there would be more tokens.")
@click.option("--max-requests", type=int, help="Refuse further requests.")
def command(listen: str, **limits: Any) -> int:
    """Keep the requests of several runs within limits together, until it is interrupted.

    Runs name it: claw run … --budget URL. What was spent counts from its start. An address that other machines reach needs
    a key of yours in the environment variable CLAW_BUDGET_KEY, here and where the runs are.
    """
    from pydantic import ValidationError

    from claw_adapter.endpoint.budget import Budget
    from claw_adapter.endpoint.rates import BUDGET_KEY
    from claw_adapter.protocol.stopping import RateLimits, SpendingLimits

    given = {name: value for name, value in limits.items() if value is not None}
    if not given:
        raise click.UsageError("a budget needs a limit, such as --requests-per-minute 60")
    host, port = _address(listen)
    key = os.environ.pop(BUDGET_KEY, "")
    if not key and not _is_loopback(host):
        raise click.UsageError(f"--listen {listen} is reached by others: set {BUDGET_KEY} to a secret of yours")
    try:
        rates = RateLimits.model_validate({name: given[name] for name in given.keys() & RateLimits.model_fields})
        spending = SpendingLimits.model_validate({n: given[n] for n in given.keys() & SpendingLimits.model_fields})
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        raise click.UsageError(f"--{str(wrong['loc'][0]).replace('_', '-')}: {wrong['msg']}") from None
    asyncio.run(_serve(Budget(rates, spending, key), host, port))
    return 0


async def _serve(budget: Budget, host: str, port: int) -> None:
    from aiohttp import web

    from claw_adapter.errors import ArgumentError

    out, over = console(), asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, over.set)
    runner = web.AppRunner(budget.app(), access_log=None, shutdown_timeout=0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            raise ArgumentError(f"--listen {host}:{port}: {error.strerror or error}") from None
        taken = runner.addresses[0][1]
        shown = f"[{host}]" if ":" in host else host
        out.print(f"http://{shown}:{taken}", highlight=False)
        await over.wait()
        spent = budget.spent
        out.print(f"spent: {spent.requests:,} requests, {spent.tokens:,} tokens, {spent.cost:.4f} USD", highlight=False)
    finally:
        await runner.cleanup()


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdigit() or int(port) > 65_535:
        raise click.UsageError(f"--listen {text}: write HOST:PORT, such as 127.0.0.1:8700")
    return host.strip("[]"), int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
