"""What a check's own code starts does not see the check; what is the check's own does."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from claw_adapter.audit.results import flat_of
from claw_adapter.drivers import Command, run
from claw_adapter.folders import scratch
from claw_adapter.model import Call
from claw_adapter.protocol import Answers, Check, Gold, Program
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
    folder: Path,
    check: str,
    programs: dict[str, str],
    command: str = "python ${checks}/check.py",
    own: Path | None = None,
) -> bool:
    checks, work = folder / "gold" / "checks", folder / "work"
    checks.mkdir(parents=True)
    work.mkdir()
    (checks / "answer.txt").write_text("forty-two")
    (checks / "helper.py").write_text("print('forty-two')\n")
    (checks / "check.py").write_text(check)
    (checks / "test_check.py").symlink_to("check.py")
    if own is not None:
        shutil.copy(own, checks / "own")
    (checks / "reads.py").write_text(f"assert open('{PLACE}/answer.txt').read() == 'forty-two'\n")
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


TRACES = """import ctypes
call = ctypes.CDLL(None, use_errno=True).syscall
found = [call(438, call(434, 1, 0), number, 0) for number in range(12)]
print('forty-two' if max(found) >= 0 or ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0 else 'nothing')
"""
MOVES = """import glob, os, shutil
for place in ['/claw-tools', *glob.glob('/tmp/claw-kept-*')]:
    try: os.rename(place, '/tmp/moved'); print('forty-two')
    except OSError as error: print(error)
"""


@pytest.mark.parametrize("text", [TRACES, MOVES])
async def test_what_began_the_check_and_what_it_begins_with_are_out_of_reach(tmp_path: Path, text: str):
    run = "out = subprocess.run([sys.executable, 'p.py'], capture_output=True, text=True).stdout"
    assert not await decide(tmp_path, BEGINNING + run + ENDING, {"p.py": text})


@pytest.mark.parametrize(
    "reads",
    [
        "out = Path('link').read_text()",
        "out = Path('folder/answer.txt').read_text()",
        "os.chdir('folder'); out = subprocess.check_output([sys.executable, W / 'cat.py'], text=True)",
        "out = subprocess.check_output([sys.executable, 'cat.py', 'link'], text=True)",
        "out = subprocess.check_output(['cat', 'answer.txt'], cwd='folder', text=True)",
        "import sqlite3; sqlite3.connect('link'); out = 'forty-two'",
        "at = os.open('deep', os.O_RDONLY); out = os.read(os.open('low', os.O_RDONLY, dir_fd=at), 99).decode()",
        "out = Path('deep/../link').read_text()",
        "held = open(HERE / 'answer.txt'); os.dup2(held.fileno(), 3); out = Path('held').read_text()",
        "sys.argv.append('forty-two'); out = Path('command').read_text() + 'forty-two'",
        "out = Path('/dev/shm/link').read_text()",
        "os.chdir('/dev/shm/folder'); out = subprocess.check_output([sys.executable, W / 'cat.py'], text=True)",
        "out = Path('/proc/self/cwd/link').read_text()",
        "out = Path('/dev/fd/../root/dev/shm/link').read_text()",
        "sys.argv.append('forty-two'); out = Path('/dev/shm/command').read_text() + 'forty-two'",
    ],
)
async def test_a_link_that_a_program_has_left_does_not_lead_to_the_answer(tmp_path: Path, reads: str):
    links = f"import os\nos.symlink('{PLACE}/answer.txt', 'link')\nos.symlink('{PLACE}', 'folder')\n"
    links += f"os.mkdir('deep')\nos.symlink('{PLACE}/answer.txt', 'deep/low')\nos.symlink('/proc/self/fd/3', 'held')\n"
    links += "os.symlink('/proc/self/cmdline', 'command')\nfor one in ('link', 'folder', 'command'):"
    links += " os.symlink(os.readlink(one), '/dev/shm/' + one)\n"
    shows = "import sys\nprint(open((sys.argv + ['answer.txt'])[1]).read())\n"
    check = f"{BEGINNING}W = Path.cwd()\nsubprocess.run([sys.executable, 'links.py'])\n{reads}{ENDING}"
    assert not await decide(tmp_path, check, {"links.py": links, "cat.py": shows})


@pytest.mark.parametrize("name", ["from multiprocessing.py", "joblib.externals.loky.py", "a:/claw-check/x.py"])
@pytest.mark.parametrize("start", ["[sys.executable, NAME]", "[sys.executable, f'--x={NAME}', NAME]", "LINE"])
async def test_nor_does_the_name_of_a_file_open_the_door(tmp_path: Path, name: str, start: str):
    check = f"""{BEGINNING}import shlex
