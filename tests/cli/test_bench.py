"""``arbora bench``: the list, and a tiny run of the spanning trees. Times are not tested anywhere."""

from __future__ import annotations

import io
import json
import os
import subprocess
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from command import run_here
from oracles import trees as oracle
from rich.console import Console
from small_neural import SHAPE, encoder_folder

from arbora.benchmarks import encoder_peers, pipeline_peers
from arbora.benchmarks import neural as neural_benchmark
from arbora.benchmarks import parser as parser_benchmark
from arbora.benchmarks import pipeline as pipeline_benchmark
from arbora.benchmarks import trees as benchmark
from arbora.cli.bench import BENCHMARKS
from arbora.errors import ArboraError
from arbora.treebank import read


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_here("bench", *arguments)


@pytest.fixture(scope="module")
def result() -> dict:
    done = bench("trees", "--quick", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_without_a_name_it_lists_what_there_is():
    done = bench()
    assert done.returncode == 0
    assert all(name in done.stdout for name in BENCHMARKS)
    assert json.loads(bench("--json").stdout).keys() == BENCHMARKS.keys()


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_measures_and_shows(name):
    module = import_module(BENCHMARKS[name][0])
    assert callable(module.measure)
    assert callable(module.table)


@pytest.mark.parametrize(
    "arguments",
    [
        ["forests"],
        ["trees", "--file", "x"],
        ["treebank", "--quick"],
        ["parser"],
        ["parser", "--quick"],
        ["accuracy"],
        ["parse", "--seeds", "2"],
        ["pipeline"],
        ["constituency"],
        ["induction"],
        ["induction", "--quick"],
        ["constituency", "--peers", "x"],
        ["trees", "--peers", "x"],
    ],
)
def test_bad_arguments_are_one_line_and_exit_code_2(arguments):
    done = bench(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("arbora: ")
    assert done.stderr.count("\n") == 1


def test_json_is_one_object_with_all_of_it(result):
    keys = "benchmark machine peers peak_gflops times ratios growth limits agreement"
    assert result.keys() == set(keys.split())
    assert all(time["microseconds"] > 0 for time in result["times"])
    assert {(time["batch"], time["n"]) for time in result["times"]} == {(1, 4), (1, 8), (3, 4), (3, 8)}
    ours = {time["operation"] for time in result["times"] if time["who"] == "arbora"}
    assert len(ours) == 8
    assert {"numpy"} <= {ratio["who"] for ratio in result["ratios"]}
    assert len(result["limits"]) == 4


def test_peers_that_are_there_agree(result):
    assert result["agreement"]["log-partition"] < 1e-9
    assert result["agreement"]["marginals"] < 1e-9
    if find_spec("ufal") and result["peers"][benchmark.UFAL]:
        assert result["agreement"]["best tree, multi-root"] < 1e-9


def test_tables(result):
    shown = benchmark.table(result)
    assert [table.row_count for table in shown] == [len(result["growth"]) // 2 + 2] * 2


def test_a_missing_peer_is_said_with_its_remedy(result, capsys):
    alone = result | {"peers": {**result["peers"], benchmark.UFAL: None}}
    Console(width=200).print(*benchmark.table(alone))
    assert 'pip install "arbora[bench]"' in capsys.readouterr().out


def test_the_numpy_peer_is_right():
    """The peer must be as good as we say: against enumeration, alone and stacked."""
    stack = np.random.default_rng(0).normal(size=(7, 5, 5))
    for scores, value, marginals in zip(
        stack, benchmark.numpy_log_partition(stack), benchmark.numpy_marginals(stack), strict=True
    ):
        assert value == pytest.approx(oracle.log_partition(scores), abs=1e-12)
        np.testing.assert_allclose(marginals, oracle.marginals(scores), rtol=0, atol=1e-12)
        np.testing.assert_allclose(benchmark.numpy_marginals(scores), marginals, rtol=0, atol=1e-14)


def test_growth_is_the_exponent():
    points = [(n, 3.0 * n**2) for n in (10, 25, 50)]
    assert benchmark._slope(points) == pytest.approx(2)
    assert benchmark._slope(points[:1]) is None


def test_the_parser_is_trained_and_measured():
    train = Path(__file__).parents[2] / "examples" / "treebank" / "en.conllu"
    found = parser_benchmark.measure(train, train, epochs=2, stream_words=2000)
    assert found["stream"]["1"]["words"] >= 2000
    assert found["scores"]["LAS"] > 0.5
    assert found["compact"]["bytes"] < found["bytes"]
    assert found["words_per_second"].keys() == {"best", "mbr"}
    with open(os.devnull, "w") as nowhere:
        console = Console(width=120, record=True, file=nowhere)
        console.print(parser_benchmark.table(found))
    assert "candidate heads a word" in console.export_text()


def test_presets_are_trained_and_measured():
    train = Path(__file__).parents[2] / "examples" / "treebank" / "tr.conllu"
    accuracy = import_module(BENCHMARKS["accuracy"][0])
    found = accuracy.measure(train, train, presets=["second-order"], seeds=[1, 2], epochs=1)
    row = found["presets"]["second-order"]
    assert len(row["runs"]) == 2
    assert row["LAS"] == pytest.approx(sum(run["LAS"] for run in row["runs"]) / 2)
    parse = import_module(BENCHMARKS["parse"][0])
    speeds = parse.measure(train, train, presets=["first-order", "second-order"], epochs=1)
    for proved in speeds["presets"]["first-order"]["certificates"].values():
        assert proved["proved"] == 1  # arcs alone are solved exactly
    assert speeds["presets"]["second-order"]["stages"]["graphs"] > 0
    with open(os.devnull, "w") as nowhere:
        console = Console(width=200, record=True, file=nowhere)
        console.print(accuracy.table(found))
        console.print(parse.table(speeds))
    assert console.export_text().count("second-order") == 2


def test_probabilities_of_pipelines_are_measured():
    train = Path(__file__).parents[2] / "examples" / "treebank" / "en.conllu"
    calibration = import_module(BENCHMARKS["calibration"][0])
    found = calibration.measure(train, epochs=1, projective=False, folds=2)
    kinds = [
        f"{kind}, {source}"
        for source in ("gold tokens", "raw text")
        for kind in ("heads", "labels", "labelled arcs")
    ]
    assert list(found["errors"]) == kinds
    for row in found["errors"].values():
        assert 0 <= row["mean"] <= row["worst"] <= 1
        assert 0 <= row["least"] <= 0.5
    assert 0 < found["share"] < 1
    assert not found["projective"]
    words = sum(len(sentence) for sentence in read(train))
    assert sum(row["words"] for row in found["folds"]) < words / 2
    with open(os.devnull, "w") as nowhere:
        console = Console(width=200, record=True, file=nowhere)
        console.print(calibration.table(found))
    assert "heads, raw text" in console.export_text()


def test_constituency_parsers_are_trained_and_measured():
    train = Path(__file__).parents[2] / "examples" / "treebank" / "brackets.mrg"
    constituency = import_module(BENCHMARKS["constituency"][0])
    found = constituency.measure(train, train, presets=["feed-forward", "mean-field"], epochs=1)
    for row in found["presets"].values():
        assert row["training_sentences_per_second"] > 0
        assert row["parsing"]["words_per_second"] > 0
        assert 0 <= row["f1"]["all"] <= 1
    with open(os.devnull, "w") as nowhere:
        console = Console(width=200, record=True, file=nowhere)
        console.print(constituency.table(found))
    assert "feed-forward" in console.export_text()


def test_iterations_of_em_are_measured(monkeypatch):
    induction = import_module(BENCHMARKS["induction"][0])
    monkeypatch.setattr(induction, "LENGTHS", (3, 5))
    found = induction.measure(EXAMPLE)
    assert found["sentences"] > 10
    for row in found["kinds"].values():
        assert row["iteration_seconds"] > 0
        assert set(row["by_length"]) == {"3", "5"}
    with open(os.devnull, "w") as nowhere:
        console = Console(width=200, record=True, file=nowhere)
        console.print(induction.table(found))
    assert "valence" in console.export_text()


# ---- the pipeline and its peers ----

EXAMPLE = Path(__file__).parents[2] / "examples" / "treebank" / "en.conllu"


def test_the_pipeline_beside_a_peer_that_knows_the_answer(monkeypatch, tmp_path):
    def perfect(folder, train, dev):
        return (lambda text: Path(dev).read_text(encoding="utf-8")), f"{Path(train).name} in {folder.name}"

    monkeypatch.setattr(pipeline_peers, "available", lambda: ["perfect"])
    monkeypatch.setitem(pipeline_peers._PEERS, "perfect", perfect)
    monkeypatch.setattr(pipeline_benchmark, "ROUNDS", 1)
    measured = pipeline_benchmark.measure(EXAMPLE, EXAMPLE, peers=tmp_path / "models")
    assert set(measured["programs"]) == {"arbora", "arbora, 2 threads", "perfect"}
    assert measured["programs"]["perfect"]["trained"] == "en.conllu in models"
    assert set(measured["programs"]["perfect"]["scores"].values()) == {100.0}
    own = [measured["programs"][name]["scores"] for name in ("arbora", "arbora, 2 threads")]
    assert own[0] == own[1]
    assert 60 < own[0]["LAS"] < 100
    assert measured["words"] == 329
    console = Console(width=100, record=True, file=io.StringIO())
    for shown in pipeline_benchmark.table(measured):
        console.print(shown)
    text = console.export_text()
    assert "perfect was trained with" in text
    assert "100.00" in text


def test_peers_need_something_to_train_on(tmp_path):
    with pytest.raises(ArboraError, match="--train"):
        pipeline_benchmark.measure(dev=EXAMPLE, peers=tmp_path)


class Token:
    """As much of a spaCy token as is looked at."""

    def __init__(self, doc, i, text, head, space=" "):
        self.doc, self.i, self.text, self.head, self.whitespace_ = doc, i, text, head, space
        self.is_space = not text.strip()
        self.lemma_, self.pos_, self.tag_, self.morph, self.dep_ = text.lower(), "X", "", "", f"to-{head}"

    @property
    def ancestors(self):
        at = self
        while at.head != at.i:
            at = self.doc[at.head]
            yield at

    def nbor(self):
        return self.doc[self.i + 1]


def test_sentences_of_spacy_lose_their_blanks():
    doc: list[Token] = []
    for i, (text, head, space) in enumerate(
        [("One", 1, ""), ("\n", 2, ""), ("two", 2, ""), (".", 1, "")],
    ):
        doc.append(Token(doc, i, text, head, space))
    lines = "".join(pipeline_peers._lines(doc)).split("\n")
    assert [line.split("\t") for line in lines[:3]] == [
        ["1", "One", "one", "X", "_", "_", "2", "to-1", "_", "_"],
        ["2", "two", "two", "X", "_", "_", "0", "root", "_", "SpaceAfter=No"],
        ["3", ".", ".", "X", "_", "_", "2", "to-1", "_", "SpaceAfter=No"],
    ]
    assert lines[3:] == ["", ""]
    assert list(pipeline_peers._lines(doc[1:2])) == []


def test_models_beside_each_other(monkeypatch):
    monkeypatch.setattr(neural_benchmark, "ROUNDS", 1)
    measured = neural_benchmark.measure(EXAMPLE)
    assert set(measured["models"]) == set(measured["speeds"]) == {"en", "en-neural"}
    assert measured["words"] == 329
    for own in measured["models"].values():
        assert 60 < own["raw_text"]["LAS"] < own["gold_tokens"]["LAS"] < 100
        assert 0 <= own["calibration_error"] < 0.2
    console = Console(width=100, record=True, file=io.StringIO())
    for shown in neural_benchmark.table(measured):
        console.print(shown)
    assert "words a second" in console.export_text()


def test_bulk_runs_beside_plain_parsing(monkeypatch):
    bulk = import_module(BENCHMARKS["bulk"][0])
    for name, value in {"MEGABYTES": 0, "SHARDS": 2, "ROUNDS": 1}.items():
        monkeypatch.setattr(bulk, name, value)
    # What takes its time to begin, and is nothing of ours: the cluster of Dask, and three `arbora parse`.
    monkeypatch.setattr(bulk, "find_spec", lambda name: None)
    monkeypatch.setattr(bulk, "_parse", lambda place, target, processes: 0.0)
    measured = bulk.measure(EXAMPLE)
    assert measured["words"] == 2 * 329
    assert set(measured["cost"]) >= {"cutting", "the manifest", "share"}
    assert all(speed > 0 for speed in measured["words_per_second"].values())
    console = Console(width=100, record=True, file=io.StringIO())
    for shown in bulk.table(measured):
        console.print(shown)
    text = console.export_text()
    assert "local, 2 workers" in text
    assert "Manifest and shards" in text


def test_encoders_beside_their_peers():
    whole = encoder_peers.treebank_sequences(encoder_folder(), str(EXAMPLE))
    assert whole.words == 329
    short = [ids for ids in whole.ids if len(ids) <= SHAPE.longest]
    sequences = encoder_peers.Sequences(short, whole.words)
    measured = encoder_peers.measure(encoder_folder(), sequences, layers=SHAPE.layers, rounds=1)
    assert {"arbora int8 plain", "arbora float32 plain", "torch float32"} <= set(measured["runs"])
    assert measured["runs"]["torch float32"]["difference"] < 1e-4
    assert measured["runs"]["arbora int8 plain"]["difference"] < 1
