"""``arbora suspects``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run_here

from arbora.treebank import read

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = ROOT / "examples" / "treebank" / "en.conllu"
MODEL = ROOT / "tests" / "golden" / "dependency-parser.v2.arbora"
QUICK = ("--jackknife", 2, "--epochs", 1)


def run(*arguments: object, stdin: str = "") -> str:
    done = run_here("suspects", *arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("model", [MODEL, "en"])
def test_a_table_and_json_say_the_same(model):
    shown = run(ENGLISH, "--model", model, "--most", 4).splitlines()
    data = json.loads(run(ENGLISH, "--model", model, "--most", 4, "--json"))
    assert data["words"] == sum(map(len, read(ENGLISH)))
    assert len(data["suspects"]) == 4
    rows = [line for line in shown if line.startswith("│")]
    for row, one in zip(rows, data["suspects"], strict=True):
        cells = [cell.strip() for cell in row.strip("│").split("│")]
        assert cells[0] == str(one["line"])
        assert cells[2:4] == [f"{one['word']} {one['form']}", f"{one['head']} {one['deprel']}"]
        assert cells[6] == f"{one['best_head']} {one['best_deprel']}"
    lines = ENGLISH.read_text("utf-8").splitlines()
    assert all(
        lines[one["line"] - 1].startswith(f"{one['word']}\t{one['form']}\t") for one in data["suspects"]
    )


def test_the_treebank_with_marks_is_the_same_but_for_them(tmp_path):
    out = tmp_path / "marked.conllu"
    run(ENGLISH, "--model", MODEL, "--most", "5%", "--format", "conllu", "-o", out)
    old, new = list(read(ENGLISH)), list(read(out))
    marked = 0
    for before, after in zip(old, new, strict=True):
        listed = after.metadata("highlight deprels")
        if listed is None:
            assert before == after
            continue
        marked += len(listed.split())
        assert [id for id, misc in enumerate(after.misc, 1) if "BestHead=" in misc] == list(
            map(int, listed.split())
        )
        assert (before.heads, before.deprels) == (after.heads, after.deprels)
    assert marked == round(0.05 * sum(map(len, old)))
    shown = run(ENGLISH, "--model", MODEL, "--most", "5%", "--format", "conllu")
    assert shown == out.read_text("utf-8")


def test_standard_input_is_conllu_unless_it_is_said(tmp_path):
    expected = json.loads(run(ENGLISH, "--model", MODEL, "--json"))["suspects"]
    piped = json.loads(run("-", "--model", MODEL, "--json", stdin=ENGLISH.read_text("utf-8")))
    assert (piped["file"], piped["suspects"]) == ("-", expected)
    other = tmp_path / "en.conllx"
    assert run_here("convert", ENGLISH, other).returncode == 0
    named = json.loads(run(other, "--model", MODEL, "--json"))["suspects"]
    said = run("-", "--input-format", "conllx", "--model", MODEL, "--json", stdin=other.read_text("utf-8"))
    assert json.loads(said)["suspects"] == named


@pytest.mark.parametrize("gold", ["brackets.mrg", "-"])
def test_other_formats_are_one_line(gold):
    source = gold if gold == "-" else ENGLISH.parent / gold
    options = ("--input-format", "brackets") if gold == "-" else ()
    done = run_here("suspects", source, "--model", MODEL, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("conllu, conllx\n")
    assert done.stderr.count("\n") == 1


def test_jackknifing_depends_on_the_seed_alone():
    first, again, other = (
        run(ENGLISH, *QUICK, "--json", "--seed", seed, "--threads", threads)
        for seed, threads in ((1, 1), (1, 2), (2, 1))
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "say who judges"),
        (("--model", MODEL, "--jackknife", 2), "say who judges"),
        (("--jackknife", 1), "at least 2 folds"),
        (("--jackknife", 1000), "1000 folds need"),
        (("--model", MODEL, "--most", "none"), "--most is a number"),
        (("--model", MODEL, "--most", "0"), "--most is a number"),
        (("--model", MODEL, "--most", "101%"), "--most is a number"),
        (("--model", MODEL, "-o", "out.json", "--json"), "--output is for --format conllu"),
        (("--model", ROOT / "tests" / "golden" / "tagger.v2.arbora"), "gives no trees"),
        ((*QUICK, "--preset", "seventh-order"), "seventh-order"),
    ],
)
def test_what_makes_no_sense_is_one_line(options, reason):
    done = run_here("suspects", ENGLISH, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


def test_help_teaches():
    done = run_here("suspects", "--help")
    for words in ("--jackknife", "ConlluEditor", "--most", "BestHead"):
        assert words in done.stdout
