"""Texts drawn for a plan: no two alike, of ordinary words, and of the awkward kinds that real conversations have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Final

__all__ = ["Texts"]

NOUNS: Final = (
    "harbour", "ledger", "invoice", "turbine", "orchard", "archive", "tunnel", "kitchen", "garden", "printer", "satellite",
    "contract", "warehouse", "pipeline", "museum", "ferry", "laboratory", "bakery", "greenhouse", "reactor", "library",
    "station", "workshop", "clinic", "vineyard", "bridge", "quarry", "theatre", "school", "depot", "sensor", "tariff",
    "roster", "permit", "batch", "valve", "cable", "crate", "meter", "route",
)  # fmt: skip
ADJECTIVES: Final = (
    "northern", "spare", "blue", "provisional", "late", "heavy", "sealed", "second", "rented", "quiet", "broken", "annual",
    "missing", "upper", "dry", "public", "narrow", "early", "joint", "final", "remote", "signed", "empty", "green",
)  # fmt: skip
VERBS: Final = (
    "was moved behind", "belongs to", "comes before", "replaces", "depends on", "was paid from", "is kept in", "blocks",
    "was counted with", "stands beside", "was taken from", "is older than", "was sent to", "waits for", "feeds", "limits",
)  # fmt: skip
NAMES: Final = (
    "Amara", "Birgit", "Chidi", "Dalia", "Emeka", "Farid", "Greta", "Hiro", "Ines", "Jonas", "Kofi", "Leila", "Mateo",
    "Nadia", "Oskar", "Priya", "Quentin", "Rosa", "Soren", "Tomas",
)  # fmt: skip
MODELS: Final = ("atlas", "corvid", "lumen", "quill", "sable", "tern", "umbra", "vesper")
FAMILIES: Final = (
    "claude-sonnet-5", "claude-haiku-4-5", "gpt-5.3-mini", "gpt-4.1-nano", "o4-mini", "gemini-3-flash", "deepseek-v4",
    "deepseek-reasoner", "qwen3-coder", "kimi-k3", "glm-5", "llama-4-scout", "mistral-large", "grok-5", "gemma-4",
)  # fmt: skip
"""How ids begin by which some programs choose tools, roles, windows or forms of edits."""
TOOLS: Final = ("lookup_order", "exec", "query_table", "search_mail", "get_readings", "list_shipments", "fetch_page")
FOLDERS: Final = ("build", "dist", "out", "target", "tmp", "logs", "vendor", "env", "data", "cache", "bin", "archive.d")
"""Names of folders that some programs take for something of their own."""
DOTTED: Final = ("v1.2", "2026.03", "site.d", "a b", "it's", "\u00dcber", "readme.md")
"""Names of folders that look like those of files, or like none."""
LEFT_OUT: Final = ("log", "bak", "tmp", "lock", "old", "orig", "map", "cfg")
"""Suffixes of files that some programs leave out of lists."""
ASIDE: Final = (
    "{0}.{1}.bak", "{0}.bak", "{0}.{1}~", ".{0}.{1}.swp", "{0}.{1}.tmp", "{0}.tmp", "{0}.{1}.orig", "{0}.{1}.new",
    "{0}.{1}.old", ".{0}.{1}.tmp", "#{0}.{1}#", "{0}.{1}.part",
)  # fmt: skip
"""Names under which some programs put something aside for a moment, of a file's name and its suffix."""
SUFFIXES: Final = ("md", "txt", "csv", "yaml", "json", "ts", "py", "sql", "xml", "toml", "html")
KINDS: Final = {
    "csv": ("zip,price,name,day,at", "01067,1.50,\"{0}, {0}\",1/2/25,{n}", "00501,2.00,,TRUE,1e5", "+49,-0,NaN,NULL,{n}"),
    "tsv": ("id\tvalue\tname", "007\t1.0\t{0}", "{n}\t\t  {0} "),
    "json": ('{{"id": {long}, "v": 1.0, "b": 1e3,', ' "a": "\\u00e9 \\/ {0}", "a": null}}'),
    "jsonl": ('{{"n": {n}, "t": "{0}"}}', '{{"n": {n}, "t": "{0}",   "z": [ ]}}'),
    "yaml": ("# {0}", "zip: 01067", "on: yes", "a: &x {n}", "b: *x", "at: 12:30:00"),
    "toml": ("[{0}]", "v = 1_000", "day = 2025-01-06  # {n}"),
    "ini": ("; {0}", "[{0}]", "path = %(home)s/{n}"),
    "ts": ("@{0}() export class A{n}<T extends {{}}> {{", "  n = {n} as const; // `${{x}}`", "}}"),
    "py": ("#!/usr/bin/env python3", "# -*- coding: utf-8 -*-", "def f(x: int = {n}) -> str:", "\treturn f'{{x!r}} {0}'"),
    "go": ("package {0}", "// {n}", "func main() {{", "\tfmt.Printf(`%d\\n`, {n})", "}}"),
    "sql": ("-- {0}", "SELECT * FROM \"{0}\" WHERE id = '{n}';", "/* {n} */"),
    "html": ("<!doctype html>", "<style>b {{ top: {n}px }}</style>", "<p title='{n}'>{0} &amp; &eacute;</p>", "<script>"),
    "xml": ('<?xml version="1.0"?>', "<!-- {0} -->", "<a><![CDATA[{0} <{n}>]]></a>"),
    "diff": ("--- a/{0}", "+++ b/{0}", "@@ -1 +1 @@", "-{n}", "+{n}"),
    "tex": ("% {0}", "\\section{{{0}}} \\label{{{n}}}"),
    "properties": ("# {0}", "a\\ b = {n}\\", "  {0}"),
    "ics": ("BEGIN:VCALENDAR", "SUMMARY:{0}\\, {n}", "END:VCALENDAR"),
    "eml": (
        "Received: by {0}.example.org; {n}", "From: {0}@example.org", "Cc: <b{n}@example.org>", "Message-ID: <{n}@example.org>",
        "Subject: =?utf-8?q?{n}?=", "Content-Type: multipart/mixed; boundary=b{n}", "", "--b{n}", "", "> {0}", "--b{n}--",
    ),
    "vcf": ("BEGIN:VCARD", "FN;CHARSET=utf-8:{0}", "TEL;TYPE=cell:+{n}", "END:VCARD"),
    "srt": ("1", "00:00:01,000 --> 00:00:02,{n}", "- {0}?", ""),
    "po": ('msgctxt "{n}"', 'msgid "{0}\\n"', 'msgstr[0] ""'),
    "rst": ("{0}", "=====", "", ".. note:: {n}", "", "   {0}::"),
    "log": (
        "2026-03-02T10:01:00.{n}Z WARN the disk is full", "2026-03-02T10:02:00.{n}Z WARN the disk is full",
        "2026-03-02T10:03:00.{n}Z WARN the disk is full", "2026-03-02T10:03:00.{n}Z INFO {0} is back",
        "2026-03-02T10:04:00.{n}Z WARN the disk is full",
    ),
    "jsonc": ("// {0}", '{{ "a": {n}, /* x */ "b": .5, }}'),
    "plist": ('<?xml version="1.0"?>', "<plist><dict><key>{0}</key><real>{n}.0</real></dict></plist>"),
    "Makefile": ("all: {0}", "\t@echo $@ $(X) $$Y {n}"),
    "Dockerfile": ("# syntax=docker/dockerfile:1", "FROM scratch AS {0}", "ENV A={n} \\", "    B={0}"),
    ".env.example": ("export A='{n}'", "B=\"{0}\" # {n}"),
    ".gitignore": ("# {0}", "*.{n}", "!{0}"),
}  # fmt: skip
"""Lines of files by suffix or, of those that have none, by name; in them words, numbers, and a number that no float has."""
SCRIPTS: Final = (
    (0x4E00, 0x5FFF),
    (0x05D0, 0x05EA),
    (0x0627, 0x0648),
    (0x0410, 0x044F),
    (0x3041, 0x3094),
    (0xAC00, 0xBFFF),
)
FORMAT: Final = (
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2063\u2066\u2067\u2068\u2069"
    "\ufeff"
)
"""Characters that nobody sees: soft hyphen, joiners, marks of direction, a byte order mark that stands inside."""
BLANKS: Final = "\u00a0\u2007\u2009\u202f\u3000"
BREAKS: Final = "\u2028\u2029"
CONTROLS: Final = "\x0b\x0c\x1c\x85"
"""What ends a line to some programs, and stands inside one to all others."""
OUTSIDE: Final = "\ue000\uf8ff\ufffd\U000f0001\U0001d49c\U00010348\U0001f600\U00020bb7\ufe0f"
"""Private use, what cannot be decoded, and what takes two units of UTF-16."""
JOINED: Final = (
    "e\u0301", "\u00e9", "a\u0323\u0307", "a\u0307\u0323", "\u1112\u1161\u11ab", "\ud55c", "\u212b", "\u00c5", "\ufb01",
    "\uff21", "\uff76\uff9e", "\u00b2",
)  # fmt: skip
"""What normal forms make equal, or put in another order."""
QUOTES: Final = "\u201c\u201d\u2018\u2019\u2014\u2013\u2026\u00ab\u00b7\u00b4"
SIGNED: Final[dict[str, Sequence[str]]] = {
    "format": FORMAT, "breaks": (*BLANKS, *BREAKS), "outside": OUTSIDE, "joined": JOINED, "quotes": QUOTES,
}  # fmt: skip
CLASSES: Final = tuple(SIGNED.values())
ESCAPES: Final = (
    "&amp;", "&lt;b&gt;", "&#39;", "&quot;", "&nbsp;", "<b>", "a & b", "a<b>c", "'", '"', "\\n", "\\t", "\\\\", "\\u00e9",
    "\\x41", '\\"', "%20", "%2F", "%0A", "a+b", "$HOME", "${USER}", "$(id)", "`id`", "!!", "~", "*", "{{name}}", "{0}", "%s",
    "<!-- c -->", '{"a": [1, "b"]}', "@a", "#1", "C:\\new\\table", "\\0", "%%",
    "[2h]", "[45m]", "[1A]", "}{", '{"a": 1,}', "[1, 2, ]", "{a: 'b'}", "None", "NaN", "// c", "/* c */", '""', "}}", "\\'",
)  # fmt: skip
"""What looks as if it had to be escaped, unescaped, expanded, parsed or repaired: for HTML, JSON, URLs, shells, templates."""
LEADING: Final = (
    "#", "# ", "## ", "#!", "//", "/", "/* ", "; ", "-- ", "--", "> ", "| ", "!", "@", "%", "$ ", "* ", "- ", "- [ ] ", "+ ",
    "1. ", "(a) ", ": ", "= ", ". ", "\\", "\t", "    ", "[1] ", "<", "{", "~~~ ", "REM ", "export ", "From ",
)  # fmt: skip
"""What makes a line a comment, a heading, a command, a quotation, an item, code, a field or a border to somebody."""
ALONE: Final = ("#", "---", "===", "```", "~~~", ".", "--", "-- ", "EOF", "{", "}", "null", "q", "", "", " ")
"""Lines at which something may be taken to begin or to end, and empty ones."""
ACROSS: Final = "\u00e9\u0436\u6c34\uac00\U00010348\U00020bb7"
"""Letters of two, three and four bytes."""
BLOCKS: Final = (512, 1000)
"""Bytes of which blocks are multiples."""
FAILURES: Final = (
    "HTTP {status}: rate limit exceeded, try again in 20 s.", "Error {status}: the model is overloaded.",
    "{status} Payment Required: your credit balance is too low, see Plans & Billing.",
    "API Error ({status}): Internal server error",
    "LLM request failed: {status} upstream connect error", "Error: context length exceeded ({status}).",
)  # fmt: skip
"""What providers say when they fail."""
ERRORS: Final = (
    "Error: {}", "error: {}", "ERROR {}", "[ERROR] {}", "Traceback (most recent call last):\n  {}", "fatal: {}", "warning: {}",
    "ValueError: {}", "Failed: {}", "Permission denied: {}", "{}: No such file or directory", "Exit code: 1\n{}",
    "Command exited with code 1: {}", '{{"error": "{}"}}', "<error>{}</error>", "[stderr] {}", "STDERR:\n{}",
    "Timed out after 30 s: {}", "None\n{}", "(no output)\n{}", "File not found: {}", "<tool_use_error>{}</tool_use_error>",
)  # fmt: skip
"""What programs and tools say when they fail."""
TAGS: Final = (
    "<think>{}</think>", "{}</think>", "<thinking>{}</thinking>", "<|im_start|>user {}", "{}<|im_end|>",
    "[INST] {} [/INST]", "<s>{}</s>", "<tool_call>{}</tool_call>", "<system-reminder>{}</system-reminder>", "Human: {}",
    "Assistant: {}", "[DONE]", "data: {}", "<final>{}</final>", "<result>{}</result>", "[truncated] {}", "NO_REPLY",
    "system: {}",
)  # fmt: skip
"""With what models and programs mark the parts of a conversation, or say something to each other."""
SPEAKERS: Final = (
    "Human", "User", "Assistant", "AI", "System", "Tool", "Q", "A", "Question", "Thought", "Action", "Observation",
    "Final Answer", "### Instruction", "### Response",
)  # fmt: skip
"""Who says something in the prompts of models that only go on with a text; some programs end a reply there."""
NAMED: Final = (
    " & ", " (x) ", ", ", "'s ", "%20", " é ", " e\u0301 ", " + ", " #", " ß ", " 水 ", " = ", "  ", " $HOME ", "; ",
    " [1] ", "[id]",
)  # fmt: skip
"""What the names of files that are no identifiers have in them."""
SHAPES: Final = (
    *(f"{{}}{sign}x.md" for sign in NAMED), "{}.md", "{}", "{}.TXT", ".{}", ".{}.yml", "{}.d.ts", "~{}.md", "{}~", "-{}.md",
    "@{}.md", "#{}#", "+{}.md", "'{}'.md", '"{}".md', "({}).md", "{}.", "{}..md", "{} 10:30", "{}*.md", "{}?.md",
    "%s{}.md", "{{}}.md", "{}|x.md", "<{}>.md", "{}!.md", "{},x.md", "{}^x.md", "\u0440\u0443{}.md",
    "{} \U0001f469\U0001f3fd\u200d\U0001f527.md",
    "{}-" + 25 * "longer-" + "x.md", "a/b/c/d/e/f/g/h/{}.md", "node_modules/{}.js", ".git-{}.md", "{}.min.js", "{}.lock",
)  # fmt: skip
"""What the names of files look like."""
SIGNS: Final = ("👩🏽‍🔧", "🏳️‍🌈", "e\u0301", "\u212b", "ﬁ", "…", "“", "—", "₿", "½", "²", "№")
SYLLABLES: Final = ("ba", "do", "ki", "lum", "ner", "pa", "ro", "sta", "tu", "ve")
FRAMES: Final = (
    "```\n{}\n```", "# {}", "- {}\n- and so on", "<note>{}</note>", "> {}", "\"{}\" & 'so' <on>", "{} \\n \\t %s $HOME",
    "---\n{}\n---", "\t{}\tand\tso on", "| a | b |\n|---|---|\n| {} | 1 |",
)  # fmt: skip


