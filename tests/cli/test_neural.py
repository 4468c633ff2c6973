"""``arbora train neural`` and ``train pipeline --encoder``: from files to models, tags and trees."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from command import run_here
from small_neural import encoder_folder, write_folder
from small_runs import ENGLISH

import arbora
from arbora.treebank import read


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("neural") / "m"
    options = ["--epochs", 2, "--rate", "2e-3", "--head-rate", "1e-2", "--batch", 200, "--threads", 1]
    done = run_here(
        "train", "neural", ENGLISH, "--dev", ENGLISH, "-o", path, "--encoder", encoder_folder(), *options
    )
    assert done.returncode == 0, done.stderr
    assert "epoch 2/2" in done.stderr
    assert "Trees are projective" in done.stderr or "Trees are non-projective" in done.stderr
    assert "dev UAS" in done.stdout
    return path


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("pipeline") / "m"
    done = run_here(
        *("train", "pipeline", ENGLISH, "--dev", ENGLISH, "-o", path, "--encoder", encoder_folder()),
        *("--layers", 1, "--epochs", 2, "--threads", 1, "--data", "examples"),
    )
    assert done.returncode == 0, done.stderr
    assert "Lemmas" in done.stdout
    return path


def test_a_neural_parser_tags_and_parses(trained, tmp_path):
    out = tmp_path / "out.conllu"
    done = run_here("parse", "-m", trained, "-i", ENGLISH, "-o", out, "--probabilities", "--certificates")
    assert done.returncode == 0, done.stderr
    gold, found = list(read(str(ENGLISH))), list(read(str(out)))
    assert [sentence.forms for sentence in gold] == [sentence.forms for sentence in found]
    for sentence in found:
        assert sentence.heads.count(0) == 1
        assert "_" not in sentence.upos
        assert all("HeadProbability=" in misc for misc in sentence.misc)
        assert "# certificate = proved" in sentence.comments
    done = run_here("parse", "-m", trained, "-i", ENGLISH, "--kbest", 3, "--format", "json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["kbest_rank"] for row in rows} == {1, 2, 3}
    done = run_here("inspect", trained)
    assert "2 layers of 16 numbers (bert)" in done.stdout


def test_solvers_of_graphs_and_rules_work(trained, tmp_path):
    plain = run_here("parse", "-m", trained, "-i", ENGLISH)
    for solver in ("ilp", "bp"):
        done = run_here("parse", "-m", trained, "-i", ENGLISH, "--solver", solver)
        assert done.returncode == 0, done.stderr
        if solver == "ilp":
            assert done.stdout == plain.stdout
    rules = tmp_path / "rules.txt"
    rules.write_text("head of upos=DET is upos=NOUN\n")
    done = run_here("parse", "-m", trained, "-i", ENGLISH, "--rules", rules, "--keep-tags")
    assert done.returncode == 0, done.stderr
    for sentence in read(str(ENGLISH)):
        assert sentence.text is None or sentence.text in done.stdout


def test_a_pipeline_from_raw_text(pipeline, tmp_path):
    done = run_here("parse", "-m", pipeline, "The door is open. Dogs bark.", "--format", "conllu")
    assert done.returncode == 0, done.stderr
    found = [line.split("\t") for line in done.stdout.splitlines() if line[:1].isdigit()]
    assert [row[1] for row in found][:4] == ["The", "door", "is", "open"]
    assert all("_" not in (row[2], row[3], row[7]) for row in found)
    nlp = arbora.load(pipeline)
    assert list(nlp.components) == ["tokenizer", "parser", "lemmatizer"]
    assert nlp.card["data"] == "examples"
    assert set(nlp.card["scores"]) == {"raw_text", "gold_tokens", "gold_tags"}
    assert all(0 <= nlp.card["calibration"][name] <= 1 for name in ("heads", "labels", "labelled arcs"))
    shown = run_here("inspect", pipeline).stdout
    assert "small cc0-1.0" in shown
    assert f"heads={nlp.card['calibration']['heads']:.5g}" in shown
    sentence = nlp("Dogs bark.").sentences[0]
    word = sentence[1]
    assert 0 < word.probability <= sentence.certainty <= 1
    assert abs(sum(word.head_probabilities.values()) - sentence.certainty) < 1e-9


def test_tags_alone(pipeline, tmp_path):
    out = tmp_path / "out.conllu"
    done = run_here("tag", "-m", pipeline, "-i", ENGLISH, "-o", out)
    assert done.returncode == 0, done.stderr
    parsed = run_here("parse", "-m", pipeline, "-i", ENGLISH)
    rows = [line.split("\t") for line in parsed.stdout.splitlines() if line[:1].isdigit()]
    found = [line.split("\t") for line in out.read_text("utf-8").splitlines() if line[:1].isdigit()]
    assert [row[2:6] for row in rows] == [row[2:6] for row in found]
    gold = [line.split("\t") for line in ENGLISH.read_text("utf-8").splitlines() if line[:1].isdigit()]
    assert [row[6:8] for row in gold] == [row[6:8] for row in found]  # trees stay
    kept = run_here("tag", "-m", pipeline, "-i", ENGLISH, "--keep-tags")
    assert [line.split("\t")[2:4] for line in kept.stdout.splitlines() if line[:1].isdigit()] == [
        row[2:4] for row in gold
    ]
    done = run_here("tag", "-m", pipeline, "-i", ENGLISH, "--probabilities")
    assert done.returncode == 2
    assert "no probabilities" in done.stderr


def test_rules_and_the_k_best_trees_come_with_tags(pipeline, tmp_path):
    def rows(*arguments: object) -> list[list[str]]:
        done = run_here("parse", "-m", pipeline, "The door is open.", "--format", "conllu", *arguments)
        assert done.returncode == 0, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines() if line[:1].isdigit()]

    plain = rows()
    assert [row[2:6] for row in rows("--kbest", 2)] == 2 * [row[2:6] for row in plain]
    rules = tmp_path / "rules.txt"
    tag = next(row[3] for row in plain if row[6] != "0")
    rules.write_text(f"root is upos={tag}\n")
    ruled = rows("--rules", rules)
    assert [row[2:6] for row in ruled] == [row[2:6] for row in plain]
    assert [row[3] for row in ruled if row[6] == "0"] == [tag]


def test_given_trees_and_tags_bind(pipeline):
    done = run_here("parse", "-m", pipeline, "-i", ENGLISH, "--constraints", "from-input")
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines() if line[:1].isdigit()]
    gold = [line.split("\t") for line in ENGLISH.read_text("utf-8").splitlines() if line[:1].isdigit()]
    assert [row[2:4] + row[6:8] for row in rows] == [row[2:4] + row[6:8] for row in gold]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("no folder", "there is no such folder, and no installed package of that name"),
        ("no name", "the encoder has no name: give its folder, or an installed package"),
        ("config.json", "config.json: there is no such file"),
        ("model.safetensors", "model.safetensors: there is no such file"),
        ("tokenizer.json", "tokenizer.json: there is no such file"),
        ("gpt2", "an encoder of kind 'gpt2'; bert, roberta, xlm-roberta are read"),
        ("hidden_size", "where config.json says"),
        ("layers", "this encoder has 2 layers, and 9 are asked for"),
    ],
)
def test_encoders_that_cannot_be_used(change, message, tmp_path):
    folder = "" if change == "no name" else tmp_path / "encoder"
    if change not in ("no folder", "no name"):
        folder.mkdir()
        changes = {"gpt2": {"model_type": "gpt2"}, "hidden_size": {"hidden_size": 18}}
        write_folder(folder, **changes.get(change, {}))
        if "." in change:
            (folder / change).unlink()
    layers = ["--layers", 9] if change == "layers" else []
    out = tmp_path / "m"
    done = run_here("train", "neural", ENGLISH, "-o", out, "--encoder", folder, *layers)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert message in done.stderr
    assert not out.exists()


def test_without_torch(monkeypatch, tmp_path):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "torch" else found(name, *more)
    )
    for command in (["neural"], ["pipeline"]):
        done = run_here("train", *command, ENGLISH, "-o", tmp_path / "m", "--encoder", encoder_folder())
        assert done.returncode == 2
        assert done.stderr.strip().endswith('pip install "arbora[neural]" (parsing with one does not)')


@pytest.mark.parametrize("option", [["--preset", "first-order"], ["--folds", 3], ["--compact"]])
def test_options_of_linear_parsers_do_not_go_with_an_encoder(option, tmp_path):
    out = tmp_path / "m"
    done = run_here("train", "pipeline", ENGLISH, "-o", out, "--encoder", encoder_folder(), *option)
    assert done.returncode == 2
    assert f"{option[0]} is of linear parsers: it does not go with --encoder" in done.stderr
    assert not out.exists()


@pytest.mark.parametrize("kind", ["neural", "linear"])
def test_tags_that_are_missing_are_told_before_anything_is_trained(kind, tmp_path):
    lines = ENGLISH.read_text("utf-8").splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("5\t"))
    columns = lines[place].split("\t")
    lines[place] = "\t".join([*columns[:3], "_", *columns[4:]])
    bad = tmp_path / "bad.conllu"
    bad.write_text("\n".join(lines) + "\n\n", "utf-8")
    options = ["--encoder", encoder_folder()] if kind == "neural" else []
    for files in ([bad], [ENGLISH, "--dev", bad]):
        done = run_here("train", "pipeline", *files, "-o", tmp_path / "m", *options)
        assert done.returncode == 2
        assert f"{bad}:{place + 1}: " in done.stderr
        assert "word 5 has no UPOS tag, and training needs all" in done.stderr
        assert "epoch" not in done.stderr
        assert not list(tmp_path.glob("m*"))


def test_a_tokenizer_is_missed_before_anything_is_trained(tmp_path):
    write_folder(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    done = run_here("train", "pipeline", ENGLISH, "-o", tmp_path / "m", "--encoder", tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert "tokenizer.json" in done.stderr
    assert not list(tmp_path.glob("m*.checkpoint*"))


@pytest.mark.parametrize("option", [["--layers", 2], ["--rate", "1e-4"], ["--head-rate", "1e-3"], ["--mix"]])
def test_options_of_neural_parsers_need_an_encoder(option, tmp_path):
    done = run_here("train", "pipeline", ENGLISH, "-o", tmp_path / "m", *option)
    assert done.returncode == 2
    assert f"{option[0]} is of parsers on top of an encoder: give one with --encoder" in done.stderr


def test_pipelines_take_what_neural_parsers_do(tmp_path):
    two_roots = tmp_path / "two.conllu"
    words = "1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n2\tstop\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    two_roots.write_text(3 * words + ENGLISH.read_text("utf-8"), "utf-8")
    options = {
        "rate": 1e-3,
        "head_rate": 1e-2,
        "batch": 300,
        "loss": "svm",
        "beta": 2.0,
        "gamma": 0.5,
        "precision": "float32",
    }
    flat = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    done = run_here(
        *("train", "pipeline", two_roots, "--dev", two_roots, "-o", tmp_path / "m", "--encoder"),
        *(encoder_folder(), "--epochs", 1, "--threads", 1, "--mix", "--multi-root", *flat),
    )
    assert done.returncode == 0, done.stderr
    found = arbora.load(tmp_path / "m").parser.header["options"]
    assert {name: found[name] for name in options} == options
    assert (found["mix"], found["single_root"]) == (True, False)
