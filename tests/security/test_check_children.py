"""What a check's own code starts does not see the check; what is the check's own does."""

from __future__ import annotations

from pathlib import Path

import pytest

from claw_adapter.protocol import Answers, Check, Gold
from claw_adapter.question import ScoringContext
from claw_adapter.questions.exec_check import decide_check
from claw_adapter.sandbox import IsolationLevel, detect, own_places

pytestmark = pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces here: {detect().reason}")

PLACE = own_places({"checks": Path()}, IsolationLevel.NAMESPACE)["checks"].as_posix()
CHEAT = """import glob
found = [p for p in glob.glob('{checks}/*') + glob.glob('/proc/[0-9]*/root{checks}/*')]
print(open([p for p in found if p.endswith('answer.txt')][0]).read() if found else 'nothing')
"""
AGAIN = "import subprocess, sys\nprint(subprocess.run([sys.executable, 'cheat.py'], capture_output=True, text=True).stdout)\n"
FIRST_LINE = "#!/usr/bin/python3 -IS\nprint(open('{checks}/answer.txt').read())\n"
SHELL = "cat {checks}/answer.txt /proc/[0-9]*/root{checks}/answer.txt || echo nothing\n"
UNCOVERS = """chmod 755 /claw-check; unshare -rm cat {checks}/answer.txt
unshare -U cat {checks}/answer.txt; umount -l {checks} /claw-check; cat {checks}/answer.txt
"""
BEGINNING = "import asyncio, os, subprocess, sys\nfrom pathlib import Path\nHERE = Path(__file__).parent\n"
RUNS = {
    "a list": "out = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True).stdout",
    "a shell": "out = subprocess.run(f'python {PROGRAM}', shell=True, capture_output=True, text=True).stdout",
    "in another folder": "out = subprocess.check_output([sys.executable, os.path.abspath(PROGRAM)], cwd='/tmp', text=True)",
    "alone with its environment": "out = subprocess.check_output([sys.executable, PROGRAM], env={}, text=True)",
    "isolated": "out = subprocess.check_output([sys.executable, '-I', PROGRAM], text=True)",
    "os.system": "os.system(f'python {PROGRAM} > out'); out = Path('out').read_text()",
    "os.popen": "out = os.popen(f'python {PROGRAM}').read()",
    "os.spawn": "os.spawnlp(os.P_WAIT, 'sh', 'sh', '-c', f'python {PROGRAM} > out'); out = Path('out').read_text()",
    "os.posix_spawn": """child = os.posix_spawn(sys.executable, [sys.executable, PROGRAM], os.environ,
    file_actions=[(os.POSIX_SPAWN_OPEN, 1, 'out', os.O_CREAT | os.O_WRONLY, 0o644)])
os.waitpid(child, 0); out = Path('out').read_text()""",
    "os.fork": """child = os.fork()
if not child:
    os.dup2(os.open('out', os.O_CREAT | os.O_WRONLY), 1)
    os.execv(sys.executable, [sys.executable, PROGRAM])
os.waitpid(child, 0); out = Path('out').read_text()""",
    "a terminal": """import pty
saved = os.dup(1); os.dup2(os.open('out', os.O_CREAT | os.O_WRONLY), 1)
pty.spawn([sys.executable, PROGRAM]); os.dup2(saved, 1); out = Path('out').read_text()""",
    "the system's own function": """import ctypes
ctypes.CDLL(None).system(f'python {PROGRAM} > out'.encode()); out = Path('out').read_text()""",
    "asyncio": """async def main():
    child = await asyncio.create_subprocess_exec(sys.executable, PROGRAM, stdout=-1)
    return (await child.communicate())[0].decode()
out = asyncio.run(main())""",
}
ENDING = "\nprint(out)\nsys.exit((HERE / 'answer.txt').read_text() not in out)\n"


async def decide(
    folder: Path, check: str, programs: dict[str, str], command: str = "python ${checks}/check.py"
) -> bool:
    checks, work = folder / "gold" / "checks", folder / "work"
    checks.mkdir(parents=True)
    work.mkdir()
    (checks / "answer.txt").write_text("forty-two")
    (checks / "helper.py").write_text("print('forty-two')\n")
    (checks / "check.py").write_text(check)
    for name, text in programs.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text.replace("{checks}", PLACE))
    found = ScoringContext(
        gold=Gold(root=folder / "gold", answers=Answers(rounds={})), workspace=work, isolation=2, changed=None
    )
    return (await decide_check(Check(command=command), found)).passed


@pytest.mark.parametrize("way", RUNS)
@pytest.mark.parametrize("program", ["cheat.py", "honest.py", "again.py"])
async def test_a_program_that_a_check_starts_cannot_look_its_answer_up(tmp_path: Path, way: str, program: str):
    programs = {"cheat.py": CHEAT, "honest.py": "print('forty-two')\n", "again.py": AGAIN}
    check = f"{BEGINNING}PROGRAM = {program!r}\n{RUNS[way]}{ENDING}"
    assert await decide(tmp_path, check, programs) is (program == "honest.py")