ZONES: Final = tuple(timezone(timedelta(minutes=minutes)) for minutes in (0, 0, 60, 120, -480, 330, 765))


PLAINEST: Final = (
    "true", "null", "0042", "1e3", '{"b": 1.0,  "a": [ ]}', '["x"]', '"quoted"', "a,b\n1,2", "```json\n[1]\n```",
    "# a\n\n```sh\nb\n```", "```\na\n```\nb\n", "\n\na\n", "<b>\na\n</b>", "---\na: 1\n---\n", "  a\n  b",
    "1 | Anna | 30\n2 | Bo | 4\n3 | Cy | 5\n", "101\tAnna\n102\tBo\n", "     1\tAnna\n     2\tBo\n", "12: a\n13: b\n",
    "1\u2192a\n2\u2192b\n", "> a\n> b\n", "+a\n+b\n", "-a\n-b\n", "1. a\n2. b", "a.md:1:b\na.md:2:c\n",
)  # fmt: skip
"""What a tool may take for something else than a text, in some of them as every line begins alike."""
CLEARED: Final = (
    "tmp_{}.py", "temp_{}.csv", "scratch-{}.md", "test_{}.py", "{}.tmp", "debug_{}.log", "{}_copy.txt", "{}.out", "draft-{}.md",
    "untitled-{}.txt",
)  # fmt: skip
"""Names of files that some programs clear away."""
KEPT: Final = (
    "Summary of the conversation so far: {}", "[Request interrupted by user] {}", "[2026-03-01 09:00] {}", "Ann: {}",
    "No response requested. {}", "This session is being continued from a previous conversation. {}", "[compacted] {}",
    "[Mon 2026-03-02 10:15 UTC] {}", "(no content) {}", "System: {}", "user: {}", "[media attached: {}.png]", "/new {}",
    "Conversation info (untrusted metadata): {}", "[tool call interrupted] {}", "HEARTBEAT_OK {}", "<summary>{}</summary>",
)  # fmt: skip
"""What programs write into conversations for themselves, and take out again; here somebody says it."""
PEOPLE: Final = ("Юлия", "健", "Ana María", "assistant", "system", "user", "O'Brien", "李 娜", "bot", "T-1000")
"""Names that are no identifiers, or those of a role."""
TAKEN: Final = {
    "py": "# ... existing code ...\n{0} = {{ 'a':1 ,\n   'b' : 2}}\n# rest unchanged\n",
    "ts": "// ... existing code ...\nconst a={{b:'{0}'}}\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n",
    "sh": "cat <<EOF\n{0}\nEOF\nEND\nexit 0\n",
    "md": "{0}\n=======\n\n* a\n+ b  \n\n\n\n***\n<!-- {0} -->\n",
    "patch": "*** Begin Patch\n*** Update File: {0}.md\n@@\n-a\n+b\n*** End Patch\n",
    "json": '{{"{0}":1.0,\n\n "b":[ 1,2 ] }}',
    "yml": "on: [push]\njobs: {{ {0}: {{ runs-on: x }} }}\n",
}  # fmt: skip
"""Files, by suffix, whose lines some programs fill in, format, merge, apply or take for the end of what they write."""
USUAL: Final = {
    ".env": "OPENAI_BASE_URL=http://127.0.0.1:9/v1\nOPENAI_API_KEY=none\nOPENAI_MODEL=other\nMODEL=other\n"
    "ANTHROPIC_BASE_URL=http://127.0.0.1:9\nANTHROPIC_MODEL=other\nTEMPERATURE=2\n",
    ".editorconfig": "root = true\n[*]\ntrim_trailing_whitespace = true\ninsert_final_newline = true\nend_of_line = crlf\n",
    ".gitignore": "*.csv\nnotes/\n[a-m]*.*\n",
    ".prettierrc": '{ "semi": true, "singleQuote": false }\n',
    "pyproject.toml": "[tool.black]\nline-length = 40\n[tool.ruff]\nfix = true\n",
    "package.json": '{ "name": "a", "type": "module", "scripts": { "postinstall": "exit 1" } }\n',
    "tsconfig.json": '{ "compilerOptions": { "strict": true } }\n',
    "queue.py": "raise SystemExit('this is a program of the workspace')\n",
    "calendar.py": "raise SystemExit('this is a program of the workspace')\n",
    "types.py": "raise SystemExit('this is a program of the workspace')\n",
    "TODO.md": "- [ ] nothing of this was done\n",
    "NOTES.md": "Nothing was noted.\n",
}  # fmt: skip
"""Files that are at the top of many projects, by which some programs are led, or which they take for their own."""
INDENTS: Final = ("", "  ", "    ", "\t", "        ")
LINES: Final = (
    *SIGNED, "plain", "deep", "blanks", "escapes", "leading", "alone", "tags", "secrets", "twice", "long", "numbers", "data",
    "script", "errors", *KINDS,
)  # fmt: skip
"""Kinds of lines of which a text is made."""
SAID: Final = tuple(kind for kind in LINES if kind not in ("tags", "secrets"))
"""Those that an answer may have: many take tags out, and mask what looks like a secret."""
ENDINGS: Final[dict[str, tuple[str, str, str]]] = {
    "ended": ("", "\n", "\n"), "open": ("", "\n", ""), "twice": ("", "\n", "\n\n"), "blanks": ("", "\n", "  \n"),
    "begun": ("\n\n", "\n", "\n"), "mark": ("\ufeff", "\n", "\n"), "crlf": ("", "\r\n", "\r\n"), "crlf open": ("", "\r\n", ""),
}  # fmt: skip
"""What stands before the first line of a text, between lines, and behind the last."""


