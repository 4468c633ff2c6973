"""Training and parsing as a whole: the same bytes every time, sturdy against odd input, and it learns."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from itertools import chain, count, islice, repeat
from pathlib import Path

import numpy as np
import pytest
from oracles.features import Twin

from arbora.dependency import (
    DependencyParser,
    ParseOptions,
    TrainingOptions,
    preset_templates,
    set_kbest,
    train,
)
from arbora.dependency.parser import encode
from arbora.errors import ArboraError, FileError
from arbora.features import Templates
from arbora.learning import LEARNERS, LOSSES
from arbora.models import read_model, write_model
from arbora.treebank import Sentence, read

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "treebank"
SMALL = TrainingOptions(epochs=2, bits=14, pruner_bits=12, pruner_epochs=1, batch=3)


def changed(**options) -> TrainingOptions:
    return TrainingOptions(**{**SMALL.as_dict(), **options})


def treebank(language: str = "en") -> list[Sentence]:
    return list(read(EXAMPLES / f"{language}.conllu"))


def las(parser: DependencyParser, sentences: list[Sentence], options: ParseOptions | None = None) -> float:
    right = words = 0
    for gold, found in zip(sentences, parser.parse((s.copy() for s in sentences), options), strict=True):
        for expected, got in zip(zip(gold.heads, gold.deprels, strict=True),
                                 zip(found.heads, found.deprels, strict=True), strict=True):  # fmt: skip
            right += expected == got
            words += 1
    return right / words


@pytest.fixture(scope="module")
def parser() -> DependencyParser:
    return train(treebank(), options=changed(epochs=3))


# ---- the same every time ----


def file_bytes(parser: DependencyParser, path: Path) -> bytes:
    parser.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_threads_change_nothing(labels, tmp_path):
    data, options = treebank(), changed(labels=labels)
    parsers = [train(data, data[:5], options, threads=threads) for threads in (1, 2, 3)]
    first, *others = [file_bytes(parser, tmp_path / "model") for parser in parsers]
    assert others == [first, first]
    other = train(data, data[:5], changed(labels=labels, seed=2))
    assert file_bytes(other, tmp_path / "other") != first


def test_batches_and_threads_of_parsing_change_nothing(parser):
    data = treebank() + treebank("de") + [Sentence(comments=["# nothing"])]
    texts = set()
    for threads, batch in [(1, 8192), (1, 1), (2, 1), (3, 40), (2, 8192)]:
        for _ in range(2):  # and the second time as the first
            options = ParseOptions(decoder="mbr", probabilities=True, threads=threads, batch=batch)
            parsed = parser.parse([sentence.copy() for sentence in data], options)
            texts.add("".join(sentence.to_conllu() for sentence in parsed))
    assert len(texts) == 1


class KilledError(Exception):
    pass


@pytest.mark.parametrize("learner", ["aggressive", "adagrad"])
@pytest.mark.parametrize("when", [0, 1, 2])
@pytest.mark.parametrize("features", ["complete", "supported"])
def test_resume_gives_the_same_bytes(learner, when, features, tmp_path):
    data, checkpoint = treebank(), tmp_path / "checkpoint"
    options = changed(learner=learner, features=features)

    def kill(report):
        if report.epoch > when:
            raise KilledError

    whole = train(data, data[:4], options)
    with pytest.raises(KilledError) if when < 2 else pytest.MonkeyPatch.context():
        train(data, data[:4], options, checkpoint=checkpoint, keep_checkpoint=True, progress=kill)
    reports = []
    resumed = train(
        data, data[:4], options, checkpoint=checkpoint, resume=True, progress=reports.append, threads=2
    )
    assert [report.epoch for report in reports] == list(range(when + 1, 3))
    assert file_bytes(resumed, tmp_path / "a") == file_bytes(whole, tmp_path / "b")
    assert not checkpoint.exists()


KILLED_WHILE_WRITING = """
import os, signal, sys
import numpy as np
from arbora.models import file, write_model
file._bytes = lambda array: os.kill(os.getpid(), signal.SIGKILL)  # its second call of write
file._checksum = lambda array: 0
write_model(sys.argv[1], {"architecture": "x"}, {"weights": np.zeros(9, np.float32)})
"""


@pytest.mark.parametrize("resume", [False, True])
def test_what_a_kill_left_half_written_is_removed(resume, tmp_path):
    data, checkpoint = treebank(), tmp_path / "m.checkpoint"
    train(data, None, SMALL, checkpoint=checkpoint, keep_checkpoint=True)
    for name in (checkpoint.name, "n.checkpoint"):
        done = subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, tmp_path / name], check=False)
        assert done.returncode == -signal.SIGKILL
    (tmp_path / ".m.checkpoint.part").touch()  # no name that we give
    assert len(list(tmp_path.glob(".*.part"))) == 3
    train(data, None, SMALL, checkpoint=checkpoint, resume=resume)
    left, other = sorted(tmp_path.iterdir())
    assert left.name == ".m.checkpoint.part"
    assert other.name.startswith(".n.checkpoint.")


def test_resume_refuses_what_does_not_fit(tmp_path):
    data, checkpoint = treebank(), tmp_path / "checkpoint"
    train(data, None, SMALL, checkpoint=checkpoint, keep_checkpoint=True)
    with pytest.raises(FileError, match="another rate"):
        train(data, None, changed(rate=0.5), checkpoint=checkpoint, resume=True)
    with pytest.raises(FileError, match="another bits"):
        train(data, None, changed(bits=15), checkpoint=checkpoint, resume=True)
    with pytest.raises(FileError, match="other data"):
        train(data[1:], None, SMALL, checkpoint=checkpoint, resume=True)
    with pytest.raises(FileError, match="other data"):
        train(data, data, SMALL, checkpoint=checkpoint, resume=True)
    own = preset_templates("first-order")
    own.arcs = own.arcs[1:]
    with pytest.raises(FileError, match="another preset"):
        train(data, None, SMALL, templates=own, checkpoint=checkpoint, resume=True)
    train(data, None, SMALL, templates=own, checkpoint=tmp_path / "own", keep_checkpoint=True)
    own.arcs = own.arcs[1:]
    with pytest.raises(FileError, match="templates"):
        train(data, None, SMALL, templates=own, checkpoint=tmp_path / "own", resume=True)
    train(data, None, SMALL).save(tmp_path / "model")
    with pytest.raises(FileError):
        train(data, None, SMALL, checkpoint=tmp_path / "model", resume=True)
    with pytest.raises(FileError):
        train(data, None, SMALL, checkpoint=tmp_path / "nowhere", resume=True)
    with pytest.raises(ArboraError, match="nothing to resume"):
        train(data, None, SMALL, resume=True)


def test_save_and_load(parser, tmp_path):
    data = treebank()
    parser.save(tmp_path / "model")
    loaded = DependencyParser.load(tmp_path / "model")
    parser.save(tmp_path / "small", compact_weights=True)
    small = DependencyParser.load(tmp_path / "small")
    options = ParseOptions(probabilities=True)

    def text(parser: DependencyParser) -> str:
        return "".join(sentence.to_conllu() for sentence in parser.parse([s.copy() for s in data], options))

    assert text(loaded) == text(parser)
    assert las(small, data) > las(parser, data) - 0.05


# ---- odd input ----

ODD_FORMS = ["a\u0301\u0302\u0303", "\u0645\u0631\u062d\u0628\u0627", "\U0001f469\u200d\U0001f467",
             "\u200f\u202e", "\x01\x1b[31m", "\ufeff", "x" * 100_000, "\U0010ffff", " ", ""]  # fmt: skip


def check_tree(sentence: Sentence) -> None:
    assert sentence.heads.count(0) == 1
    for word in range(1, len(sentence) + 1):
        for _ in range(len(sentence) + 1):
            word = sentence.heads[word - 1] if word else 0
        assert word == 0


@pytest.mark.parametrize("decoder", ["best", "mbr"])
def test_odd_sentences(parser, decoder):
    odd = [
        Sentence(comments=["# only comments"]),
        Sentence(["one"]),
        Sentence(["_"] * 7),
        Sentence(ODD_FORMS),
        Sentence(["a"] * 3, ["_"] * 3, ["NOUN", "_", "weird\u00a0tag"], ["_"] * 3, ["|", "=", "A=1||B="]),
        Sentence(["word"] * 300),
    ]
    options = ParseOptions(decoder=decoder, probabilities=True)
    found = list(parser.parse(odd, options))
    assert found[0].heads == []
    assert found[1].heads == [0]
    for sentence in found[1:]:
        check_tree(sentence)
    (none,) = next(parser.kbest([Sentence()], 3))
    assert (none.heads, none.deprels, none.log_probability) == ([], [], 0.0)
    (only,) = {tuple(tree.heads) for tree in next(parser.kbest([Sentence(["one"])], 5))}
    assert only == (0,)
    assert list(parser.parse([])) == []


def test_a_thousand_words(parser):
    words = list(islice(chain.from_iterable(repeat([s for t in treebank() for s in t.forms])), 1000))
    check_tree(next(parser.parse([Sentence(words)], ParseOptions(probabilities=True))))


def test_a_lone_surrogate_is_an_error(parser):
    with pytest.raises(ArboraError, match="Unicode"):
        list(parser.parse([Sentence(["a", "b\ud800"])]))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("forms", [["the", "dog"], []])
def test_endless_input(parser, forms, threads):
    """Only as much is read as is needed: a batch or two ahead."""
    taken = count()

    def endless():
        while True:
            next(taken)
            yield Sentence(forms)

    stream = parser.parse(endless(), ParseOptions(batch=50, threads=threads))
    assert len(list(islice(stream, 500))) == 500
    stream.close()
    assert next(taken) < 700


def test_kbest_sentences(parser):
    sentence = max(treebank(), key=len)
    copies = list(set_kbest(sentence, next(parser.kbest([sentence.copy()], 4))))
    assert len(copies) == 4
    ranks = [[comment for comment in copy.comments if "kbest_rank" in comment] for copy in copies]
    assert ranks == [[f"# kbest_rank = {rank}"] for rank in (1, 2, 3, 4)]
    with pytest.raises(ArboraError, match="k must be"):
        next(parser.kbest([sentence], 0))


# ---- odd treebanks ----


def tree(heads: list[int | None], deprels: list[str]) -> Sentence:
    return Sentence([f"w{i}" for i in range(len(heads))], heads=heads, deprels=deprels)


@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_small_treebanks(labels):
    options = changed(labels=labels)
    for data in (
        [tree([0], ["root"])],
        [tree([0, 1], ["dep", "dep"])],
        [tree([2, 0, 2], ["a b|c=#:<x>", "💥", "\u202e"])],
        [tree([0], ["root"]), tree([0], ["alone"])],
    ):
        parser = train(data, data, options)
        text = parser.parse([Sentence(["x", "y", "z"]), data[0].copy()], ParseOptions(probabilities=True))
        for sentence in text:
            check_tree(sentence)
            assert set(sentence.deprels) <= set(parser.labels)
            assert "nan" not in sentence.to_conllu()
        assert las(parser, data) > 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "no words"),
        ([Sentence()], "no words"),
        ([tree([0], ["root"]), tree([None, 0], ["a", "root"])], "sentence 2 .*word 1 has no head"),
        ([tree([2, 0], ["a", "_"])], "word 2 has no relation"),
        ([tree([2, 1], ["a", "b"])], "cycle"),
        ([tree([1, 0], ["a", "b"])], "cycle"),
        ([tree([0, 0], ["a", "b"])], "2 roots"),
        ([tree([7, 0], ["a", "b"])], "not in the sentence"),
    ],
)
def test_training_data_that_cannot_be(data, message):
    with pytest.raises(ArboraError, match=message):
        train(data, None, SMALL)


def test_several_roots_if_they_may_be():
    data = [tree([0, 0, 1], ["a", "b", "c"])]
    parser = train(data, None, changed(single_root=False, epochs=10))
    assert las(parser, data) == 1
    one = next(parser.parse([data[0].copy()], ParseOptions(single_root=True)))
    assert one.heads.count(0) == 1


def test_dev_may_have_what_the_model_does_not_know():
    data = treebank()
    dev = [sentence.copy() for sentence in data[:5]]
    dev[0].deprels = ["unheard-of"] * len(dev[0])
    dev[1].heads = [0] * len(dev[1])
    parser = train(data, dev, SMALL)
    assert 0 < parser.header["tree_scale"] < np.inf


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": "none"}, "labels must be"),
        ({"loss": "hinge"}, "no loss"),
        ({"learner": "adam"}, "no learner"),
        ({"preset": "third-order"}, "third-order"),
        ({"features": "some"}, "features must be"),
        ({"bits": 9}, "bits must be"),
        ({"epochs": 0}, "epochs must be"),
        ({"pruning": 1.0}, "pruning must be"),
        ({"rate": -1.0}, "rate must be"),
        ({"beta": 0.0}, "beta must be"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(ArboraError, match=message):
        train(treebank()[:2], None, changed(**options))


def test_templates_that_lack_a_section():
    with pytest.raises(ArboraError, match=r"\[labels\]"):
        train(treebank()[:2], None, SMALL, templates=Templates.parse("[arcs]\nhead.form"))


def test_own_templates():
    own = Templates.parse("[arcs]\nhead.form & modifier.form\n[labels]\nmodifier.form")
    data = treebank()
    parser = train(data, None, changed(epochs=10, bits=16), templates=own)
    assert las(parser, data) > 0.9


# ---- files that are no models ----


def test_broken_headers(parser, tmp_path):
    parser.save(tmp_path / "model")
    whole = read_model(tmp_path / "model")
    tensors = {name: np.array(tensor) for name, tensor in whole.tensors.items()}
    options = whole.header["options"]

    def check(header, tensors=tensors):
        write_model(tmp_path / "broken", header, tensors)
        with pytest.raises(FileError, match="broken"):
            DependencyParser.load(tmp_path / "broken")

    needed = "labels", "at_root", "below_words", "templates", "options", "padding", "step", "pruner_step"
    for name in needed:
        check({key: value for key, value in whole.header.items() if key != name})
        check({**whole.header, name: None})
    for name in ("bits", "most_heads", "single_root", "projective"):
        check({**whole.header, "options": {key: value for key, value in options.items() if key != name}})
    check({**whole.header, "labels": whole.header["labels"][1:]})
    check({**whole.header, "labels": [*whole.header["labels"][1:], 5]})
    check({**whole.header, "at_root": [*whole.header["at_root"], True]})
    check({**whole.header, "below_words": whole.header["below_words"][1:]})
    check({**whole.header, "templates": "[arcs]\nhead.soup"})
    check({**whole.header, "templates": "[arcs]\nhead.form"})
    check({**whole.header, "tree_scale": -1.0})
    check({**whole.header, "step": 0.0})
    check({**whole.header, "pruner_step": -1.0})
    check({**whole.header, "architecture": "constituency-parser"})
    check({**whole.header, "options": {**options, "bits": 13}})
    check({**whole.header, "options": {**options, "bits": 10**9}})
    check({**whole.header, "padding": whole.header["padding"] + 8})
    check(whole.header, {**tensors, "weights": tensors["weights"][:-1]})
    check(whole.header, {**tensors, "weights": tensors["weights"].astype(np.float64)})
    check(whole.header, {**tensors, "pruner": tensors["pruner"][:-1]})
    check(whole.header, {**tensors, "pruner": tensors["pruner"][:0]})
    check(whole.header, {**tensors, "pruner": tensors["pruner"].astype(np.float64)})
    check(whole.header, {"weights": tensors["weights"]})
    check(whole.header, {"pruner": tensors["pruner"]})
    assert json.loads(json.dumps(whole.header)) == whole.header


# ---- it learns ----


@pytest.mark.parametrize("language", ["en", "de", "tr"])
@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_it_fits_what_it_is_shown(language, labels):
    data = treebank(language)
    parser = train(data, None, TrainingOptions(labels=labels, bits=16, pruner_bits=14))
    assert las(parser, data) > 0.95
    assert las(parser, data, ParseOptions(decoder="mbr")) > 0.95


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_and_learner_fits(loss, learner):
    data = treebank("tr") + treebank("de")
    options = TrainingOptions(loss=loss, learner=learner, bits=16, pruner_bits=14, batch=1)
    if (loss, learner) == ("perceptron", "aggressive"):
        with pytest.raises(ArboraError, match="never leaves zero"):
            train(data, None, options)
        return
    assert las(train(data, None, options), data) > 0.95


@pytest.mark.parametrize("labels", ["joint", "second-stage", "both"])
def test_supported_features_are_those_of_gold_trees(labels):
    data, bits = treebank("tr")[:8], 20
    complete, supported = (
        train(data, None, changed(features=name, bits=bits, labels=labels))
        for name in ("complete", "supported")
    )
    of_all, of_gold = complete._weights.values, supported._weights.values
    assert 0 < np.count_nonzero(of_gold) < 0.7 * np.count_nonzero(of_all)
    twin = Twin(Templates.parse(supported.header["templates"]), len(supported.labels), bits)
    gold = np.zeros(len(of_gold))
    for sentence in data:
        labels = [supported.labels.index(name) for name in sentence.deprels]
        for word, (head, label) in enumerate(zip(sentence.heads, labels, strict=True), 1):
            twin.add_arc(sentence, gold, (head, word), 1.0)
            twin.add_label(sentence, gold, "labels", (head, word), label, 1.0)
            twin.add_label(sentence, gold, "labeler", (head, word), label, 1.0, sentence.heads)
        for head in set(sentence.heads):
            own = [label for above, label in zip(sentence.heads, labels, strict=True) if above == head]
            ends = [len(supported.labels)]
            pairs = np.zeros((ends[0] + 1, ends[0] + 1))
            pairs[[*ends, *own], [*own, *ends]] = 1
            twin.add_siblings(sentence, gold, head, pairs, sentence.heads)
    assert not of_gold[gold == 0].any()
    assert of_all[gold == 0].any()
    assert las(supported, data) > 0.5


def test_calibration_makes_dev_probable():
    """The scale found on dev is no worse than others; without dev, a CRF's scores are left as they are."""
    data = treebank()
    parser = train(data[5:], data[:5], changed(epochs=4))
    scale = parser.header["tree_scale"]
    assert scale != 1.0

    def surprise(scale: float) -> float:
        other = DependencyParser(
            {**parser.header, "tree_scale": scale}, parser._weights, parser._pruner_weights
        )
        found = other._core.surprise(
            other._weights, other._pruner_weights, encoded, heads, labels, True, False, 1, [1.0], 1.0
        )
        return found[0][0]

    encoded = encode(data[:5])
    heads = np.array([head for sentence in data[:5] for head in sentence.heads], np.int32)
    labels = np.array([parser._numbers.get(name, -1) for s in data[:5] for name in s.deprels], np.int32)
    best = surprise(scale)
    assert all(best <= surprise(scale * by) + 1e-9 for by in (0.25, 0.5, 0.8, 1.25, 2.0, 4.0))
    assert train(data, None, changed(loss="crf")).header["tree_scale"] == 1.0


def test_probabilities_are_written():
    data = treebank()[:3]
    parser = train(data, None, SMALL)
    data[0].misc[0] = "SpaceAfter=No|HeadProbability=0.1"
    found = next(parser.parse([data[0]], ParseOptions(probabilities=True)))
    assert found.misc[0].startswith("SpaceAfter=No|HeadProbability=")
    assert found.misc[0].count("HeadProbability") == 1
    assert sum("tree_log_probability" in comment for comment in found.comments) == 1


def test_projective_training_skips_what_is_not_projective():
    crossing = Sentence(["a", "b", "c", "d"], heads=[0, 4, 1, 1], deprels=["root", "x", "x", "x"])
    plain = Sentence(["a", "b", "c", "d"], heads=[0, 1, 1, 1], deprels=["root", "x", "x", "x"])
    parser = train([crossing, plain], None, changed(projective=True))
    assert parser.header["trained_on"] == {"sentences": 1, "words": 4, "skipped_nonprojective": 1}
    with pytest.raises(ArboraError, match="no sentence of the training data is projective"):
        train([crossing], None, changed(projective=True))
