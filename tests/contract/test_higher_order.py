"""Trained parsers with parts of several arcs: the same every time, sound whatever is asked; they learn."""

from __future__ import annotations

from itertools import product
from math import inf, isfinite
from pathlib import Path

import numpy as np
import pytest
from oracles.features import Twin
from oracles.parts import KINDS
from oracles.trees import is_tree
from parse_numbers import parse_numbers

from arbora.dependency import DependencyParser, ParseOptions, TrainingOptions, train
from arbora.dependency.options import CONSTRAINTS, SOLVERS
from arbora.dependency.presets import preset_options
from arbora.errors import InfeasibleTreeError
from arbora.features import Templates
from arbora.treebank import Sentence, read

ENGLISH = Path(__file__).resolve().parents[2] / "examples" / "treebank" / "en.conllu"
TREEBANK = [sentence for sentence in read(ENGLISH) if len(sentence) < 14]
PRESETS = ["second-order", "third-order"]


def small(preset: str, **changes) -> TrainingOptions:
    return preset_options(
        preset,
        **{"epochs": 3, "bits": 16, "pruner_bits": 14, "pruner_epochs": 2, "most_heads": 6, **changes},
    )


@pytest.fixture(scope="module")
def parsers() -> dict[str, DependencyParser]:
    return {preset: train(TREEBANK, options=small(preset)) for preset in PRESETS}


@pytest.fixture(scope="module", params=PRESETS)
def parser(request, parsers) -> DependencyParser:
    return parsers[request.param]


def copies(count: int | None = None) -> list[Sentence]:
    return [sentence.copy() for sentence in TREEBANK[:count]]


def text_of(parser: DependencyParser, options: ParseOptions) -> str:
    return "".join(sentence.to_conllu() for sentence in parser.parse(copies(), options))


def las(parser: DependencyParser, options: ParseOptions | None = None) -> float:
    right = [
        (head, label) == other
        for gold, found in zip(TREEBANK, parser.parse(copies(), options), strict=True)
        for head, label, other in zip(
            gold.heads, gold.deprels, zip(found.heads, found.deprels, strict=True), strict=True
        )
    ]
    return sum(right) / len(right)


# ---- the same every time ----


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("second-order", {}),
        ("second-order", {"loss": "crf", "labels": "joint"}),
        ("third-order", {"solver": "dual-decomposition", "iterations": 30}),
        ("third-order", {"loss": "softmax-margin", "features": "supported"}),
    ],
)
def test_threads_change_no_weight(preset, changes, tmp_path):
    files = []
    for threads in (1, 2):
        parser = train(TREEBANK, TREEBANK[:6], small(preset, epochs=1, **changes), threads=threads)
        parser.save(tmp_path / "model")
        files.append((tmp_path / "model").read_bytes())
    assert files[0] == files[1]


def test_resuming_changes_no_weight(tmp_path):
    class KilledError(Exception):
        pass

    def kill(report):
        if report.epoch == 1:
            raise KilledError

    options, kept = small("second-order"), tmp_path / "kept"
    with pytest.raises(KilledError):
        train(TREEBANK, None, options, checkpoint=kept, keep_checkpoint=True, progress=kill)
    train(TREEBANK, None, options, checkpoint=kept, resume=True).save(tmp_path / "resumed")
    train(TREEBANK, None, options).save(tmp_path / "whole")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("solver", SOLVERS)
def test_threads_and_batches_change_no_tree(parser, solver):
    texts = {
        text_of(
            parser,
            ParseOptions(solver=solver, probabilities=True, iterations=5, threads=threads, batch=batch),
        )
        for threads, batch in [(1, 8192), (2, 1), (3, 40)]
    }
    assert len(texts) == 1


