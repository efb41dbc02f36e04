"""SEC: what is secret stays so, what is outside stays out of reach, and requests go to the endpoint only."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from claw_adapter.certify.check import check
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import read, run, say
from claw_adapter.certify.trial import KitTrial
from claw_adapter.certify.watch import files_below

SECRETS: Final = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CLAW_CERTIFY_SECRET")
ODD_NAMES: Final = (
    "notes/with blank.md",
    "notes/-dash.md",
    "notes/quote'\".md",
    "notes/grüße-你好.md",
    "notes/a;b&c.md",
)
MOST_BYTES: Final = 20_000_000


@check(
    "SEC-001", level="gold", must="M10",
    catches="The harness inherits our environment: every key of the machine is one `env` away from the agent.",
    remedy="Give children only what ctx.spawn gives them, plus what the harness needs in `env`.",
    needs=("turns",),
)  # fmt: skip
async def our_environment_stays_ours(kit: Kit) -> None:
    """Secrets in our environment; the agent prints its own, and everything that is kept is searched."""
    word = kit.canary("secret")
    before = {name: os.environ.get(name) for name in SECRETS}
    os.environ.update(dict.fromkeys(SECRETS, f"sk-{word}"))
    try:
        async with kit.plain(first=True) as t:
            turn = await kit.send(t, f"Print the environment, {kit.canary()}.", run("env"), say("Printed."))
            checkpoint = await t.checkpoint() if turn.error is None else None
            places = {
                "what the agent's command printed": "\n".join(deed.text for deed in turn.deeds),
                "a model request": "\n".join(request.text for request in turn.requests),
                "the turn's result": turn.result.model_dump_json(),
                "the checkpoint": checkpoint.model_dump_json() if checkpoint else "",
                "a file of the trial": _holding(t.folder, word),
            }
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    turn.answered("Printed.")
    turn.deed()
    for place, text in places.items():
        kit.expect(word not in text, f"a secret of our environment is in {place}")


def _holding(folder: Path, word: str) -> str:
    """The word and the names of the files that hold it; empty when there is none."""
    found = []
    for name, size in files_below(folder).items():
        path = folder / name
        if size <= MOST_BYTES and path.is_file() and not path.is_symlink() and word.encode() in path.read_bytes():
            found.append(name)
    return f"{word} in {found}" if found else ""


@check(
    "SEC-002", level="gold", must="M11",
    catches="The harness calls other hosts: telemetry, updates, model catalogues, a title model.",
    remedy="Switch them off in the harness's configuration or environment.",
    needs=("turns",), isolated=True,
)  # fmt: skip
async def no_request_off_loopback(kit: Kit) -> None:
    """In a namespace that has nothing but loopback the kernel counts every attempt to go elsewhere."""
    async with kit.plain(first=True) as t:
        tried = await _attempts(kit, t, f"Read the plan, {kit.canary('one')}.")
        tried = max(tried, await _attempts(kit, t, f"Once more, {kit.canary('two')}."))
        later = _unroutable(item.pid for item in t.processes())
    kit.note(f"attempts to reach another host: {max(tried, later)}")
    kit.expect(max(tried, later) == 0, f"{max(tried, later)} attempts to reach something that is not on loopback")


async def _attempts(kit: Kit, t: KitTrial, prompt: str) -> int:
    """How often the harness's namespaces had no route, seen while the model takes its time over the last reply."""
    sending = asyncio.create_task(kit.send(t, prompt, read(kit.past.file), say("Read.", delay=1.0)))
    most = 0
    while not sending.done():
        most = max(most, _unroutable(item.pid for item in await asyncio.to_thread(t.processes)))
        await asyncio.wait({sending}, timeout=0.2)
    sending.result().answered("Read.")
    return most


