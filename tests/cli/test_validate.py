"""``arbora validate`` as people run it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ARBORA = str(Path(sys.executable).parent / "arbora")
HEAD = "# sent_id = {}\n# text = a b\n"
ROW = "{}\t{}\t_\t_\t_\t{}\t{}\tdep\t_\t_\n"
GOOD = HEAD.format("g") + ROW.format(1, "a", "_", 0) + ROW.format(2, "b", "_", 1) + "\n"
BAD = HEAD.format("bad") + ROW.format(1, "", "_", 0) + ROW.format(2, "b", "_", 7) + "3\tc\n\n"
ODD = HEAD.format("odd") + ROW.format(1, "a", "x", 0) + ROW.format(2, "c", "_", 1) + "\n"


def run(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [ARBORA, "validate", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "good.conllu").write_text(GOOD)
    (tmp_path / "bad.conllu").write_text(GOOD + BAD + ODD)
    (tmp_path / "trees.mrg").write_text("(A b)\n(A ())\n(A (B b) (-NONE- *))\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_sound_file(folder):
    done = run("good.conllu")
    assert done.returncode == 0
    assert done.stdout == (
        "good.conllu: 1 sentences, 2 words, 0 multiword tokens, 0 empty nodes, 0 unknown heads, "
        "0 nonprojective arcs, 0 broken, 0 errors, 0 warnings\n"
    )


def test_every_problem_has_a_line(folder):
    done = run("bad.conllu", "good.conllu")
    assert done.returncode == 2
    assert done.stdout.splitlines() == [
        "bad.conllu:8: sentence bad: column 2 (FORM) is empty; an unknown value is written _",
        "bad.conllu:10: sentence bad: ten columns are needed, this line has 2",
        "bad.conllu:12: sentence odd: warning: the comment text differs from the words from character 3: "
        "'b' against 'c'",
        "bad.conllu:14: sentence odd: warning: 1: FEATS: 'x' is not Name=Value",
        "bad.conllu: 2 sentences, 4 words, 0 multiword tokens, 0 empty nodes, 0 unknown heads, "
        "0 nonprojective arcs, 1 broken, 2 errors, 2 warnings",
        "good.conllu: 1 sentences, 2 words, 0 multiword tokens, 0 empty nodes, 0 unknown heads, "
        "0 nonprojective arcs, 0 broken, 0 errors, 0 warnings",
    ]


def test_warnings_alone_are_no_failure_unless_asked(folder):
    Path("odd.conllu").write_text(ODD)
    assert run("odd.conllu").returncode == 0
    assert run("odd.conllu", "--strict").returncode == 2
    assert "warning:" not in run("odd.conllu", "--no-warnings").stdout


def test_json_is_one_object(folder):
    done = run("bad.conllu", "trees.mrg", "none.conllu", "--json")
    assert done.returncode == 2
    result = json.loads(done.stdout)
    assert result["sound"] is False
    bad, trees, none = result["files"]
    assert (bad["errors"], bad["warnings"], bad["broken"], bad["counts"]["words"]) == (2, 2, 1, 4)
    assert bad["findings"][0] == {
        "severity": "error",
        "line": 8,
        "sentence": "bad",
        "reason": "column 2 (FORM) is empty; an unknown value is written _",
    }
    assert trees["counts"] == {"trees": 2, "words": 2, "traces": 1}
    assert trees["findings"][0]["reason"] == "an empty bracket: ()"
    assert none["findings"][0]["reason"] == "there is no such file"


def test_standard_input_and_roots():
    text = ROW.format(1, "a", "_", 0) + ROW.format(2, "b", "_", 0)
    assert run("-", "--format", "conllx", stdin=text).returncode == 0
    assert run("-", "--format", "conllu", stdin=text).returncode == 2
    assert run("-", "--format", "conllu", "--multi-root", stdin=text).returncode == 0
    assert run("-", "--format", "conllx", "--single-root", stdin=text).returncode == 2
    assert run("-", stdin=text).returncode == 2


def test_help_teaches():
    done = run("--help")
    assert done.returncode == 0
    for words in ("Example", "Warnings", "Exits with"):
        assert words in done.stdout
