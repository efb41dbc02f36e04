"""The environment: the database of one trial, and the program that changes it."""

import shlex

from claw_adapter.environment import Attached, Environment, EnvironmentContext, Printed
from claw_adapter.programs import ProgramServer, Ran
from claw_adapter.protocol import Round
from sqlite_stock.commands import Refused, done
from sqlite_stock.database import create, opened

PROMPT = """\
The stock is kept by the program `stock`:
  stock list
  stock show SKU
  stock move SKU N --from PLACE --to PLACE
  stock write-off SKU N [--from PLACE] --reason TEXT
A file FILE of your folder is shown by: cat FILE"""


class Stock(Environment):
    """A shop's stock; `table` is the file in the scenario's gold/ that it begins with."""

    name = "stock"

    def __init__(self, table: str = "stock.csv") -> None:
        self.table = table
        self.programs = ProgramServer(["stock"], self.ran)

    async def open(self, ctx: EnvironmentContext) -> None:
        """Makes the database, in a folder that no harness is shown."""
        self.ctx = ctx
        self.file = ctx.folder / "stock.db"
        create(self.file, ctx.scenario / "gold" / self.table)

    async def attach(self) -> Attached:
        """Puts `stock` on the PATH."""
        clients = self.ctx.folder / "clients"
        clients.mkdir(exist_ok=True)
        return await self.programs.start(clients)

    def prompt(self, item: Round) -> str:  # noqa: ARG002
        """How to use it."""
        return PROMPT

    async def ran(self, words: list[str]) -> Ran:
        """One command of `stock`."""
        with opened(self.file) as database:
            database.execute("INSERT INTO command VALUES (?)", [shlex.join(words)])
        try:
            with opened(self.file) as database:
                return Ran(stdout=done(database, words) + "\n")
        except Refused as refused:
            text = f"{refused}\n"
            return Ran(stdout=text) if not refused.status else Ran(stderr=f"stock: {text}", status=refused.status)

    async def execute(self, line: str) -> Printed:
        """One command line of a harness without a shell: `stock` and `cat`."""
        try:
            words = shlex.split(line)
        except ValueError as error:
            return Printed(f"{error}\n", 2)
        if words[:1] == ["stock"]:
            ran = await self.ran(words)
            return Printed(ran.stdout + ran.stderr, ran.status)
        if words[:1] == ["cat"] and len(words) == 2:
            return self._file(words[1])
        return Printed(f"{line}: only `stock …` and `cat FILE` are executed\n", 127)

    def _file(self, name: str) -> Printed:
        file = (self.ctx.workspace / name).resolve()
        if not file.is_relative_to(self.ctx.workspace.resolve()) or not file.is_file():
            return Printed(f"cat: {name}: no such file\n", 1)
        return Printed(file.read_text("utf-8", errors="replace"), 0)

    async def snapshot(self) -> bytes:
        """The bytes of the database."""
        if fault := await self.programs.settle():
            raise fault
        return self.file.read_bytes()

    async def restore(self, snapshot: bytes) -> None:
        """Goes back to them."""
        self.file.write_bytes(snapshot)

    async def close(self) -> None:
        """Ends the program."""
        await self.programs.stop()
