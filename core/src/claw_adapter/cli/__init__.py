"""The command `claw`. Help is written here without importing anything; every command is a module imported when it is called."""

from __future__ import annotations

import os
import sys

__all__ = ["COMMANDS", "PLUGIN_COMMANDS", "help_text", "main", "plugin_commands"]

#: name → (module, one line of help)
COMMANDS = {
    "run": ("claw_adapter.cli.run", "Run an experiment, or continue it."),
    "certify": ("claw_adapter.cli.certify", "Prove that an adapter keeps its contract."),
    "new-adapter": ("claw_adapter.cli.new_adapter", "Write a package with an adapter for a harness of yours."),
    "score": ("claw_adapter.cli.score", "Score a run folder again, without any model."),
    "audit": ("claw_adapter.cli.audit", "Compare what reached the model with what had to."),
    "compare": ("claw_adapter.cli.compare", "Compare harnesses pairwise, with error bars."),
    "check": ("claw_adapter.cli.check", "Check scenarios or published data, with file and line."),
    "tokens": ("claw_adapter.cli.tokens", "Count the tokens of scenarios or published data."),
    "profile": ("claw_adapter.cli.profile", "Measure what harnesses cost, keep and do at their limits."),
    "report": ("claw_adapter.cli.report", "Show a run in the terminal and as an HTML page."),
    "status": ("claw_adapter.cli.status", "Say how far runs have got, also under way."),
    "budget": ("claw_adapter.cli.budget", "Keep several runs within the limits of a provider."),
    "merge": ("claw_adapter.cli.merge", "Put the shards of a run together."),
    "prune": ("claw_adapter.cli.prune", "Remove what run folders do not need."),
    "export": ("claw_adapter.cli.export", "Write a run in the form of another tool."),
    "bundle": ("claw_adapter.cli.bundle", "Make one file of a run for other people; verify one."),
    "leaderboard": ("claw_adapter.cli.leaderboard", "Verify bundles and write one page of them."),
    "plugins": ("claw_adapter.cli.plugins", "List plugins and what state they are in."),
    "frameworks": ("claw_adapter.cli.frameworks", "Install and examine harnesses."),
    "schema": ("claw_adapter.cli.schema", "Print the JSON Schemas of claw/1 and scenario/1."),
    "completion": ("claw_adapter.cli.completion", "Print a shell completion script."),
}
#: Entry point group in which distributions bring further commands.
PLUGIN_COMMANDS = "claw_adapter.commands"

HELP = """\
Usage: claw [OPTIONS] COMMAND [ARGS]...

  Run, certify and compare agent harnesses under one fixed model.

Options:
  --version   Show the version.
  -h, --help  Show this message and exit.

Commands:
{commands}

Exit codes:
  0    success
  1    finished, but with failures: unscored rounds, failed checks
  2    wrong usage or wrong input
  3    refused: another configuration, a damaged run folder
  4    something is missing here: a plugin, a harness, an isolation level
  5    stopped: the machine, the provider or a limit of yours does not let it go on; the same command goes on
  70   a fault of claw itself; the message says where its details are
  130  interrupted: the same command resumes
"""


def help_text() -> str:
    """What ``claw --help`` prints."""
    rows = [(name, line) for name, (_, line) in COMMANDS.items()]
    rows += [(name, line) for name, line in sorted(_plugin_help().items()) if name not in COMMANDS]
    width = max(len(name) for name, _ in rows) + 2
    return HELP.format(commands="\n".join(f"  {name:{width}}{line}" for name, line in rows))


def plugin_commands() -> set[str]:
    """Names of commands that other distributions bring."""
    return set(_plugin_help())


def _plugin_help() -> dict[str, str]:
    """Command → first clause of its distribution's summary. `importlib.metadata` would double the time of ``--help``."""
    found: dict[str, str] = {}
    for folder in filter(None, sys.path):
        try:
            infos = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".dist-info")]
        except OSError:
            continue
        for info in infos:
            _, _, section = _text(f"{info}/entry_points.txt").partition(f"[{PLUGIN_COMMANDS}]\n")
            names = [line.partition("=")[0].strip() for line in section.partition("\n[")[0].splitlines() if "=" in line]
            if names:
                _, _, summary = _text(f"{info}/METADATA").partition("\nSummary: ")
                about = summary.partition("\n")[0].partition(": ")[0].strip()
                found |= dict.fromkeys(names, f"{about}." if about else "(from a plugin)")
    return found


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib costs more than this
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""


def main() -> None:
    """Entry point of the console script."""
    import _signal  # type: ignore[import-not-found]  # what is built in of `signal`: until the next line, no time is lost

    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # Python's way is a traceback from wherever an import just is
    from claw_adapter.cli.streams import get_ready

    get_ready()
    if sys.argv[1:] in ([], ["--help"], ["-h"]) and "_CLAW_COMPLETE" not in os.environ:
        try:
            sys.stdout.write(help_text())
            sys.stdout.flush()
            sys.exit(0)
        except BrokenPipeError:
            os._exit(141)  # as `claw_adapter.cli.common.PIPE_CLOSED`; nothing is left to be done
        except OSError:
            pass  # why it cannot be printed is said below, as for every command
    from claw_adapter.cli.group import call

    call()
