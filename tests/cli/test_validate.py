"""``arbora validate``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from command import run_here

from arbora.treebank import validating

HEAD = "# sent_id = {}\n# text = a b\n"
ROW = "{}\t{}\t_\t_\t_\t{}\t{}\tdep\t_\t_\n"
GOOD = HEAD.format("g") + ROW.format(1, "a", "_", 0) + ROW.format(2, "b", "_", 1) + "\n"
BAD = HEAD.format("bad") + ROW.format(1, "", "_", 0) + ROW.format(2, "b", "_", 7) + "3\tc\n\n"
ODD = HEAD.format("odd") + ROW.format(1, "a", "x", 0) + ROW.format(2, "c", "_", 1) + "\n"


def run(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return run_here("validate", *arguments, stdin=stdin)


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


UD_ROW = "{}\t{}\t_\t{}\t_\t{}\t{}\t{}\t{}\t_\n"


def universal(*rows: tuple[object, ...]) -> str:
    text = " ".join(str(row[0]) for row in rows)
    lines = [UD_ROW.format(id, *row) for id, row in enumerate(rows, 1)]
    return f"# sent_id = s\n# text = {text}\n" + "".join(lines) + "\n"


SOUND = (
    ("Dogs", "NOUN", "Number=Plur", 2, "nsubj:pass", "2:nsubj:pass"),
    ("bark", "VERB", "_", 0, "root", "0:root"),
)
WRONG = {
    ("NN", "_", 2, "nsubj", "_"): "error: UPOS: 'NN' is none of the 17 universal tags",
    ("_", "_", 2, "nsubj", "_"): "error: UPOS: there is no tag",
    ("NOUN", "_", 2, "root", "_"): "error: DEPREL: 'root' below word 2, and it belongs to head 0",
    (
        "NOUN",
        "_",
        2,
        "SBJ",
        "_",
    ): "error: DEPREL: 'SBJ' is not a relation of small letters, or one with :subtype",
    (
        "NOUN",
        "_",
        2,
        "subj",
        "_",
    ): "error: DEPREL: 'subj' is none of the 37 universal relations, nor its subtype",
    (
        "NOUN",
        "_",
        2,
        "nsubj:x1",
        "_",
    ): "error: DEPREL: 'nsubj:x1' is not a relation of small letters, or one with :subtype",
    ("NOUN", "_", 2, "_", "_"): "error: DEPREL: there is no relation",
    ("NOUN", "_", "_", "nsubj", "_"): "error: HEAD: there is no head",
    ("NOUN", "Number", 2, "nsubj", "_"): "error: FEATS: 'Number' is not Name=Value",
    (
        "NOUN",
        "Number=Plur|Case=Nom",
        2,
        "nsubj",
        "_",
    ): "error: FEATS: the names are not in alphabetical order",
    (
        "NOUN",
        "Case=Nom,Acc",
        2,
        "nsubj",
        "_",
    ): "error: FEATS: the values of 'Case=Nom,Acc' are not in alphabetical order, each once",
    ("NOUN", "Size=Big", 2, "nsubj", "_"): "warning: FEATS: Size is no universal feature",
    ("NOUN", "Number[psor]=Huge", 2, "nsubj", "_"): "warning: FEATS: 'Huge' is no universal value of Number",
    ("NOUN", "_", 2, "conj", "_"): "warning: DEPREL: 'conj' has its head before it, and 2 is behind",
    ("NOUN", "_", 2, "nsubj", "2:subj"): "error: DEPS: 'subj' is no universal relation, nor its subtype",
    (
        "NOUN",
        "_",
        2,
        "nsubj",
        "2:root",
    ): "error: DEPS: '2:root': 'root' belongs to head 0, and that to 'root'",
}


@pytest.mark.parametrize("row", list(WRONG), ids=WRONG.get)
def test_what_universal_dependencies_ask(row, tmp_path):
    file = tmp_path / "ud.conllu"
    file.write_text(universal(("Dogs", *row), SOUND[1]))
    found: list[validating.Finding] = []
    report = validating.validate(str(file), universal=True, found=found.append)
    assert [f"{each.severity}: {each.reason[3:]}" for each in found] == [WRONG[row]]
    assert (report.errors, report.warnings) == ((1, 0) if WRONG[row].startswith("error") else (0, 1))
    assert all(each.line == 3 and each.reason.startswith("1: ") for each in found)


def test_universal_dependencies(folder):
    Path("sound.conllu").write_text(universal(*SOUND))
    assert run("sound.conllu", "--ud", "--strict").returncode == 0
    Path("root.conllu").write_text(universal(SOUND[0], ("bark", "VERB", "_", 0, "ccomp", "_")))
    done = run("root.conllu", "sound.conllu", "--ud", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["files"][0]["findings"] == [
        {
            "severity": "error",
            "line": 4,
            "sentence": "s",
            "reason": "2: DEPREL: 'ccomp' at head 0, where only 'root' can be",
        }
    ]
    assert run("root.conllu").returncode == 0
    Path("below.conllu").write_text(universal(("Dogs", "NOUN", "_", 2, "root", "_"), SOUND[1]))
    done = run("below.conllu")
    assert (done.returncode, done.stdout.count("warning: 1: DEPREL: 'root' below word 2")) == (0, 1)
    done = run("below.conllu", "--ud", "--no-warnings")
    assert (done.returncode, done.stdout.count("DEPREL: 'root' below word 2"), "warning:" in done.stdout) == (
        2,
        1,
        False,
    )
    assert run("odd.conllx", "--ud", "--multi-root").stderr.count("\n") == 1
    Path("x.conllx").write_text(ROW.format(1, "a", "_", 0))
    assert "Universal Dependencies come as conllu" in run("x.conllx", "--ud").stdout


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


@pytest.mark.parametrize("name", ["t.conllu", "t.conllx"])
def test_root_below_a_word_is_told_in_all_formats_with_trees(tmp_path, name):
    path = tmp_path / name
    path.write_text(
        "# sent_id = s1\n# text = a b\n1\ta\t_\tX\tX\t_\t2\troot\t_\t_\n2\tb\t_\tX\tX\t_\t0\troot\t_\t_\n\n"
    )
    done = run_here("validate", path)
    told = f"{path}:3: sentence s1: warning: 1: DEPREL: 'root' below word 2, and it belongs to head 0"
    assert told in done.stdout.splitlines()
    assert "DEPREL" not in run_here("validate", "--no-warnings", path).stdout
