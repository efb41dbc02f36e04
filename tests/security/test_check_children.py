"""What a check's own code starts does not see the check; what is the check's own does."""

from __future__ import annotations

from pathlib import Path

import pytest

from claw_adapter.protocol import Answers, Check, Gold
from claw_adapter.question import ScoringContext
from claw_adapter.questions.exec_check import decide_check
from claw_adapter.sandbox import detect

pytestmark = pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces here: {detect().reason}")

CHEAT = """import glob
found = [p for p in glob.glob('{checks}/*') + glob.glob('/proc/[0-9]*/root{checks}/*')]
print(open([p for p in found if p.endswith('answer.txt')][0]).read() if found else 'nothing')
"""
AGAIN = "import subprocess, sys\nprint(subprocess.run([sys.executable, 'cheat.py'], capture_output=True, text=True).stdout)\n"
SHELL = "cat {checks}/answer.txt /proc/[0-9]*/root{checks}/answer.txt || echo nothing\n"
UNCOVERS = "umount -l {checks}; unshare -rm umount -l {checks}; cat {checks}/answer.txt || echo nothing\n"
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
        (work / name).write_text(text.replace("{checks}", str(checks)))
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


@pytest.mark.parametrize("text", [SHELL, UNCOVERS])
async def test_nor_can_a_program_that_is_no_python(tmp_path: Path, text: str):
    run = "out = subprocess.run(['bash', 'cheat.sh'], capture_output=True, text=True).stdout"
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
        "out = subprocess.check_output(['python', 'sum.py', '/dev/stdin'], stdin=open(HERE / 'answer.txt'), text=True)",
    ],
)
async def test_what_is_named_to_a_child_it_sees(tmp_path: Path, run: str):
    programs = {"sum.py": "import sys\nprint(open(sys.argv[1]).read())\n"}
    assert await decide(tmp_path, BEGINNING + run + ENDING, programs)


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
    programs = {"writes.py": "import sys\nopen(sys.argv[1], 'w').write('x')\nopen('/tmp/b', 'w')\nsys.exit(7)\n"}
    assert await decide(tmp_path, check, programs)
