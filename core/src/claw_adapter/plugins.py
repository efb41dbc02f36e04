"""The plugin manager: loads lazily by name, and records what a broken plugin did instead of dying of it."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import importlib.util
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import pluggy

from claw_adapter import API_VERSION, hooks
from claw_adapter.distributions import DISTRIBUTIONS, Distribution
from claw_adapter.errors import AdapterError, ClawError, PluginError

__all__ = [
    "Plugin",
    "PluginStatus",
    "absent",
    "create",
    "create_all",
    "entry_points",
    "files_of",
    "find_remedy",
    "missing",
    "probe_all",
    "provides",
]

PROBE_SECONDS = 20.0
_BROUGHT_BY: Final = {name: ours.name for ours in DISTRIBUTIONS for name in ours.plugins}


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point of the group ``claw_adapter``: the name of a thing, and the distribution that brings it."""

    name: str
    distribution: str
    version: str
    target: str


@dataclass(frozen=True, slots=True)
class PluginStatus:
    """What probing a plugin in a process of its own has shown."""

    plugin: Plugin
    ok: bool
    provides: tuple[str, ...] = ()
    api: str = ""
    error: str = ""
    ready: bool | None = None
    """For a harness: whether it is installed here."""
    versions: dict[str, str] = field(default_factory=dict)
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        """Flat form for ``--json``."""
        return {**asdict(self.plugin), **{k: v for k, v in asdict(self).items() if k != "plugin"}}


def entry_points(name: str | None = None) -> list[Plugin]:
    """All plugins, or those of one name, without importing any; sorted by name, then distribution."""
    return [plugin for plugin in _installed(_places()) if name is None or plugin.name == name]


def files_of(name: str) -> list[Path]:
    """The Python files of the packages that bring the plugins of a name, none of which is imported."""
    found = []
    for plugin in entry_points(name):
        spec = importlib.util.find_spec(plugin.target.partition(":")[0].partition(".")[0])
        places = spec.submodule_search_locations if spec is not None else None
        found += [path for place in places or () for path in sorted(Path(place).rglob("*.py"))]
    return found


@functools.lru_cache(maxsize=1)
def _installed(_found_in: tuple[tuple[str, int], ...]) -> tuple[Plugin, ...]:
    """All plugins; to read what every distribution brings takes longer than to count a scenario."""
    plugins = {
        Plugin(
            point.name, point.dist.name if point.dist else "?", point.dist.version if point.dist else "", point.value
        )
        for point in importlib.metadata.entry_points(group=hooks.ENTRY_POINT_GROUP)
    }
    return tuple(sorted(plugins, key=lambda p: (p.name, p.distribution)))


def absent() -> list[Distribution]:
    """Distributions of ours of which no plugin is installed."""
    installed = {plugin.name for plugin in entry_points()}
    return [ours for ours in DISTRIBUTIONS if installed.isdisjoint(ours.plugins)]


def missing(name: str) -> PluginError:
    """The error of a plugin that is not installed."""
    known = sorted({plugin.name for plugin in entry_points()})
    what = f"there is no plugin {name!r} (installed: {', '.join(known) or 'none'})"
    return PluginError(what, remedy=find_remedy(name, known))


def find_remedy(name: str, known: Iterable[str] = ()) -> str:
    """What to do about a name that is not installed; a distribution is only named when it is one of ours.

    Args:
        name: as it was typed.
        known: names that would have been right.
    """
    import difflib

    if name in _BROUGHT_BY:
        return f"Install the distribution that brings it: pip install {_BROUGHT_BY[name]}"
    near = difflib.get_close_matches(name, [*known, *_BROUGHT_BY], n=1)
    if not near:
        return "`claw plugins` lists what is installed."
    install = "" if near[0] in known else f" Then: pip install {_BROUGHT_BY[near[0]]}"
    return f"Did you mean {near[0]!r}?{install}"


@functools.lru_cache(maxsize=64)
def _load(name: str, _found_in: tuple[tuple[str, int], ...]) -> tuple[pluggy.PluginManager, Plugin]:
    """Import the one plugin of that name; remembered, since to search all distributions takes longer than a short trial.

    Raises:
        PluginError: there is none, more than one, or importing it fails in whatever way.
    """
    found = entry_points(name)
    if not found:
        raise missing(name)
    if len(found) > 1:
        raise PluginError(
            f"the plugin name {name!r} is taken by {' and '.join(p.distribution for p in found)}",
            remedy="Uninstall all but one of them.",
        )
    manager = pluggy.PluginManager("claw_adapter")
    manager.add_hookspecs(hooks)
    try:
        point = importlib.metadata.EntryPoint(name, found[0].target, hooks.ENTRY_POINT_GROUP)
        manager.register(point.load(), name)
        manager.check_pending()
    except (Exception, SystemExit) as error:
        said = f"{error.where}: {error.what}" if isinstance(error, ClawError) else str(error)
        shown = f"if you write it: python -c 'import {found[0].target.partition(':')[0]}' shows the whole error"
        remedy = (
            error.remedy if isinstance(error, ClawError) else ""
        ) or f"Update or uninstall that distribution, or {shown}."
        raise PluginError(
            f"plugin {name!r} cannot be loaded: {type(error).__name__}: {said}",
            where=f"{found[0].distribution} {found[0].version} ({found[0].target})",
            remedy=remedy,
        ) from error
    return manager, found[0]


def _places() -> tuple[tuple[str, int], ...]:
    """Where distributions can lie, and when each place has changed last: while that is the same, so is what is found."""
    found = []
    for place in sys.path:
        with contextlib.suppress(OSError):
            found.append((place, Path(place).stat().st_mtime_ns))
    return tuple(found)