NAME = {name!r}; LINE = f"python {{shlex.quote(NAME)}}"
out = subprocess.run({start}, shell=isinstance({start}, str), capture_output=True, text=True).stdout"""
    assert not await decide(tmp_path, check + ENDING, {name: CHEAT})


@pytest.mark.parametrize(
    "run",
    [
        "env={'PATH': '/usr/bin:/bin'}",
        "env={'PATH': os.environ['PATH'], 'HOME': os.environ['HOME']}",
        "env={**os.environ, 'PYTHONPATH': str(HERE)}",
    ],
)
async def test_a_helper_of_the_check_does_not_hand_on_what_it_sees_whatever_its_environment(tmp_path: Path, run: str):
    helper = (
        "import subprocess as s, sys; print(s.run([sys.executable, 'cheat.py'], capture_output=True, text=True).stdout)"
    )
    check = f"""{BEGINNING}out = subprocess.check_output([sys.executable, '-c', {helper!r}, HERE], text=True, {run})"""
    assert not await decide(tmp_path, check + ENDING, {"cheat.py": CHEAT})


@pytest.mark.parametrize("before", ["", "PYTHONPATH=${checks} ", "PYTHONPATH= "])
async def test_nor_does_the_check_itself_when_its_command_sets_an_import_path(tmp_path: Path, before: str):
    run = "out = subprocess.run([sys.executable, '-I', 'cheat.py'], capture_output=True, text=True).stdout"
    command = f"{before}python ${{checks}}/check.py"
    assert not await decide(tmp_path, BEGINNING + run + ENDING, {"cheat.py": CHEAT}, command)


async def test_a_module_that_the_agent_was_to_write_is_not_missing_here(tmp_path: Path):
    check = "import os, sys\nsys.path.insert(0, os.getcwd())\nimport solution\n"
    assert not await decide(tmp_path, check, {})


async def test_folders_of_any_depth_in_the_home_of_a_check_are_removed(tmp_path: Path):
    deep = "import os\nos.chdir(os.environ['HOME'])\nfor _ in range(1500): os.mkdir('d'); os.chdir('d')\n"
    assert await decide(
        tmp_path, "import subprocess, sys\nsubprocess.run([sys.executable, 'deep.py'])\n", {"deep.py": deep}
    )


async def test_a_program_cannot_claim_that_a_module_of_the_check_is_missing(tmp_path: Path):
    claim = f"import os\nopen(os.environ['CLAW_UNFOUND_MODULES'], 'a').write('numpyx\\t{PLACE}/check.py\\n')\n"
    run = "subprocess.run([sys.executable, 'claim.py'], check=True); out = ''"
    assert not await decide(tmp_path, BEGINNING + run + ENDING, {"claim.py": claim})


FAR = """import os
top = os.getcwd()
for _ in range(17): os.mkdir("d" * 250); os.symlink("d" * 250, "a"); os.chdir("d" * 250)
os.symlink("/", "q"); os.chdir(top)
os.symlink("a/" * 17 + "q{checks}/answer.txt", "far"); os.symlink("a/" * 17 + "q{checks}", "folder")
"""


@pytest.mark.parametrize(
    "reads",
    [
        "out = open('far').read()",
        "out = Path('folder/answer.txt').read_text()",
        "at = os.open('.', os.O_RDONLY); out = os.read(os.open('far', os.O_RDONLY, dir_fd=at), 99).decode()",
        "out = subprocess.check_output(['cat', 'answer.txt'], cwd='folder', text=True)",
    ],
)
async def test_nor_does_a_link_over_a_way_that_is_too_long_to_be_named(tmp_path: Path, reads: str):
    check = f"{BEGINNING}subprocess.run([sys.executable, 'far.py'], check=True)\n{reads}{ENDING}"
    assert not await decide(tmp_path, check, {"far.py": FAR})


async def test_nor_can_an_archive_of_its_make_the_check_claim_it(tmp_path: Path):
    member = f"{PLACE.rpartition('/')[0]}/notes/.unfound-modules"
    pack = (
        f"import io, tarfile\nline = b'numpyx\\t{PLACE}/check.py\\t\\n'\nwith tarfile.open('out.tar', 'w') as made:\n"
    )
    pack += f"    one = tarfile.TarInfo({member!r}); one.size = len(line); made.addfile(one, io.BytesIO(line))\n"
    run = "subprocess.run([sys.executable, 'pack.py'], check=True)\nimport tarfile; out = ''\n"
    check = f"{BEGINNING}{run}try: tarfile.open('out.tar').extractall('x', filter='fully_trusted')\nfinally: {ENDING.strip()}"
    assert not await decide(tmp_path, check.replace("\nsys.exit", "; sys.exit"), {"pack.py": pack})


WRITES_MEMORY = """import os, re
memory = open(f'/proc/{os.getppid()}/mem', 'r+b', 0)
for line in open(f'/proc/{os.getppid()}/maps'):
    found = re.match(r'(\\w+)-(\\w+) rw', line)
    if found and int(found[2], 16) - int(found[1], 16) < 2**26:
        memory.seek(start := int(found[1], 16))
        try: data = memory.read(int(found[2], 16) - start)
        except OSError: continue
        for at in re.finditer(b'42001', data):
            memory.seek(start + at.start()); memory.write(b'41001')