def _unroutable(pids: Iterable[int]) -> int:
    """The sum of ``OutNoRoutes`` (IPv4 and IPv6) over the network namespaces of these processes, ours left out."""
    spaces: dict[str, int] = {}
    for pid in pids:
        try:
            space = str((Path("/proc") / str(pid) / "ns/net").readlink())
            four = (Path("/proc") / str(pid) / "net/snmp").read_text()
            six = (Path("/proc") / str(pid) / "net/snmp6").read_text()
        except OSError:
            continue
        if space != str(Path("/proc/self/ns/net").readlink()):
            spaces[space] = _counted(four) + _counted6(six)
    return sum(spaces.values())


def _counted(text: str) -> int:
    lines = [line.split() for line in text.splitlines() if line.startswith("Ip:")]
    return int(dict(zip(lines[0], lines[1], strict=True)).get("OutNoRoutes", 0)) if len(lines) == 2 else 0


def _counted6(text: str) -> int:
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Ip6OutNoRoutes"))


@check(
    "SEC-003", level="gold", must="M9",
    catches="The agent can read what is outside its workspace, such as answers or other trials, by path, by .. or by link.",
    remedy="Pass only the harness's installation as `readable`, never a parent of the trial's folder.",
    needs=("turns",), isolated=True,
)  # fmt: skip
async def the_rest_is_out_of_reach(kit: Kit) -> None:
    """A file beside the trial's folder, by its path, by ``..`` and through a link in the workspace."""
    word = kit.canary("gold")
    async with kit.plain() as t:
        hidden = kit.bench.root / "sources" / "gold.txt"
        hidden.parent.mkdir(exist_ok=True)
        hidden.write_text(word, "utf-8")
        link = t.ctx.workspace / "link.txt"
        link.symlink_to(hidden)
        climbing = os.path.relpath(hidden, t.ctx.inside(t.ctx.workspace))
        command = f"cat '{hidden}' '{climbing}' link.txt; ls '{kit.bench.root}' '{hidden.parent}'; echo looked"
        turn = await kit.send(
            t, f"Look around, {kit.canary()}.", run(command), read(climbing), read("link.txt"), say("Looked.")
        )  # fmt: skip
        link.unlink()
        hidden.unlink()
        turn.answered("Looked.")
        kit.expect(turn.deeds and turn.deeds[0].possible, "the harness offered no tool that runs a command")
        kit.absent(turn.requests, word, "a file from outside the workspace")


@check(
    "SEC-004", level="gold", must="M20",
    catches="File names with blanks, quotes, leading dashes or letters outside ASCII break the harness or its adapter.",
    remedy="Hand names on as they are, never through a shell.",
    needs=("turns", "update_workspace"),
)  # fmt: skip
async def odd_file_names(kit: Kit) -> None:
    """Each file is read by the agent."""
    words = {name: kit.canary(name) for name in ODD_NAMES}
    async with kit.trial(files={name: f"{word}\n" for name, word in words.items()}) as t:
        steps = [read(name, word) for name, word in words.items()]
        turn = await kit.send(t, f"Read them all, {kit.canary()}.", *steps, say("Read."))
        turn.answered("Read.")
        for index, (name, word) in enumerate(words.items()):
            kit.expect(word in turn.deed(index).text, f"the content of {name!r} did not come back to the model")


@check(
    "SEC-005", level="gold", must="M27",
    catches="The endpoint's key lies in the workspace, where the agent, its tools and every snapshot see it.",
    remedy="Keep configuration files below ctx.state_dir.",
    needs=("turns",),
)  # fmt: skip
async def no_key_in_the_workspace(kit: Kit) -> None:
    """After a turn the workspace is searched, and what the agent wrote with it."""
    async with kit.plain() as t:
        turn = await kit.send(t, f"Read the plan, {kit.canary()}.", read(kit.past.file), say("Read."))
        turn.answered("Read.")
        found = _holding(t.ctx.workspace, t.ctx.endpoint.key)
        kit.expect(not found, f"the endpoint's key is in the workspace: {found.replace(t.ctx.endpoint.key, '[key]')}")
