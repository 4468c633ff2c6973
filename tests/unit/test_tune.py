"""The search for options: every combination once, the best first, and the same whoever did the work."""

from __future__ import annotations

import json
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest
from command import run_here
from elsewhere import Elsewhere
from small_training import EXAMPLES

from arbora.bulk.tune import Grid, Progress, tune
from arbora.dependency import DependencyParser
from arbora.errors import ArboraError, FileError
from arbora.executors import Crashed

TRAIN, DEV = str(EXAMPLES / "en.conllu"), str(EXAMPLES / "de.conllu")
GRID = Grid(losses=("svm", "perceptron"), epochs=(1, 2), seeds=(1, 2))
FIXED = {"bits": 12, "projective": True}
executors: list[Elsewhere] = []


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch):
    def make(name, workers, address):
        executors.append(Elsewhere())
        return executors[-1]

    monkeypatch.setattr("arbora.bulk.tune.make_executor", make)


def search(output, grid=GRID, **more):
    return tune(TRAIN, DEV, str(output), grid=grid, fixed=more.pop("fixed", FIXED), **more)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A search that nobody disturbed, and its folder."""
    folder = tmp_path_factory.mktemp("tune")
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arbora.bulk.tune.make_executor", lambda *_: Elsewhere())
        found = search(folder / "best.json", progress=Progress(lambda *event: seen.append(event)))
    return folder, found, seen


def test_rows_and_the_best(whole, tmp_path):
    folder, found, seen = whole
    assert [(done, total) for done, total, _ in seen] == [(n + 1, 8) for n in range(8)]
    assert {(row.loss, row.epochs) for row in found.rows} == {
        (loss, epochs) for loss in ("svm", "perceptron") for epochs in (1, 2)
    }
    assert [row.las for row in found.rows] == sorted((row.las for row in found.rows), reverse=True)
    for row in found.rows:
        scores = [line["las"] for line in row.runs]
        assert [line["seed"] for line in row.runs] == [1, 2]
        assert row.las == pytest.approx(sum(scores) / 2)
        assert row.spread == pytest.approx(abs(scores[0] - scores[1]))
    best = json.loads((folder / "best.json").read_text())
    assert best == json.loads(json.dumps(found.best))
    assert best["mean_las"] == found.rows[0].las
    # The command makes a parser of that LAS.
    words = shlex.split(best["command"])
    words[words.index("--output") + 1] = str(tmp_path / "m")
    assert run_here(*words[1:]).returncode == 0
    report = DependencyParser.load(tmp_path / "m").header["report"]
    assert next(row["las"] for row in report["epochs"] if row["epoch"] == report["kept"]) == best["las"]


def test_a_search_that_was_ended_does_what_is_missing(whole, tmp_path):
    folder, found, _ = whole
    output, journal = tmp_path / "best.json", tmp_path / "best.json.runs.jsonl"
    lines = (folder / "best.json.runs.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == 9
    journal.write_bytes(b"".join(lines[:5]) + lines[5][:20])
    again = search(output)
    assert len(executors[-1].begun) == 4
    assert output.read_bytes() == (folder / "best.json").read_bytes()
    assert [row.runs[0]["las"] for row in again.rows] == [row.runs[0]["las"] for row in found.rows]
    search(output)
    assert executors[-1].begun == []
    search(output, Grid(losses=("svm",), epochs=(1,), seeds=(1, 2, 3)))  # a seed more
    assert executors[-1].begun == [3]


def test_toml(whole, tmp_path):
    folder, found, _ = whole
    shutil.copy(folder / "best.json.runs.jsonl", tmp_path / "best.toml.runs.jsonl")
    search(tmp_path / "best.toml")
    assert executors[-1].begun == []
    best = tomllib.loads((tmp_path / "best.toml").read_text())
    options = {key: own for key, own in found.best["options"].items() if own is not None}
    assert best == {**found.best, "options": options}


def test_other_data_and_options_are_refused(whole, tmp_path):
    folder, _, _ = whole
    output = str(tmp_path / "best.json")
    shutil.copy(folder / "best.json.runs.jsonl", output + ".runs.jsonl")
    with pytest.raises(FileError, match="another dev treebank"):
        tune(TRAIN, TRAIN, output, grid=GRID, fixed=FIXED)
    with pytest.raises(FileError, match="another train treebank"):
        tune(DEV, DEV, output, grid=GRID, fixed=FIXED)
    with pytest.raises(FileError, match=r"other options \(bits was 12, not 13\)"):
        search(output, fixed={**FIXED, "bits": 13})
    for broken in ("nonsense\n", '{"kind": "search"}\n', '["list"]\n'):
        Path(output + ".runs.jsonl").write_text(broken)
        with pytest.raises(FileError, match=r"best\.json\.runs\.jsonl:1: this is no line of a search"):
            search(output)


def test_what_cannot_be_tried_is_told_before_anything_begins(tmp_path):
    output = str(tmp_path / "best.json")
    for grid, reason in (
        (Grid(presets=("first-order", "zeroth")), "no preset 'zeroth'"),
        (Grid(losses=("svm", "quadratic")), "no loss 'quadratic'"),
        (Grid(epochs=(0,)), "epochs must be at least 1"),
        (Grid(seeds=()), "nothing to try"),
    ):
        with pytest.raises(ArboraError, match=reason):
            search(output, grid)
    with pytest.raises(FileError, match=r"must end in \.json or \.toml"):
        search(tmp_path / "best.txt")
    with pytest.raises(FileError, match="no such file"):
        tune(TRAIN, str(tmp_path / "none"), output)
    with pytest.raises(ArboraError, match="batch cannot be fixed"):
        search(output, fixed={"batch": 3})
    assert list(tmp_path.iterdir()) == []


def test_what_fails_at_work_is_told(tmp_path, monkeypatch):
    (tmp_path / "broken.conllu").write_text("1\tbroken\n\n")
    with pytest.raises(ArboraError, match=r"broken\.conllu:1"):
        tune(str(tmp_path / "broken.conllu"), DEV, str(tmp_path / "a.json"))

    class Crashing(Elsewhere):
        def _run(self, function, tasks, on_start, files):
            first, *others = tasks
            yield Crashed(first.number, "its worker ended by signal 9, 3 times")
            yield from super()._run(function, iter(others), on_start, files)

    monkeypatch.setattr("arbora.bulk.tune.make_executor", lambda *_: Crashing())
    grid = Grid(losses=("svm",), epochs=(1,), seeds=(1, 2))
    with pytest.raises(ArboraError, match=r"1 of 2 runs could not be done \(its worker ended by signal 9"):
        search(tmp_path / "b.json", grid)
    assert not (tmp_path / "b.json").exists()
    monkeypatch.setattr("arbora.bulk.tune.make_executor", lambda *_: Elsewhere())
    assert search(tmp_path / "b.json", grid).rows[0].runs[1]["seed"] == 2  # the other one was kept


def test_the_command(whole, tmp_path):
    folder, found, _ = whole
    shutil.copy(folder / "best.json.runs.jsonl", tmp_path / "best.json.runs.jsonl")
    output = tmp_path / "best.json"
    common = ["tune", TRAIN, "--dev", DEV, "-o", output, "--losses", "svm,perceptron", "--epochs", "1,2"]
    common += ["--seeds", "1,2", "--bits", "12", "--projective"]
    table = run_here(*common).stdout.splitlines()
    assert table[0].split() == ["preset", "loss", "epochs", "LAS", "spread", "UAS", "seeds", "seconds"]
    assert [line.split()[1:3] for line in table[1:5]] == [[row.loss, str(row.epochs)] for row in found.rows]
    assert table[5] == f"{output}: {found.best['command']}"
    plain = json.loads(run_here(*common, "--json").stdout)
    assert plain["best"] == json.loads(json.dumps(found.best))
    for wrong, reason in (("1,x", "'x' is no number"), ("1,,2", "an empty name")):
        failed = run_here(*common, "--seeds", wrong)
        assert (failed.returncode, reason in failed.stderr) == (2, True)
