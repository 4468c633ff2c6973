"""Grammars from tags alone: the rows of the experiment, its baselines and its curves."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from arbora.errors import ArboraError
from arbora.experiments import induction
from tests.command import run_here

TREEBANK = str(Path(__file__).resolve().parents[2] / "examples" / "treebank" / "en.conllu")
ALL = 2 + 2 * 3 * 9  # two baselines; of a limit and model two untrained, six by EM, and one that is counted

# Without punctuation: heads 2 0 2 and 0 1; the third sentence has four words, the fourth nothing but a dot.
TINY = """\
1	the	_	DET	_	_	2	det	_	_
2	cats	_	NOUN	_	_	0	root	_	_
3	,	_	PUNCT	_	_	4	punct	_	_
4	here	_	ADV	_	_	2	advmod	_	_

1	go	_	VERB	_	_	0	root	_	_
2	on	_	ADP	_	_	3	case	_	_
3	!	_	PUNCT	_	_	1	punct	_	_

1	we	_	PRON	_	_	2	nsubj	_	_
2	saw	_	VERB	_	_	0	root	_	_
3	the	_	DET	_	_	4	det	_	_
4	cats	_	NOUN	_	_	2	obj	_	_

1	.	_	PUNCT	_	_	0	root	_	_

"""


@pytest.fixture(scope="module")
def result():
    return induction.run(TREEBANK, TREEBANK, length=8, epochs=6, threads=1)


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.conllu"
    path.write_text(TINY)
    return str(path)


def test_rows(result):
    rows = result["rows"]
    assert len(rows) == len(result["curves"]) == ALL
    assert result["limits"] == [8, 16]
    assert all(tuple(row) == induction.COLUMNS for row in rows)
    assert all(0 <= row["directed"] <= row["undirected"] <= 100 for row in rows)
    assert len({tuple(row.values())[:5] for row in rows}) == ALL
    assert all(row["log_likelihood"] < 0 for row in rows[2:])
    by_em = {em: [row for row in rows if row["EM"] == em] for em in (None, "none", "sum", "best")}
    assert [len(found) for found in by_em.values()] == [2, 18, 18, 18]
    assert all(row["iterations"] == 0 for row in by_em["none"])
    assert all(1 <= row["iterations"] <= 6 for em in ("sum", "best") for row in by_em[em])


def test_trees_teach_more_than_tags(result):
    for model, trees in {(row["model"], row["trees"]) for row in result["rows"][2:]}:
        own = [row for row in result["rows"] if (row["model"], row["trees"]) == (model, trees)]
        counted = [row["directed"] for row in own if row["start"] == induction.COUNTED]
        assert min(counted) > max(row["directed"] for row in own if row["start"] != induction.COUNTED)


def test_curves(result):
    """EM never makes its objective smaller; the likelihood alone may fall where smoothing costs it."""
    for row, curve in zip(result["rows"], result["curves"], strict=True):
        assert len(curve["log_likelihood"]) == len(curve["objective"]) == (row["iterations"] or 0)
        if row["EM"] in ("sum", "best"):
            assert all(after >= before - 1e-9 for before, after in pairwise(curve["objective"]))
        if row["EM"] == "sum":
            assert row["log_likelihood"] > curve["log_likelihood"][0]


def test_a_model_without_iterations_is_what_em_begins_with(result):
    """Its likelihood is the first of the curve."""
    found = {
        tuple(row[name] for name in ("model", "trees", "start", "up to", "EM")): (row, curve)
        for row, curve in zip(result["rows"], result["curves"], strict=True)
    }
    untrained = [key for key in found if key[-1] == "none" and key[2] != induction.COUNTED]
    assert len(untrained) == 12
    for key in untrained:
        first = found[*key[:-1], "sum"][1]["log_likelihood"][0]
        assert found[key][0]["log_likelihood"] == pytest.approx(first, abs=1e-9)


def test_baselines_by_hand(tiny):
    """Left-branching is 2 3 0 and 2 0: one of 5 is right, and 2-3 and 1-2 are too, the other way round."""
    result = induction.run(tiny, tiny, length=3, epochs=1, limits=[4], threads=1)
    assert (result["sentences"], result["words"], result["limits"]) == (2, 5, [4])
    left, right = result["rows"][:2]
    assert (left["start"], left["directed"], left["undirected"]) == ("left-branching", 20.0, 60.0)
    assert (right["start"], right["directed"], right["undirected"]) == ("right-branching", 60.0, 80.0)
    assert len(result["rows"]) == 2 + 27


def test_seeds(tiny):
    first, again, other = (
        induction.run(tiny, tiny, length=3, epochs=1, limits=[4], seed=seed, threads=1) for seed in (1, 1, 2)
    )
    assert first == again
    differ = {row["start"] for row, than in zip(first["rows"], other["rows"], strict=True) if row != than}
    assert differ == {"random"}


def test_limits(tiny):
    assert induction.run(tiny, tiny, length=11, epochs=1, threads=1)["limits"] == [11]


def test_table_and_figure(result):
    shown = induction.table(result)
    assert shown.row_count == ALL
    assert len(shown.columns) == len(induction.COLUMNS)
    drawn = induction.figure(result)
    assert drawn.startswith("<svg")
    assert drawn.count("<polyline") == 9


def test_errors(tiny, tmp_path):
    for given in ({}, {"train": tiny}, {"dev": tiny}):
        with pytest.raises(ArboraError, match="needs --train and --dev"):
            induction.run(**given)
    with pytest.raises(ArboraError, match="no sentence has up to 1 words"):
        induction.run(tiny, tiny, length=1)
    bare = tmp_path / "bare.conllu"
    bare.write_text(TINY.replace("2\tdet", "_\t_"))
    with pytest.raises(ArboraError, match="words without heads"):
        induction.run(tiny, str(bare), length=3)
    bare.write_text(TINY.replace("ADV", "_"))
    with pytest.raises(ArboraError, match="no UPOS tag"):
        induction.run(tiny, str(bare), length=3)


def test_command(tiny, tmp_path):
    drawn = tmp_path / "f.svg"
    files = ("--train", tiny, "--dev", tiny, "--length", "4", "--epochs", "2")
    done = run_here("experiment", "induction", *files, "--figure", str(drawn), "--json")
    assert len(json.loads(done.stdout)["rows"]) == ALL
    assert drawn.read_text().startswith("<svg")
    assert "left-branching" in run_here("experiment", "induction", *files).stdout
    assert "needs --train and --dev" in run_here("experiment", "induction").stderr
    assert "takes no --width" in run_here("experiment", "induction", *files, "--width", "3").stderr
    assert "grammars from tags" in run_here("experiment").stdout