def provides(name: str, kinds: Collection[str] = hooks.HOOKS) -> dict[str, type]:
    """Import plugin `name` and return what it brings, by kind.

    Args:
        name: of the plugin.
        kinds: keys of `hooks.HOOKS`; what it brings of others is not imported.

    Raises:
        PluginError: it cannot be loaded, brings nothing, or was made for another version of the interfaces.
    """
    manager, plugin = _load(name, _places())
    where = f"{plugin.distribution} {plugin.version} ({plugin.target})"
    brought: dict[str, type] = {}
    for kind in kinds:
        try:
            results = getattr(manager.hook, hooks.HOOKS[kind])()
        except (Exception, SystemExit) as error:
            raise PluginError(f"plugin {name!r}: {type(error).__name__}: {error}", where=where) from error
        if results:
            brought[kind] = results[0]
    if not brought and len(kinds) == len(hooks.HOOKS):
        raise PluginError(
            f"plugin {name!r} implements none of our hooks",
            where=where,
            remedy=f"It needs one of: {', '.join(hooks.HOOKS.values())}.",
        )
    for thing in brought.values():
        if (api := getattr(thing, "api", API_VERSION)) != API_VERSION:
            raise PluginError(
                f"plugin {name!r} was made for {api}, this is {API_VERSION}",
                where=where,
                remedy="Install a version of the plugin that fits, or another version of claw-adapter.",
            )
    return brought


def create(kind: str, name: str, options: dict[str, Any] | None = None) -> Any:
    """Make the thing `name` of `kind` (a key of `hooks.HOOKS`).

    Raises:
        PluginError: as `provides`; also when it brings something else, or cannot be made with the options.
        AdapterError: it has no option of that name, or lacks one.
    """
    brought = provides(name, {kind} & hooks.HOOKS.keys())
    if kind not in brought:
        brought = provides(name)
        raise PluginError(
            f"{name!r} is a plugin for {', '.join(brought)}, not for {kind}",
            remedy="`claw plugins` says what each brings.",
        )
    _check_options(brought[kind], options or {}, f"{kind} {name}")
    try:
        return brought[kind](**(options or {}))
    except TypeError as error:
        raise PluginError(
            f"{kind} {name!r} does not take these options: {error}", remedy=f"Given: {sorted(options or {})}."
        ) from error


def create_all(kind: str) -> list[Any]:
    """One thing of `kind` from every plugin that brings one; a broken plugin brings nothing, and `claw plugins` says why."""
    made = []
    for plugin in entry_points():
        with contextlib.suppress(PluginError, AdapterError):
            if kind in provides(plugin.name):
                made.append(create(kind, plugin.name))
    return made


def _check_options(made: type, options: Mapping[str, Any], where: str) -> None:
    """Compare names of options with the parameters that the class is made with; one that takes any checks them itself."""
    try:
        parameters = inspect.signature(made).parameters.values()
    except (TypeError, ValueError):  # made by something that does not say
        return
    known = sorted(p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
    has = f"It has: {', '.join(known)}." if known else "It has none."
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    if not takes_any and (unknown := sorted(set(options) - set(known))):
        raise AdapterError(f"no option {unknown[0]!r}", where=where, remedy=has)
    needed = [p.name for p in parameters if p.default is p.empty and p.name in known and p.name not in options]
    if needed:
        raise AdapterError(f"the option {needed[0]!r} is needed", where=where, remedy=has)


def _probe(plugin: Plugin, seconds: float, options: Mapping[str, Any]) -> PluginStatus:
    command = [sys.executable, "-m", "claw_adapter.plugins", plugin.name, json.dumps(options)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return PluginStatus(plugin, ok=False, error=f"no end within {seconds:g} s")
    try:
        report = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["nothing on standard error"]
        return PluginStatus(plugin, ok=False, error=f"ended with status {done.returncode}: {last[0]}")
    report["provides"] = tuple(report.get("provides", ()))
    return PluginStatus(plugin, **report)


def probe_all(
    names: Iterable[str] = (), seconds: float = PROBE_SECONDS, options: Mapping[str, Mapping[str, Any]] | None = None
) -> list[PluginStatus]:
    """Probe plugins, each in a child process with a time limit: none of them can stop or change the host.

    Args:
        names: which ones; all without.
        seconds: the time limit of each.
        options: by name of the plugin, what it is made with.

    Raises:
        PluginError: there is no plugin of one of these names.
    """
    wanted = list(names)
    plugins = [plugin for plugin in entry_points() if not wanted or plugin.name in wanted]
    for name in wanted:
        if not any(plugin.name == name for plugin in plugins):
            raise missing(name)
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        return list(pool.map(lambda plugin: _probe(plugin, seconds, (options or {}).get(plugin.name, {})), plugins))


def _report(name: str, options: dict[str, Any]) -> dict[str, Any]:
    try:
        brought = provides(name)
        report: dict[str, Any] = {"ok": True, "provides": sorted(brought), "api": API_VERSION}
        for kind in ("harness", "overlay"):
            if kind not in brought:
                continue
            probe = create(kind, name, options).probe()
            report |= {"ready": probe.ready, "versions": probe.versions, "error": probe.reason, "remedy": probe.remedy}
    except (PluginError, AdapterError) as error:
        return {"ok": False, "error": error.what, "remedy": error.remedy}
    except Exception as error:  # noqa: BLE001 - whatever a plugin does is its report
        return {"ok": False, "error": f"{type(error).__name__}: {error}"}
    return report


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(_report(sys.argv[1], json.loads(sys.argv[2]))) + "\n")