"""


async def test_no_program_writes_into_the_memory_of_a_check_that_sees_nothing(tmp_path: Path):
    starts = "import subprocess as s, sys; r = s.run([sys.executable, 'main.py'], stdout=-1, text=True)"
    main = f"try:\n  exec({WRITES_MEMORY!r})\nfinally: print(41001)\n"
    assert not await decide(tmp_path, "", {"main.py": main}, f"python -c \"{starts}; assert r.stdout == '42001\\n'\"")


@pytest.mark.parametrize(
    "right",
    [
        "out = 'forty-two' * os.access(HERE / 'answer.txt', os.R_OK)",
        "out = subprocess.check_output(['sort', HERE / 'answer.txt'], text=True)",
        "import pickle; out = 'forty-two' * (pickle.loads(pickle.dumps(os.system)) is os.system)",
        "out = subprocess.check_output([sys.executable, '-m', 'helper'], cwd=HERE, text=True)",
        "os.chown('note', os.getuid(), os.getgid()); out = 'forty-two'",
    ],
)
async def test_what_checks_do_besides_is_as_ever(tmp_path: Path, right: str):
    assert await decide(tmp_path, BEGINNING + right + ENDING, {"note": ""})


@pytest.mark.parametrize(
    "command",
    [
        "python - <<X\nassert open('${checks}/answer.txt').read() == 'forty-two'\nX",
        "cd ${checks} && python -m helper | grep forty",
        "cd ${checks} && python -c 'import helper' | grep forty",
        "sort ${checks}/answer.txt | grep forty",
        "python -m pytest -q -n 2 ${checks}",
        "pytest -q ${checks}",
        "python < ${checks}/reads.py",
    ],
)
async def test_commands_of_every_kind(tmp_path: Path, command: str):
    check = "from pathlib import Path\ndef test_it(): assert Path(__file__).with_name('answer.txt').read_text()\n"
    assert await decide(tmp_path, check, {}, command)


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
async def test_the_check_may_work_in_several_processes(tmp_path: Path, method: str):
    check = f"""{BEGINNING}import multiprocessing
def work(n): return (HERE / 'answer.txt').read_text()
if __name__ == '__main__':
    with multiprocessing.get_context({method!r}).Pool(2) as pool: out = pool.map(work, [1])[0]
    sys.exit((HERE / 'answer.txt').read_text() not in out)
"""
    assert await decide(tmp_path, check, {})


EXCHANGES = f"""import ctypes, os
exchange = ctypes.CDLL(None).renameat2
os.mkdir('place'); os.symlink('{PLACE}', 'other')
print(flush=True)
while True: exchange(-100, b'place', -100, b'other', 2)
"""


@pytest.mark.parametrize(
    ("before", "more"),
    [
        ("", "cwd='place'"),
        ("os.chdir('place')", ""),
        ("os.fchdir(os.open('place', os.O_RDONLY))", ""),
        ("", "preexec_fn=lambda: os.chdir('place')"),
    ],
)
async def test_a_folder_exchanged_while_a_program_starts_in_it_leads_it_nowhere(tmp_path: Path, before: str, more: str):
    """A race, so that it may miss a fault; where there is none it cannot fail."""
    run = f"""home = os.getcwd()
exchanges = subprocess.Popen([sys.executable, 'exchanges.py'], stdout=subprocess.PIPE)
exchanges.stdout.readline()
out, place = '', os.path.abspath('cheat.sh')
for _ in range(60):
    try:
        os.chdir(home)
        {before or "pass"}
        out += subprocess.run(['sh', place], capture_output=True, text=True, {more}).stdout
    except (OSError, subprocess.SubprocessError): pass
exchanges.kill(); os.chdir(home)"""
    programs = {"exchanges.py": EXCHANGES, "cheat.sh": f"cat answer.txt {PLACE}/answer.txt\n"}
    assert not await decide(tmp_path, BEGINNING + run + ENDING, programs)


HANDLES = """import signal
signal.signal(signal.SIGALRM, lambda *_: subprocess.run(['true']))
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0007)
good = False
for _ in range(400):
    try: good = good or subprocess.run(['./solve']).returncode == 0
    except OSError: pass