@pytest.mark.parametrize(
    "options",
    [
        ParseOptions(),
        ParseOptions(decoder="mbr", probabilities=True),
        ParseOptions(solver="ad3", single_root=False, iterations=5),
        ParseOptions(solver="dual-decomposition", constraint="exactly1", projective=True, iterations=10),
        ParseOptions(solver="bp", probabilities=True, constraints=True, propagations=3),
    ],
    ids=["best", "mbr", "ad3", "dual decomposition", "bp"],
)
def test_text_in_text_out(parser, options):
    """`parse_conllu` writes the bytes that reading, parsing and writing give."""
    data = "".join(sentence.to_conllu() for sentence in TREEBANK).encode()
    half = data.index(b"\n\n", len(data) // 2) + 2
    found = b"".join(part.data for part in parser.parse_conllu([data[:half], data[half:]], options))
    assert found.decode() == text_of(parser, options)


def test_save_and_load(parser, tmp_path):
    parser.save(tmp_path / "model")
    loaded = DependencyParser.load(tmp_path / "model")
    assert loaded.header["options"] == parser.header["options"]
    assert text_of(loaded, ParseOptions(probabilities=True)) == text_of(
        parser, ParseOptions(probabilities=True)
    )


def test_a_parser_remembers_its_solver(parsers, tmp_path):
    """Belief propagation has no bound, decompositions have one; options of parsing come first."""
    own = parsers["second-order"]
    for solver, expected in (("bp", inf), ("ad3", None)):
        options = {**own.header["options"], "solver": solver}
        DependencyParser({**own.header, "options": options}, own._weights, own._pruner_weights).save(
            tmp_path / solver
        )
        loaded = DependencyParser.load(tmp_path / solver)
        assert loaded.header["options"]["solver"] == solver
        gaps = certificates(loaded, ParseOptions(certificates=True, iterations=50))
        assert (gaps == inf).all() if expected else np.isfinite(gaps).all()
        assert np.isfinite(certificates(loaded, ParseOptions(certificates=True, solver="ad3"))).all()


def certificates(parser: DependencyParser, options: ParseOptions) -> np.ndarray:
    return parse_numbers(parser, copies(8), options).gaps


def test_certificates_are_written(parser):
    """The same in both ways of parsing; nothing is said of what has no words."""
    options = ParseOptions(certificates=True, solver="ad3", iterations=30, projective=True)
    found = list(parser.parse([*copies(6), Sentence()], options))
    said = [[c for c in sentence.comments if c.startswith("# certificate =")] for sentence in found]
    gaps = parse_numbers(parser, copies(6), options).gaps
    for lines, gap in zip(said[:-1], gaps.tolist(), strict=True):
        expected = "proved" if gap == 0 else f"gap {gap:.6f}"
        assert lines == [f"# certificate = {expected}"]
    assert said[-1] == []
    data = "".join(sentence.to_conllu() for sentence in TREEBANK[:6]).encode()
    written = b"".join(part.data for part in parser.parse_conllu([data], options)).decode()
    assert written == "".join(sentence.to_conllu() for sentence in found[:-1])


# ---- what is given ----


def test_given_heads_and_labels_are_kept(parser):
    rng = np.random.default_rng(1)
    for solver, decoder in product(SOLVERS, ("best", "mbr")):
        known = copies()
        for sentence in known:
            share = rng.random()
            names = [*(label for label in parser.labels if label != "root"), "unheard-of"]
            labels = ["root" if head == 0 else str(rng.choice(names)) for head in sentence.heads]
            sentence.deprels = [label if rng.random() < 0.2 else "_" for label in labels]
            sentence.heads = [head if rng.random() < share else None for head in sentence.heads]
        options = ParseOptions(solver=solver, decoder=decoder, constraints=True, iterations=30)
        found = parser.parse([sentence.copy() for sentence in known], options)
        for before, after in zip(known, found, strict=True):
            check_kept(before, after.heads, after.deprels)
        for before, trees in zip(known[:4], parser.kbest(known[:4], 3, options), strict=True):
            assert trees
            for tree in trees:
                check_kept(before, tree.heads, tree.deprels)


def check_kept(before: Sentence, heads: list[int], deprels: list[str]) -> None:
    assert is_tree(np.array([-1, *heads]), True, False)
    assert all(old in (None, new) for old, new in zip(before.heads, heads, strict=True))
    assert all(old in ("_", new) for old, new in zip(before.deprels, deprels, strict=True))
    assert "_" not in deprels


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_no_tree_fits_is_an_error(parser, solver):
    sentence = Sentence(["a", "b", "c"], heads=[2, 1, None], comments=["# sent_id = s-17"])
    for options in (
        ParseOptions(solver=solver, constraints=True),
        ParseOptions(solver=solver, constraints=True, constraint="not2", probabilities=True),
    ):
        with pytest.raises(InfeasibleTreeError, match="s-17"):
            next(parser.parse([sentence.copy()], options))
        with pytest.raises(InfeasibleTreeError, match="s-17"):
            next(parser.kbest([sentence.copy()], 2, options))


# ---- sound whatever is asked ----


def odd_sentences() -> list[Sentence]:
    return [Sentence(), Sentence(["word"]), Sentence(["two", "words"]), Sentence(["_", "_", "_"]), *copies(4)]


@pytest.mark.parametrize(("single_root", "projective"), [(True, False), (False, False), (True, True)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_trees_of_every_kind(parser, solver, single_root, projective):
    for constraint, decoder in product(CONSTRAINTS, ("best", "mbr")):
        options = ParseOptions(
            solver=solver, constraint=constraint, decoder=decoder, single_root=single_root,
            projective=projective, iterations=5, propagations=5, probabilities=True,
            certificates=decoder == "best",
        )  # fmt: skip
        work = parse_numbers(parser, odd_sentences(), options)
        start = 0
        for sentence in work.sentences:
            end = start + len(sentence)
            assert is_tree(np.array([-1, *work.heads[start:end]]), single_root, projective)
            start = end
        for chances in (work.head_probabilities, work.label_probabilities):
            assert ((chances >= 0) & (chances <= 1 + 1e-9)).all()
        assert np.isfinite(work.log_probabilities).all()
        assert not np.isnan(work.gaps).any()
        assert (work.gaps >= -1e-6).all()


def test_probabilities_of_heads():
    """Near those of belief propagation on the graph of sums, which nearly add up to one for every word.

    Without dev data, by which confidence in them would be learned.
    """
    parser = train(TREEBANK, options=small("second-order"), dev_fraction=0.0)
    for sentence in TREEBANK[:12]:
        made = parser.graph(sentence, sums=True)
        beliefs = made.graph.solve("bp")[made.arcs]
        assert ((beliefs >= 0) & (beliefs <= 1)).all()
        sums = np.bincount(made.modifiers, beliefs, minlength=len(sentence) + 1)[1:]
        np.testing.assert_allclose(sums, 1, atol=0.01)
        options = ParseOptions(probabilities=True, propagations=100)
        work = parse_numbers(parser, [sentence], options)
        arcs = list(zip(made.heads.tolist(), made.modifiers.tolist(), strict=True))
        own = [beliefs[arcs.index((int(head), word))] for word, head in enumerate(work.heads, 1)]
        np.testing.assert_allclose(work.head_probabilities, own, atol=0.01)


@pytest.mark.parametrize("labels", ["joint", "both"])
@pytest.mark.parametrize("preset", PRESETS)
def test_kbest(preset, labels):
    """Different labelled trees in order, the first of which is no worse than the best parse."""
    parser = train(TREEBANK, options=small(preset, labels=labels, epochs=1))
    sentences = [*odd_sentences()[:4], *copies(12)]
    options = ParseOptions(probabilities=True)
    work = parse_numbers(parser, sentences, options)
    for number, trees in enumerate(parser.kbest(sentences, 6)):
        keys = [(*tree.heads, *tree.deprels) for tree in trees]
        assert len(set(keys)) == len(keys) >= 1
        values = [tree.log_probability for tree in trees]
        assert values == sorted(values, reverse=True)
        assert all(map(isfinite, values))
        assert values[0] >= work.log_probabilities[number] - 1e-6
        assert all(is_tree(np.array([-1, *tree.heads]), True, False) for tree in trees)


# ---- learning ----


@pytest.mark.parametrize("preset", PRESETS)
def test_it_fits_what_it_is_shown(preset):
    parser = train(TREEBANK, options=small(preset, epochs=6), dev_fraction=0.0)
    assert las(parser) > 0.95
    assert las(parser, ParseOptions(solver="ad3", iterations=20)) > 0.95
    assert las(parser, ParseOptions(decoder="mbr")) > 0.9


@pytest.mark.parametrize(
    "changes",
    [
        {"loss": "crf"},
        {"loss": "softmax-margin", "propagations": 3},
        {"solver": "ad3", "iterations": 5},
        {"solver": "ad3", "constraint": "exactly1-no2cycle", "iterations": 20},
        {"single_root": False},
        {"projective": True},
        {"learner": "adagrad"},
    ],
    ids=str,
)
def test_every_way_of_training_fits(changes):
    options = small("second-order", epochs=5, **changes)
    assert las(train(TREEBANK, options=options, dev_fraction=0.0)) > 0.85


ONLY_PARTS = """
[arcs]
modifier.upos
[labels]
modifier.form & modifier.upos
[consecutive-siblings]
head.form & sibling.form & modifier.form : direction
[grandparents]
grandparent.form & head.form & modifier.form : direction
"""
THIRD = """
[all-siblings]
head.form & sibling.form & modifier.form : distance
[grand-siblings]
grandparent.form & head.form & sibling.form & modifier.form : direction
[head-bigrams]
other-head.form & head.form & modifier.form : direction
[tri-siblings]
earlier-sibling.form & sibling.form & modifier.form : direction
"""


@pytest.mark.parametrize("features", ["complete", "supported"])
def test_parts_learn(features):
    """Where arcs tell next to nothing, the parts must have learned the trees."""
    options = TrainingOptions(epochs=4, bits=18, pruning=0.0, features=features, solver="hill-climbing")
    found = []
    for text in (ONLY_PARTS, ONLY_PARTS.partition("[consecutive-siblings]")[0]):
        parser = train(TREEBANK, options=options, templates=Templates.parse(text))
        found.append((las(parser), np.count_nonzero(parser._weights.values)))
    (with_parts, many), (without, few) = found
    assert with_parts > without + 0.1
    assert many > 2 * few


def test_supported_parts_are_those_of_gold_trees():
    """Weights that training may change: the twin's, of the parts of the gold trees and of no others."""
    data = TREEBANK[1:3]
    templates = Templates.parse(ONLY_PARTS.replace("[arcs]\nmodifier.upos", "[arcs]\nhead.xpos") + THIRD)
    options = TrainingOptions(epochs=2, bits=18, pruning=0.0, features="supported", solver="hill-climbing")
    parser = train(data, options=options, templates=templates)
    twin, allowed = Twin(templates, len(parser.labels), 18), np.zeros(parser._weights.values.size)
    of_parts = np.zeros_like(allowed)
    for sentence in data:
        for word, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1):
            twin.add_arc(sentence, allowed, (head, word), 1.0)
            twin.add_label(sentence, allowed, "labels", (head, word), parser.labels.index(label), 1.0)
        for section, kind in KINDS.items():
            for piece in kind.find([-1, *sentence.heads]):
                twin.add_piece(sentence, of_parts, section, piece, 1.0)
    changed = parser._weights.values != 0
    assert not changed[(allowed == 0) & (of_parts == 0)].any()
    assert changed[of_parts > 0].sum() > 20
