"""``arbora induce``, ``arbora train generative``, ``arbora score``: from files to models, trees, numbers."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from command import run_here
from small_runs import ENGLISH

import arbora
from arbora import _core
from arbora.generative import read_arpa
from arbora.models import read_model
from arbora.treebank import Sentence, read, write


@pytest.fixture(scope="module")
def induced(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("induced") / "m"
    done = run_here("induce", ENGLISH, "-o", path, "--iterations", 4, "--threads", 1)
    assert done.returncode == 0, done.stderr
    assert "EM iteration 4/4" in done.stderr
    assert "log-likelihood -" in done.stderr
    assert "whole trees" in done.stdout
    return path


@pytest.fixture(scope="module")
def counted(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("counted") / "m"
    done = run_here("train", "generative", ENGLISH, "-o", path, "--units", "words", "--no-labels")
    assert done.returncode == 0, done.stderr
    return path


def test_induced_grammars_parse(induced, tmp_path):
    out = tmp_path / "out.conllu"
    assert run_here("parse", "-m", induced, "-i", ENGLISH, "-o", out, "--decoder", "mbr").returncode == 0
    gold, found = list(read(str(ENGLISH))), list(read(str(out)))
    assert [sentence.forms for sentence in gold] == [sentence.forms for sentence in found]
    for sentence in found:
        assert sentence.heads.count(0) == 1
        assert set(sentence.deprels) <= {"root", "dep"}
        assert all(
            (head == 0) == (label == "root")
            for head, label in zip(sentence.heads, sentence.deprels, strict=True)
        )
    done = run_here("parse", "-m", induced, "-i", ENGLISH, "--kbest", 3, "--format", "json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["kbest_rank"] for row in rows} == {1, 2, 3}
    done = run_here("parse", "-m", induced, "-i", ENGLISH, "--probabilities", "--format", "conllu")
    assert "HeadProbability=" in done.stdout
    done = run_here("inspect", induced)
    assert "valence over tags, learned from EM" in done.stdout


def test_heads_that_are_given_stay(induced, tmp_path):
    given, out = tmp_path / "given.conllu", tmp_path / "out.conllu"
    whole = [sentence for sentence in read(str(ENGLISH)) if not _core.nonprojective_words(sentence.heads)]
    assert len(whole) > 5
    sentences = [sentence.copy() for sentence in whole]
    for sentence in sentences:
        sentence.heads = [head if place % 3 == 0 else None for place, head in enumerate(sentence.heads)]
        sentence.deprels = ["_"] * len(sentence)
    write(given, sentences)
    done = run_here("parse", "-m", induced, "-i", given, "-o", out, "--constraints", "from-input")
    assert done.returncode == 0, done.stderr
    for before, after in zip(sentences, read(str(out)), strict=True):
        assert all(head in (None, new) for head, new in zip(before.heads, after.heads, strict=True))


def test_scores_of_sentences_and_totals(counted):
    done = run_here("score", ENGLISH, "-m", counted)
    assert done.returncode == 0, done.stderr
    *lines, count, total = done.stdout.splitlines()
    sentences = list(read(str(ENGLISH)))
    expected = arbora.load(counted).log_probabilities(sentences)
    assert [float(line.split("\t")[2]) for line in lines] == pytest.approx(expected.tolist(), abs=1e-6)
    assert [int(line.split("\t")[1]) for line in lines] == [len(sentence) for sentence in sentences]
    assert count.startswith(f"{len(sentences)} sentences")
    assert f"log-probability {expected.sum():.4f}" in total
    words = sum(map(len, sentences))
    assert f"perplexity {math.exp(-expected.sum() / words):.4f}" in total


def test_mixtures(counted, tmp_path):
    arpa = tmp_path / "m.arpa.gz"
    done = run_here(
        "score", ENGLISH, "-m", counted, "--ngrams-from", ENGLISH, "--order", 2, "--dev", ENGLISH, "--json",
        "--write-ngrams", arpa,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert 0 < result["weight"] < 1
    best = min(result["trees"]["perplexity"], result["ngrams"]["perplexity"])
    assert result["mixed"]["perplexity"] <= best * (1 + 1e-9)
    weight = result["weight"]
    for row in result["each"]:
        expected = np.logaddexp(math.log(weight) + row["trees"], math.log(1 - weight) + row["ngrams"])
        assert row["mixed"] == pytest.approx(expected, abs=1e-9)
    again = run_here(
        "score", ENGLISH, "-m", counted, "--ngrams", arpa, "--weight", weight, "--json", "--totals"
    )
    assert json.loads(again.stdout)["mixed"]["perplexity"] == pytest.approx(result["mixed"]["perplexity"])
    assert "each" not in json.loads(again.stdout)
    assert read_arpa(arpa).order == 2


def test_plain_words(tmp_path):
    raw, model = tmp_path / "raw.txt", tmp_path / "m"
    raw.write_text("the dog barks\nthe cat sleeps\na dog sleeps now\n" * 3, "utf-8")
    done = run_here("induce", raw, "--units", "words", "-o", model, "--iterations", 3)
    assert done.returncode == 0, done.stderr
    assert run_here("score", raw, "-m", model, "--totals").returncode == 0
    assert run_here("parse", "-m", model, "--input-format", "horizontal", "-i", raw).returncode == 0


def test_trees_beside_text(tmp_path):
    model = tmp_path / "m"
    done = run_here(
        "induce", ENGLISH, "--trees", ENGLISH, "--start", "supervised", "-o", model, "--iterations", 2
    )
    assert done.returncode == 0, done.stderr
    on = read_model(model).header["trained_on"]
    assert 0 < on["trees"] < on["sentences"]


UNTAGGED = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
ONE_WORD = "1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n"


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("", (), "there are no sentences with words here"),
        (ONE_WORD * 3, (), "all sentences have one word"),
        (UNTAGGED, (), "word 1 has no UPOS tag"),
        (UNTAGGED, ("--tags", "xpos"), "word 1 has no XPOS tag"),
        (UNTAGGED, ("--units", "words", "--longest", 1), "no sentence has"),
        (UNTAGGED, ("--units", "words", "--start", "supervised"), "no sentence has a whole tree"),
        (ONE_WORD, ("--model", "trigram"), "there is no model 'trigram'; there are bigram, valence"),
        (ONE_WORD, ("--expectations", "best", "--temperature", 0.5), "hard EM has no temperature"),
        (ONE_WORD, ("--constraints", "all"), "there are no constraints 'all'"),
        (UNTAGGED, ("--units", "words", "--labels"), "no word here has a label"),
    ],
)
def test_what_cannot_be_learned_from(text, arguments, expected, tmp_path):
    raw, model = tmp_path / "raw.conllu", tmp_path / "m"
    raw.write_text(text, "utf-8")
    done = run_here("induce", raw, "-o", model, *arguments)
    assert done.returncode == 2
    assert expected in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["raw.conllu"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--dev", ENGLISH), "--dev and --weight are of a mixture"),
        (("--ngrams", "x", "--ngrams-from", "y"), "not both"),
        (("--ngrams", "nowhere.arpa"), "nowhere.arpa: there is no such file"),
        (("--ngrams-from", ENGLISH, "--dev", ENGLISH, "--weight", 0.5), "given or fitted on --dev, not both"),
        (("--write-ngrams", "x"), "--write-ngrams writes what --ngrams-from trains"),
    ],
)
def test_wishes_that_do_not_go_together(counted, arguments, expected):
    done = run_here("score", ENGLISH, "-m", counted, *arguments)
    assert done.returncode == 2
    assert expected in done.stderr


def test_only_generative_models_score(tmp_path):
    done = run_here("score", ENGLISH, "-m", "en")
    assert done.returncode == 2
    assert done.stderr == "arbora: en: this model gives sentences no probability: give a generative one\n"


def test_a_sentence_that_is_too_long_for_a_valence_model(induced):
    long = Sentence(["a"] * 251, upos=["X"] * 251)
    with pytest.raises(
        arbora.errors.ArboraError, match=r"it has 251 words, and this parser takes at most 250"
    ):
        list(arbora.load(induced).parse([long]))
