"""``arbora convert``."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from command import run_here

UD = (
    "# sent_id = 1\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdo\tdo\tAUX\tVBP\t_\t0\troot\t0:root\t_\n"
    "2\tn't\tnot\tPART\tRB\t_\t1\tadvmod\t_\tSpaceAfter=No\n2.1\tx\t_\t_\t_\t_\t_\t_\t0:root\t_\n\n"
)
X = "1\tdo\tdo\tAUX\tVBP\t_\t0\troot\t_\t_\n2\tn't\tnot\tPART\tRB\t_\t1\tadvmod\t_\t_\n\n"
BAD = "1\ta\n\n"


def run(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return run_here("convert", *arguments, stdin=stdin)


@pytest.fixture
def ud(tmp_path: Path) -> Path:
    path = tmp_path / "in.conllu"
    path.write_text(UD)
    return path


def test_losses_are_counted(ud, tmp_path):
    done = run(ud, tmp_path / "out.conll")
    assert done.returncode == 0
    assert (tmp_path / "out.conll").read_text() == X
    assert done.stderr == (
        "1 written, lost: 1 comments, lost: 1 multiwords, lost: 1 empty nodes, lost: 1 deps, lost: 1 misc\n"
    )


def test_same_format_changes_nothing(ud):
    done = run(ud, "-", "--to", "conllu")
    assert (done.returncode, done.stdout) == (0, UD)


def test_a_file_onto_itself(ud):
    assert run(ud, ud).returncode == 0
    assert ud.read_text() == UD


def test_conllx_to_conllu_keeps_the_projective_columns():
    row = "1\ta\t_\t_\t_\t_\t0\tr\t{}\t{}\n\n"
    done = run("-", "-", "--from", "conllx", "--to", "conllu", stdin=row.format("0", "x"))
    assert done.stdout == row.format("_", "PHead=0|PDeprel=x")
    back = run("-", "-", "--from", "conllu", "--to", "conllx", stdin=done.stdout)
    assert back.stdout == row.format("0", "x")


def test_several_roots_are_told():
    text = "1\ta\t_\t_\t_\t_\t0\tr\t_\t_\n2\tb\t_\t_\t_\t_\t0\tr\t_\t_\n\n"
    done = run("-", "-", "--from", "conllx", "--to", "conllu", stdin=text)
    assert (done.returncode, done.stdout) == (0, text)
    assert done.stderr == "1 written, 1 with several roots (read them with --multi-root)\n"


def test_brackets_to_words_and_tags():
    tree = "((S (NP-SBJ (NN dog)) (VP (VB go) (-NONE- *))))\n"
    words = "1\tdog\t_\t_\tNN\t_\t_\t_\t_\t_\n2\tgo\t_\t_\tVB\t_\t_\t_\t_\t_\n\n"
    done = run("-", "-", "--from", "brackets", "--to", "conllx", stdin=tree)
    assert done.stdout == words
    assert "lost: 1 traces, lost: 4 constituents" in done.stderr
    done = run("-", "-", "--from", "brackets", "--to", "conllu", stdin=tree)
    assert done.stdout == "# constituents = ((S (NP-SBJ (NN dog)) (VP (VB go))))\n" + words
    assert done.stderr == "1 written, lost: 1 traces\n"
    back = run("-", "-", "--from", "conllu", "--to", "brackets", stdin=done.stdout)
    assert (back.stdout, back.stderr) == ("((S (NP-SBJ (NN dog)) (VP (VB go))))\n", "1 written\n")
    plain = ("--from", "brackets", "--to", "brackets", "--without-traces", "--without-functions")
    assert run("-", "-", *plain, stdin=tree).stdout == "((S (NP (NN dog)) (VP (VB go))))\n"


def test_bad_input_is_one_line_and_no_output(tmp_path):
    (tmp_path / "in.conllu").write_text(UD + BAD)
    target = tmp_path / "out.conllu.gz"
    done = run(tmp_path / "in.conllu", target)
    assert done.returncode == 2
    assert (
        done.stderr
        == f"arbora: {tmp_path}/in.conllu:7: sentence #2: ten columns are needed, this line has 2\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.conllu"]
    lenient = run(tmp_path / "in.conllu", target, "--lenient")
    assert (lenient.returncode, lenient.stderr) == (0, "1 written, 1 skipped\n")
    assert target.exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            ("in.conllu", "out.mrg"),
            "arbora: in.conllu: sentence 1: it has no constituents, so it cannot be turned into brackets\n",
        ),
        (
            ("in.conll", "out.mrg"),
            "arbora: conllx has no constituents, so it cannot be turned into brackets\n",
        ),
        (
            ("in.conllu", "out.pdf"),
            "arbora: out.pdf: the name does not tell the format: say which by --to, one of conllu, conllx",
        ),
        (("in.txt", "out.conllu"), "arbora: in.txt: the name does not tell the format: say which by --from"),
        (("none.conllu", "out.conll"), "arbora: none.conllu: there is no such file\n"),
        (("in.conllu", "out.conll", "--without-traces"), "arbora: traces and functions can be taken out of"),
    ],
)
def test_what_cannot_be_done(ud, monkeypatch, arguments, reason):
    monkeypatch.chdir(ud.parent)
    Path("in.txt").touch()
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(reason)
    assert done.stderr.count("\n") == 1


def test_help_teaches():
    done = run("--help")
    assert done.returncode == 0
    for words in ("Example", "lost", "--lenient", "--from"):
        assert words in done.stdout


TEXTS = {
    "paragraphs": (
        "# newdoc\n# newpar\n1\tHi\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n2\t!\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
        "1\tYes\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n\n# newpar\n1\tNo\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
        "Hi! Yes\n\nNo",
    ),
    "a multiword token, and spaces of other kinds": (
        "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\s\\s\n1\tdo\t_\t_\t_\t_\t_\t_\t_\t_\n2\tn't\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "3\tgo\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\t\\u2028\\n\n\n1\tx\t_\t_\t_\t_\t_\t_\t_\tSpacesBefore=\\s\n\n",
        "don't  go\t\u2028\n x",
    ),
    "text that agrees": (
        "# text = Hi!\n1\tHi\t_\t_\t_\t_\t_\t_\t_\t_\n2\t!\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
        "Hi!",
    ),
    "text that does not": (
        "# text = Ho!\n1\tHi\t_\t_\t_\t_\t_\t_\t_\t_\n2\t!\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
        "Hi !",
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_raw_text(tmp_path, name):
    source, target = tmp_path / "x.conllu", tmp_path / "x.txt"
    source.write_text(TEXTS[name][0], "utf-8")
    done = run(source, target)
    assert done.returncode == 0, done.stderr
    assert target.read_bytes().decode() == TEXTS[name][1]
    assert run(source, "-", "--to", "text").stdout == TEXTS[name][1]


@pytest.mark.parametrize(
    "text", ["It works. It does.\n\nSo it  goes,\tdoesn't it?\n", "  \n One.\r\n\r\nTwo (2)!\u2029\n\n"]
)
def test_what_was_cut_is_put_together_again(tmp_path, text):
    """From text to words and back, byte for byte; and cut again, the same words."""
    raw, words, back, again = (
        tmp_path / name for name in ("raw.txt", "w.conllu", "back.txt", "again.conllu")
    )
    raw.write_bytes(text.encode())
    for source, target in ((raw, words), (back, again)):
        if source is back:
            assert run(words, back).returncode == 0
            assert back.read_bytes() == raw.read_bytes()
        assert run_here("tokenize", "-i", source, "-o", target).returncode == 0
    assert again.read_bytes() == words.read_bytes()
