"""ISBN parsers: odd trees, odd sentences, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles.isbn import left_corner

import arbora
from arbora.constituency import TaggedWords, prepared, tagged_words
from arbora.constituency.isbn import IsbnOptions, IsbnParser, Vocabulary, train_isbn
from arbora.errors import ArboraError, FileError
from arbora.models import read_model, write_model
from arbora.treebank import Constituent, read

TREEBANK = Path(__file__).resolve().parents[2] / "examples" / "treebank" / "brackets.mrg"
SMALL = IsbnOptions(width=6, least_count=2, epochs=8, rate=0.03)


def treebank(**options) -> list[Constituent]:
    return [tree for one in read(str(TREEBANK)) if (tree := prepared(one, **options))]


@pytest.fixture(scope="module")
def parser() -> IsbnParser:
    return train_isbn(treebank(), treebank(), SMALL)


def tree_of(text: str) -> Constituent:
    return Constituent.from_string(text)


@pytest.mark.parametrize("functions", [False, True])
@pytest.mark.parametrize("has_common_top", [False, True])
def test_every_tree_goes_to_a_derivation_and_back(functions, has_common_top):
    trees = treebank(keep_functions=functions)
    if has_common_top:
        trees = [tree for tree in trees if tree.label == ""]
    vocabulary = Vocabulary.of(trees, 1, False)
    assert vocabulary.root_label == ("" if has_common_top else None)
    for tree in trees:
        decisions = vocabulary.decisions(tree)
        assert vocabulary.tree(decisions, tagged_words(tree)) == tree
        below = [tree] if vocabulary.root_label is None else tree.children
        inner = [child for child in below if isinstance(child, Constituent)]
        expected = [line for child in inner for line in [*left_corner(child), "attach"]] + ["end"]
        assert vocabulary.describe(decisions) == expected


@pytest.mark.parametrize(
    "text",
    [
        "(TOP (X (NN a)))",
        "(TOP (NN a))",
        "(TOP (X (X (X (NN a)))))",  # a loop of unary constituents
        "(TOP (NP (NP (NP (NN a)) (PP (IN of) (NP (NN b)))) (. .)))",  # Chomsky adjunction
        "(TOP (NN a) (NN b) (X (NN c) (NN d)))",
        "(TOP (X (NN a) (X (NN b) (X (NN c) (X (NN d))))))",
        "(TOP (X (X (X (NN a) (NN b)) (NN c)) (NN d)))",
    ],
)
def test_trees_of_all_shapes(text):
    for one in (text, text.replace("TOP", "")):
        tree = tree_of(one)
        others = [tree_of("(TOP (X (NN a)))".replace("TOP", tree.label)), tree]
        vocabulary = Vocabulary.of(others, 1, False)
        assert vocabulary.tree(vocabulary.decisions(tree), tagged_words(tree)) == tree


def test_trees_without_a_common_top():
    trees = [tree_of("(S (NP (NN a)) (VP (VB b)))"), tree_of("(NP (NN a))"), tree_of("(NN a)")]
    vocabulary = Vocabulary.of(trees, 1, False)
    assert vocabulary.root_label is None
    for tree in trees:
        assert vocabulary.tree(vocabulary.decisions(tree), tagged_words(tree)) == tree
    parser = train_isbn(trees * 4, options=IsbnOptions(width=5, least_count=1, epochs=20, rate=0.05))
    for tree in trees[:2]:
        assert parser.parse([tagged_words(tree)])[0].tree.words() == tree.words()


def test_it_learns_its_treebank(parser):
    trees = treebank()
    found = parser.parse([tagged_words(tree) for tree in trees])
    assert [one.tree.words() for one in found] == [tree.words() for tree in trees]
    scores = parser.log_probabilities([one.tree for one in found])
    np.testing.assert_allclose([one.log_probability for one in found], scores, rtol=1e-9)


@pytest.mark.parametrize("words", [1, 2, 500])
def test_sentences_of_any_length(parser, words):
    sentence = TaggedWords(["zzz"] * words, ["NN"] * words)
    (found,) = parser.parse([sentence], probabilities=True)
    assert found.tree.words() == ["zzz"] * words
    assert found.is_joint
    assert found.span_probabilities is not None
    assert len(found.span_probabilities) == len(found.tree.spans())
    assert all(0 < p <= 1 for p in found.span_probabilities)


def test_kbest_trees_differ_and_come_best_first(parser):
    sentence = tagged_words(treebank()[1])
    (found,) = parser.parse_kbest([sentence], 30)
    assert len(found) > 10
    assert len({str(one.tree) for one in found}) == len(found)
    scores = [one.log_probability for one in found]
    assert scores == sorted(scores, reverse=True)


def test_results_do_not_depend_on_threads_or_company(parser):
    sentences = [tagged_words(tree) for tree in treebank()]
    together = [str(one.tree) for one in parser.parse(sentences, threads=2)]
    assert together == [str(parser.parse([sentence])[0].tree) for sentence in sentences]
    assert parser.parse([]) == []


def test_what_was_never_seen(parser):
    with pytest.raises(ArboraError, match="never seen the tag 'ZZ'; it knows"):
        parser.parse([TaggedWords(["a"], ["ZZ"])])
    with pytest.raises(ArboraError, match="sentence 2 has no words"):
        parser.parse([TaggedWords(["a"], ["NN"]), TaggedWords([], [])])
    with pytest.raises(ArboraError, match="never seen the label 'QQ'"):
        parser.log_probabilities([tree_of("((QQ (NN a)))")])
    vocabulary = Vocabulary.of([tree_of("(ROOT (NP (NN a)))")], 1, False)
    with pytest.raises(ArboraError, match="'TOP' at its top, where others have 'ROOT'"):
        vocabulary.decisions(tree_of("(TOP (NP (NN a)))"))


def test_no_trees_and_bad_options():
    with pytest.raises(ArboraError, match="no trees"):
        train_isbn([tree_of("(S (-NONE- *))")])
    with pytest.raises(ArboraError, match="no constituents"):
        train_isbn([tree_of("(TOP (NN a))")])
    for wrong in (
        {"width": 0},
        {"inference": "exact"},
        {"rate": 0.0},
        {"states": ("top", "top")},
        {"beam": 0},
    ):
        with pytest.raises(ArboraError):
            IsbnOptions(**wrong).check()
    with pytest.raises((ArboraError, ValueError), match="no relation 'above'"):
        train_isbn(treebank(), options=IsbnOptions(states=("above",)))


def test_a_file_gives_the_same_trees_and_a_damaged_one_is_refused(parser, tmp_path):
    path = tmp_path / "isbn.arbora"
    parser.save(path)
    again = arbora.load(path)
    sentences = [tagged_words(tree) for tree in treebank()]
    assert [one.tree for one in again.parse(sentences)] == [one.tree for one in parser.parse(sentences)]
    model = read_model(path)
    weights = model.tensors["weights"].copy()
    for change in (weights[:-1], np.full_like(weights, np.nan)):
        write_model(tmp_path / "bad", model.header, {"weights": change})
        with pytest.raises(FileError, match="no ISBN parser that Arbora can use"):
            arbora.load(tmp_path / "bad")