@pytest.mark.parametrize("text", [SHELL, UNCOVERS, FIRST_LINE])
async def test_nor_can_a_program_that_is_no_python(tmp_path: Path, text: str):
    start = "[os.path.abspath('cheat.sh')]" if text == FIRST_LINE else "['bash', 'cheat.sh']"
    run = f"os.chmod('cheat.sh', 0o755); out = subprocess.run({start}, capture_output=True, text=True).stdout"
    assert not await decide(tmp_path, BEGINNING + run + ENDING, {"cheat.sh": text})


async def test_nor_one_that_the_command_of_the_check_starts(tmp_path: Path):
    check = BEGINNING + "out = Path('out').read_text()" + ENDING
    command = "python cheat.py > out; python ${checks}/check.py"
    assert not await decide(tmp_path, check, {"cheat.py": CHEAT}, command)


@pytest.mark.parametrize(
    "run",
    [
        "out = subprocess.check_output([sys.executable, str(HERE / 'helper.py')], text=True)",
        "out = subprocess.check_output([sys.executable, 'helper.py'], cwd=HERE, text=True)",
        "out = subprocess.check_output(f'python {HERE}/helper.py', shell=True, text=True)",
        "out = subprocess.check_output(['python', '-m', 'helper'], env=os.environ | {'PYTHONPATH': str(HERE)}, text=True)",
        "out = subprocess.check_output(['python', 'sum.py', HERE / 'answer.txt'], text=True)",
        "os.system(f'python {HERE}/helper.py > out'); out = Path('out').read_text()",
        "out = subprocess.check_output([sys.executable, str(HERE / 'helper.py')], text=True, close_fds=False)",
        "os.spawnv(os.P_WAIT, '/bin/cp', ['cp', str(HERE / 'answer.txt'), 'out']); out = Path('out').read_text()",
        "out = subprocess.check_output(['python', 'sum.py', '/dev/stdin'], stdin=open(HERE / 'answer.txt'), text=True)",
    ],
)
async def test_what_is_named_to_a_child_it_sees(tmp_path: Path, run: str):
    programs = {"sum.py": "import sys\nprint(open(sys.argv[1]).read())\n"}
    assert await decide(tmp_path, BEGINNING + run + ENDING, programs)


@pytest.mark.parametrize(
    "run",
    [
        "out = subprocess.check_output(['python', '-c', 'import json', HERE], text=True)",
        "out = subprocess.check_output(['python', '-m', 'json.tool', HERE / 'answer.txt'], text=True)",
        "Path('/tmp/h.py').write_text('import json'); out = subprocess.check_output(['python', '/tmp/h.py', HERE], text=True)",
        "out = subprocess.check_output(f'python -c \"import json\" {HERE}', shell=True, text=True)",
    ],
)
async def test_what_sees_imports_nothing_that_a_program_has_left(tmp_path: Path, run: str):
    planted = f"import glob\nprint(open('{PLACE}/answer.txt').read())\n"
    first = "subprocess.run(['cp', 'json.py', '/tmp/json.py'])\n"
    assert not await decide(tmp_path, f"{BEGINNING}{first}{run}{ENDING}", {"json.py": planted})


@pytest.mark.parametrize(
    "name", ["/claw-check.py", "x/claw-check/run.py", "a /claw-check/run.py", "=/claw-check/run.py"]
)
async def test_a_file_with_the_name_of_the_place_is_still_the_agent_s(tmp_path: Path, name: str):
    run = f"out = subprocess.run([sys.executable, {name.lstrip('/')!r}], capture_output=True, text=True).stdout"
    assert not await decide(tmp_path, BEGINNING + run + ENDING, {name.lstrip("/"): CHEAT})


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
async def test_the_check_may_work_in_several_processes(tmp_path: Path, method: str):
    check = f"""{BEGINNING}import multiprocessing
def work(n): return (HERE / 'answer.txt').read_text()
if __name__ == '__main__':
    with multiprocessing.get_context({method!r}).Pool(2) as pool: out = pool.map(work, [1])[0]
    sys.exit((HERE / 'answer.txt').read_text() not in out)
"""
    assert await decide(tmp_path, check, {})


async def test_what_a_child_writes_and_how_it_ends_is_as_ever(tmp_path: Path):
    check = """import os, subprocess, sys
code = subprocess.run([sys.executable, 'writes.py', 'a']).returncode
signal = subprocess.run(['sh', '-c', 'kill -9 $$']).returncode
status = os.waitstatus_to_exitcode(os.system('exit 3'))
sys.exit((code, signal, status, open('a').read(), os.path.exists('/tmp/b')) != (7, -9, 3, 'x', True))
"""
    program = """import os, sys
open(sys.argv[1], 'w').write('x')
open('/tmp/b', 'w').close()
os.chown('/tmp/b', os.getuid(), os.getgid())
sys.exit(7)
"""
    assert await decide(tmp_path, check, {"writes.py": program})