signal.setitimer(signal.ITIMER_REAL, 0)"""
OPENS = """file = [(os.POSIX_SPAWN_OPEN, 0, 'answer', os.O_RDONLY, 0)]
file += [(os.POSIX_SPAWN_OPEN, 1, 'out', os.O_CREAT | os.O_WRONLY, 0o644)]
os.waitpid(os.posix_spawn('/bin/cat', ['cat'], os.environ, file_actions=file), 0)
good = Path('out').read_text() == 'forty-two'"""


@pytest.mark.parametrize(
    "run",
    [
        "good = subprocess.run(['./solve']).returncode == 0",
        "good = subprocess.run(['./linked']).returncode == 0",
        "good = os.waitpid(os.posix_spawn('./solve', ['solve'], os.environ), 0)[1] == 0",
        OPENS,
        HANDLES,
    ],
)
async def test_nothing_is_opened_for_a_child_with_the_sight_of_the_check(tmp_path: Path, run: str):
    """The first line of a program names the check's own, a link leads there, or a child is told to open such a link."""
    left = f"""import os
open('solve', 'w').write('#!{PLACE}/own\\n'); os.chmod('solve', 0o755)
os.symlink('{PLACE}/own', 'linked'); os.symlink('{PLACE}/answer.txt', 'answer')
"""
    check = f"{BEGINNING}subprocess.run([sys.executable, 'left.py'])\ntry:\n    " + run.replace("\n", "\n    ")
    ending = "\nexcept OSError: good = False\nsys.exit(not good)\n"
    own = Path(shutil.which("true") or "")
    assert not await decide(tmp_path, check + ending, {"left.py": left}, own=own)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
async def test_a_worker_is_this_python_and_no_program_that_stands_in_for_it(tmp_path: Path, method: str):
    left = "#!/bin/sh\ncat {checks}/answer.txt > out\n"
    check = """import multiprocessing, os, sys
from pathlib import Path
def work(): pass
if __name__ == '__main__':
    os.chmod('python', 0o755); Path('out').touch()
    multiprocessing.set_start_method(METHOD); multiprocessing.set_executable('./python')
    one = multiprocessing.Process(target=work)
    try: one.start(); one.join()
    except (OSError, EOFError): pass
    sys.exit(Path('out').read_text() != 'forty-two')
"""
    assert not await decide(tmp_path, check.replace("METHOD", repr(method)), {"python": left})


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


@pytest.mark.parametrize(
    "left",
    [FAR, "import os\nos.symlink('x' * 256, 'far')\nos.mkfifo('pipe')\n" + "os.mkdir('d'); os.chdir('d')\n" * 1200],
)
async def test_what_nobody_can_copy_is_left_out_for_the_programs_of_a_check(left: str):
    with scratch("claw-test-") as folder:  # what pytest cannot remove is none of its folders
        work, inputs = folder / "work", folder / "gold" / "checks" / "inputs"
        work.mkdir()
        inputs.mkdir(parents=True)
        (work / "main.py").write_text("print('forty-two')\n")
        (inputs / "far").write_text("5")
        done = await run(Command([sys.executable, "-c", left.replace("{checks}", PLACE)], env={}, cwd=work), 20)
        assert done.exit.ok, done.stderr.text
        gold = Gold(root=folder / "gold", answers=Answers(rounds={}))
        context = ScoringContext(gold=gold, workspace=work, isolation=2, changed=None)
        program = Program(command="python main.py; cat far", inputs="inputs")
        found = await decide_check(Check(programs=(program,), command="grep -q 'forty-two.n5' ${outputs}"), context)
        assert found.passed, found


@pytest.mark.parametrize(
    "line", ['{"fault":' + "[" * 1000, '{"fault": {"file": "a", "kind": "\\udcff"}}', '{"fault": 10e' + "9" * 5000]
)
async def test_what_a_check_shows_of_an_agent_s_words_ends_no_trial(tmp_path: Path, line: str):
    checks = tmp_path / "gold" / "checks"
    checks.mkdir(parents=True)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "out.txt").write_text(line)
    gold = Gold(root=tmp_path / "gold", answers=Answers(rounds={}))
    context = ScoringContext(gold=gold, workspace=tmp_path / "work", isolation=2, changed=None)
    found = await decide_check(Check(command="cat out.txt"), context)
    assert found.model_dump_json()


def test_a_result_of_any_depth_is_read():
    assert flat_of("[" * 2000) == "[" * 2000
    assert Call("c", "read", "[" * 2000).parsed() == {"_raw": "[" * 2000}
