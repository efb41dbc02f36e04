"""Which commands change no file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.audit.looking import only_looks, said_first


@pytest.mark.parametrize(
    "command",
    [
        "cat a", "head -4 x | od -c | head -4", "ls -la 2>/dev/null; pwd", "grep -c . f && wc -l < f", "cat a 2>&1",
        "test -f a && echo yes || echo no", "sed -n '1,20p' f", "sed -n '$p' f g", "cd docs && ls", "grep 'a;b' f",
        "find . -name '*.md' | sort | uniq -c", "awk '{print $1}' f", "sort -k2 -t, f", "uniq -c f", "[ -s a ]",
    ],
)  # fmt: skip
def test_a_command_that_prints_and_nothing_else_only_looks(command):
    assert only_looks(command)


@pytest.mark.parametrize(
    "command",
    [
        "cat a > b", "echo x >> y", "cat < a > b", "echo a >| b", "cat a >& b", "echo hi 1<> f", "cat <<E\nrm\nE", "tee x",
        "sed -i s/a/b/ f", "sed -n 'w out' f", "sed -n 1p -i f", "sort -o f f", "sort -uo f f", "sort --output=f f", "uniq a b",
        "find . -delete", "find . -exec rm {} ;", "cat a\nrm b", "cat a & rm b", "cat a | xargs rm", "awk '{print > \"x\"}' f",
        "awk 'BEGIN{system(\"rm a\")}'",
        "awk -f x.awk a", "echo $(rm a)", "echo `rm a`", "cat <(rm x)", "x=1 cat a", "date -s x",
        "if true; then rm a; fi", "python3 x.py", "sh -c 'cat a'", "echo 'a", "cat a;", "| cat", "cat a >", "file -C -m x", "",
    ],
)  # fmt: skip
def test_what_may_write_or_is_not_plain_does_not(command):
    assert not only_looks(command)


@given(st.lists(st.sampled_from(["cat", "rm", "tee", ">", "|", "&&", ";", "&", "a", "2", "$(", "/dev/null", "\n"])))
def test_no_command_that_only_looks_names_a_program_that_writes_where_a_program_stands(words):
    command = " ".join(words)
    if only_looks(command):
        places = [0, *(at + 1 for at, word in enumerate(words) if word in ("|", "&&", ";"))]
        assert {words[at] for at in places} <= {"cat"}


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("echo 'a  b' c >> x.md", ("a  b c", ">>", "x.md")),
        ("echo a > x.md && cat x.md | wc -l; ls", ("a", ">", "x.md")),
        ("echo > x.md", ("", ">", "x.md")),
        ("echo a", None),
        ("echo -n a > x.md", None),
        ("echo 'a\\nb' > x.md", None),
        ("echo $A > x.md", None),
        ("echo a > x.md && rm x.md", None),
        ("echo a > x.md | cat", None),
        ("echo a 2> x.md", None),
        ("test -f y && echo a > x.md", None),
        ("echo 'a > x.md", None),
    ],
)
def test_what_a_command_says_into_a_file_before_it_looks(command, found):
    assert said_first(command) == found