AT_ONCE: Final = 0.08
"""How often two things are said at the same moment."""


class Texts:
    """Draws from `rng`; every sentence has a number of its own, so that no other text contains it."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self._number = rng.randrange(1_000, 9_000)
        self._names: set[str] = set()
        self.now = datetime.fromisoformat("2025-01-06T08:00:00+00:00") + timedelta(minutes=rng.randrange(600_000))

    def number(self) -> int:
        """One that was not drawn yet."""
        self._number += self.rng.randrange(1, 40)
        return self._number

    def long_number(self) -> int:
        """One of 64 bits, as services give them to their things; no float has it."""
        return self.rng.randrange(2**53, 2**63) | 1

    def word(self) -> str:
        """A word for a name: ``sealed-depot``, each once."""
        while True:
            word = f"{self.rng.choice(ADJECTIVES)}-{self.rng.choice(NOUNS)}"
            if word not in self._names:
                self._names.add(word)
                return word

    def alike(self) -> list[str]:
        """Names that are several only for who looks closely: one begins as another, some differ in a sign or in capitals."""
        name = self.word()
        long = "-".join((name, *(self.word() for _ in range(3))))[:58]
        others = self.rng.choice(((name.title(),), (f"{long}-1", f"{long}-2")))
        names = [name, f"{name}-2", *(name.replace("-", sign) for sign in "_."), *others]
        self.rng.shuffle(names)
        return names

    def scenario(self) -> str:
        """The name of a scenario: ``sealed-depot-312``."""
        return f"{self.word()}-{self.rng.randrange(100, 1000)}"

    def model(self, *, of_a_shop: bool = False) -> str:
        """The id of a model that no vendor has, half of them of a known family.

        `of_a_shop`: with a maker and a variant, as those say it that sell many.
        """
        kind = self.rng.choice(("large", "mini", "pro", "instruct"))
        if not of_a_shop and self.rng.random() < 0.5:
            return f"{self.rng.choice(FAMILIES)}-{self.rng.randrange(10, 99)}"
        name = f"{self.rng.choice(MODELS)}-{self.rng.randrange(2, 9)}-{kind}-{self.rng.randrange(10, 99)}"
        return f"{self.rng.choice(NOUNS)}-labs/{name}:free" if of_a_shop else name

    def table(self) -> str:
        """Cells as offices write them: a line above the head, decimal commas, cells beyond the head and of two lines."""
        rows = [f"{self.sentence()};{self.number()},50;{self.number()},25;;" for _ in range(3)]
        cell = f'"{self.sentence()},\n {self.sentence()} ""so"""'
        return "\n".join((self.sentence(), "", "item;amount", *rows, f"{cell};{self.number()}; x ;", "'=1+1';;", ""))

    def path(self) -> str:
        """A file's path."""
        nouns = [self.rng.choice(NOUNS) for _ in range(4)]
        folder = self.rng.choice(("", "", "notes/", f"{nouns[0]}/", f".{nouns[0]}/", f"{'/'.join(nouns)}/"))
        return f"{folder}{self.word()}.{self.rng.choice(SUFFIXES)}"

    def asides(self, path: str, count: int) -> list[str]:
        """Paths beside a file, of names that are made from its own."""
        folder, stroke, name = path.rpartition("/")
        stem, _, suffix = name.rpartition(".")
        return [f"{folder}{stroke}{form.format(stem, suffix)}" for form in self.rng.sample(ASIDE, count)]

    def named(self, kind: str) -> str:
        """The path of a file of a kind, in a folder of its own where the kind is a name."""
        name = f"{self.word()}.{kind}"
        return name if kind.islower() and not kind.startswith(".") else f"{self.word()}/{kind}"

    def kind(self, lines: Sequence[str]) -> str:
        """A file's text of lines in which words and numbers are wanted."""
        made = (line.format(self.rng.choice(NOUNS), n=self.number(), long=self.long_number()) for line in lines)
        return "".join(f"{line}\n" for line in made)

    def quoted(self) -> str:
        """An answer that quotes a talk, as logs of talks are written, and goes on behind it."""
        said = (f"{who}: {self.sentence()}" for who in self.rng.sample(SPEAKERS, len(SPEAKERS)))
        return "\n".join((f"{self.sentence()}:", *said, f"{self.sentence()}."))

    def sentence(self) -> str:
        """An ordinary one."""
        rng = self.rng
        who = f"{rng.choice(NAMES)} says that the" if rng.random() < 0.4 else "The"
        return (
            f"{who} {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {self.number()} {rng.choice(VERBS)} "
            f"the {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}"
        )

    def prose(self, characters: int) -> str:
        """Sentences up to about so many characters, in lines."""
        parts: list[str] = []
        size = 0
        while size < characters:
            part = self.sentence() + self.rng.choice((". ", ".\n", ".\n\n", "; "))
            parts.append(part)
            size += len(part)
        return "".join(parts).rstrip(" \n;")

    def ruled(self, characters: int) -> str:
        """As `prose`, in paragraphs under rules: so many characters, and about an eighth of the tokens."""
        parts: list[str] = []
        while (left := characters - sum(map(len, parts))) > 0:
            parts.append(f"{self.prose(min(left, 160))}.\n{self.number()} {self._rule()}\n")
        return "".join(parts).rstrip("\n")

    def _rule(self) -> str:
        return self.rng.choice("-=*") * self.rng.randrange(900, 1_400)

    def lines(self, count: int) -> str:
        """A file's lines, each ended."""
        return "".join(f"{self.sentence()}\n" for _ in range(count))

    def line(self, characters: int) -> str:
        """Sentences up to about so many characters, in one line."""
        return " ".join(self.prose(characters).split())

    def message(self) -> str:
        """What somebody says: mostly a sentence or three, at times in another script or frame."""
        text = " ".join(f"{self.sentence()}." for _ in range(self.rng.choice((1, 1, 1, 2, 3))))
        return self.awkward(text) if self.rng.random() < 0.3 else text

    def awkward(self, text: str) -> str:
        """The same with signs, in a frame, behind lines of some kind, or followed by another script."""
        rng = self.rng
        match rng.randrange(4):
            case 0:
                return rng.choice(FRAMES).format(text)
            case 1:
                return self.foreign(text)
            case 2:
                return f"{self.text(rng.choice(SAID), 'ended')}{text}"
            case _:
                return f"{text} {''.join(rng.choice(SIGNS) for _ in range(rng.randrange(1, 6)))}"

    def odd(self) -> str:
        """Lines with something of every class of characters that is changed on the way by what means it well.

        Between the signs stand words, so that a line of which a sign is gone is not the line that it was.
        """
        rng = self.rng
        lines = [self.between(signs) for signs in CLASSES]
        escapes = list(ESCAPES)
        rng.shuffle(escapes)
        lines += [f"{self.number()} {' ; '.join(escapes[start : start + 8])}" for start in range(0, len(escapes), 8)]
        lines += [f"{mark}{self.number()} {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}" for mark in LEADING]
        rng.shuffle(lines)
        for sign in ALONE:
            lines.insert(rng.randrange(1, len(lines)), sign)
        return "\n".join(lines)

    def signs(self) -> str:
        """A line with all of one class of them, none of which a shell or a guard before it takes for a path or a command."""
        return self.between(self.rng.choice(CLASSES))

    def across(self, text: str) -> str:
        """A text of ASCII with a letter of several bytes across each border of blocks in which somebody may read it."""
        made, place = bytearray(), 0
        borders = {at for block in BLOCKS for at in range(block, 2 * len(text), block)}
        for border in sorted(borders):
            until = place + border - 1 - len(made)
            if place <= until < len(text):
                made += text[place:until].encode() + self.rng.choice(ACROSS).encode()
                place = until
        return made.decode() + text[place:]

    def between(self, signs: Sequence[str]) -> str:
        """A line with all of these signs, in any order, with syllables between them."""
        mixed = self.rng.sample(signs, len(signs))
        return f"{self.number()} " + "".join(f"{self.rng.choice(SYLLABLES)}{sign}" for sign in mixed) + "end"

    def secrets(self) -> str:
        """Lines with what looks as if it had to be kept from others: made up, each."""
        rng = self.rng
        long, short = f"{rng.randrange(16**32):032x}", f"{rng.randrange(16**16):016x}"
        lines = [
            f"password: {self.word()}-{self.number()}", f"token={short}", f"The pin is {self.number()}, the key {long}.",
            f"api_key = sk-{long[:24]}", f"Authorization: Bearer {short}{short}", f"mail {self.word()}@example.org",
            f"card 4111 1111 1111 {self.number()}", f"phone +49 30 {self.number()}{self.number()}",
            f"https://{rng.choice(NOUNS)}:{self.word()}@example.org/?secret={long[:12]}", f"10.0.{rng.randrange(9)}.7",
        ]  # fmt: skip
        rng.shuffle(lines)
        return "\n".join(lines)

    def errors(self, count: int) -> list[str]:
        """So many different beginnings of what a program says when it fails."""
        return [said.format(self.sentence()) for said in self.rng.sample(ERRORS, count)]

    def tags(self) -> str:
        """Lines with every mark of a part of a conversation."""
        lines = [tag.format(self.sentence()) for tag in TAGS]
        self.rng.shuffle(lines)
        return "\n".join(lines)

    def failure(self) -> str:
        """A sentence about a failure of a provider, as a model may say one."""
        told = self.rng.choice(FAILURES).format(status=self.rng.choice((402, 429, 500, 503, 529)))
        return self.rng.choice((f"The {self.rng.choice(NOUNS)} said: {told}", f"{told}\n{self.sentence()}."))

    def odd_paths(self) -> tuple[str, str]:
        """Two files' paths with blanks and signs in them, every kind in one or the other."""
        rng, signs = self.rng, self.rng.sample(NAMED, len(NAMED))
        halves = signs[: len(signs) // 2], signs[len(signs) // 2 :]
        names = ("".join(f"{rng.choice(NOUNS)}{sign}" for sign in half) for half in halves)
        one, other = (f"{rng.choice(NOUNS)}/{name}{self.number()}.md" for name in names)
        return one, other

    def framed_paths(self) -> list[str]:
        """Paths of files whose names begin or end with what is often put around a name, or behind it."""
        one, two, three, four = (f"{self.rng.choice(NOUNS)}-{self.number()}" for _ in range(4))
        return [f"@{one}/index.ts", f"{two}/{two} 10:30", f"{two}/'{three}'", f"{two}/{four}."]

    def folder(self) -> str:
        """A folder's path."""
        return "/".join((self.word(), *self.rng.sample((*FOLDERS, *DOTTED, *DOTTED), self.rng.randrange(2))))

    def shaped(self, folder: str, shape: str) -> str:
        """The path of a file in a folder, of one of `SHAPES`."""
        return f"{folder}/{shape.replace('{}', f'{self.rng.choice(NOUNS)}-{self.number()}')}"

    def text(self, kind: str, ending: str) -> str:
        """A short text with lines of one of `LINES`, which begins and ends as one of `ENDINGS` says."""
        before, between, behind = ENDINGS[ending]
        return before + between.join(self._lines_of(kind)) + behind

    def _lines_of(self, kind: str) -> list[str]:
        """What is as a whole of its kind, or lines of it between two sentences."""
        if kind in KINDS:
            return self.kind(KINDS[kind]).split("\n")[:-1]
        whole: dict[str, Callable[[], list[str]]] = {
            "data": lambda: self.rng.choice(PLAINEST).split("\n"),
            "script": lambda: [self.in_script() for _ in range(4)],
            "errors": lambda: "\n".join((*self.errors(2), self.sentence())).split("\n"),
        }
        return whole[kind]() if kind in whole else self._between_sentences(kind)

    def _between_sentences(self, kind: str) -> list[str]:
        rng, first = self.rng, self.sentence()
        if kind in SIGNED:
            return [first, *(self.between(SIGNED[kind]) for _ in range(2)), self.sentence()]
        made: dict[str, Callable[[], list[str]]] = {
            "plain": lambda: [self.sentence()],
            "deep": lambda: [f"{rng.choice(INDENTS)}{self.sentence()}" for _ in range(4)],
            "blanks": lambda: [*(f"{self.sentence()}{end}" for end in ("  ", "\t", "")), "", "   "],
            "escapes": lambda: [f"{self.number()} {' ; '.join(rng.sample(ESCAPES, 6))}" for _ in range(2)],
            "leading": lambda: [f"{mark}{self.sentence()}" for mark in rng.sample(LEADING, 4)],
            "alone": lambda: [line for sign in rng.sample(ALONE, 3) for line in (sign, self.sentence())],
            "tags": lambda: self.tags().split("\n")[:4],
            "secrets": lambda: self.secrets().split("\n")[:3],
            "twice": lambda: [first, self.sentence(), first, "", ""],
            "long": lambda: [self.line(1_200)],
            "numbers": lambda: [
                f"{self.long_number()},0{self.number()},{self.number()}.10,1e5,-0",
                f"{self.number()}.0",
            ],
        }
        return [first, *made[kind](), self.sentence()]

    def odd_path(self) -> str:
        """A file's path with one such sign in it."""
        return f"{self.rng.choice(NOUNS)}/{self.rng.choice(NOUNS)}{self.rng.choice(NAMED)}{self.number()}.md"

    def similar(self, path: str) -> str:
        """The path of a file that is not there, hardly another than that of one that is."""
        folder, _, name = path.rpartition("/")
        stem, _, suffix = name.rpartition(".")
        others = [one for one in SUFFIXES if one != suffix]
        names = (
            f"{stem}s.{suffix}", f"{stem.title()}.{suffix}", f"{stem}.{self.rng.choice(others)}", stem, f"{stem}-2.{suffix}",
            f"{stem.replace('-', '_')}.{suffix}", f"{stem[:-1]}.{suffix}", f"{stem}.{suffix}.bak",
        )  # fmt: skip
        name = self.rng.choice(names)
        return f"{folder}/{name}" if folder else name

    def twin(self, path: str) -> str:
        """The path of a file beside it, which only who looks closely takes for another one."""
        folder, _, name = path.rpartition("/")
        stem, _, suffix = name.rpartition(".")
        names = (
            f"{stem.title()}.{suffix}",
            f"{stem}.{suffix}.md",
            f"{stem.replace('-', '_')}.{suffix}",
            f"{stem}.{suffix.upper()}",
        )
        return f"{folder}/{self.rng.choice(names)}".lstrip("/")

    def short_lines(self, count: int) -> str:
        """A file of many lines, each short and of its own."""
        return "".join(f"{self.number()} {self.rng.choice(NOUNS)} {self.rng.randrange(10, 99)}\n" for _ in range(count))

    def in_script(self) -> str:
        """A line of words in a script that is not Latin, with a number of its own."""
        first, last = self.rng.choice(SCRIPTS)
        words = (
            "".join(chr(self.rng.randrange(first, last)) for _ in range(self.rng.randrange(3, 9))) for _ in range(5)
        )
        return f"{' '.join(words)} {self.number()}"

    def foreign(self, text: str) -> str:
        """The same, followed by words in another script."""
        first, last = self.rng.choice(SCRIPTS)
        other = "".join(chr(self.rng.randrange(first, last)) for _ in range(self.rng.randrange(4, 24)))
        return f"{text} {other}."

    def kept(self, count: int) -> list[str]:
        """Sentences that begin as what programs write into conversations."""
        return [form.format(self.sentence()) for form in self.rng.sample(KEPT, count)]

    def time(self) -> datetime:
        """The next moment: minutes, hours or days later, at times months, or the same once more."""
        if self.rng.random() < AT_ONCE:
            return self.now.astimezone(self.rng.choice(ZONES))
        later = 7_000_000 if self.rng.random() < 0.02 else self.rng.choice((61, 125, 600, 3700, 90_000))
        self.now += timedelta(seconds=later + self.rng.randrange(60))
        return self.now.astimezone(self.rng.choice(ZONES))

    def tool(self) -> str:
        """The name of a tool of the past."""
        return self.rng.choice(TOOLS)

    def letters(self, count: int) -> Sequence[str]:
        """The first letters of the alphabet."""
        return [chr(ord("A") + number) for number in range(count)]
