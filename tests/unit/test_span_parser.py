"""The span parser on small trees of our own: symbols, training, parsing, constraints, files, bad input."""

from __future__ import annotations

import math
import os
from dataclasses import replace

import numpy as np
import pytest

from arbora.constituency import TaggedWords, tagged_words
from arbora.constituency.spans.constraints import SpanConstraints
from arbora.constituency.spans.options import SpanOptions
from arbora.constituency.spans.parser import SpanParser
from arbora.constituency.spans.symbols import Symbols, binarised, unwrapped
from arbora.constituency.spans.templates import SpanTemplates, default_templates
from arbora.constituency.spans.training import SpanTask, train_span_parser
from arbora.errors import ArboraError, FileError
from arbora.evaluation import evaluate_brackets
from arbora.models import load_component
from arbora.training import train_file
from arbora.treebank import Constituent

TREES = [
    Constituent.from_string(text)
    for text in (
        "((S (NP-SBJ (DT The) (JJ old) (NN dog)) (VP (VBZ barks)) (. .)))",
        "((S (NP (PRP She)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with) (NP (NNS nets)))) (. .)))",
        "((S (NP (NNS Dogs)) (VP (VBP bark))))",
        "((S (NP (NP (DT the) (NN man)) (PP (IN with) (NP (DT the) (NN dog)))) (VP (VBZ sleeps)) (. .)))",
        "((S (NP (-NONE- *)) (VP (VB Go))))",
        "((FRAG (NP (NN Rain)) (. .)))",
        "((S (NP (PRP He)) (VP (VBD said) (SBAR (S (NP (PRP she)) (VP (VBD slept))))) (. .)))",
        "((SBARQ (WHNP (WP Who)) (SQ (VP (VBZ barks))) (. ?)))",
    )
]
SMALL = SpanOptions(epochs=6, most=0, rate=0.1, coarse_epochs=2, folds=2, bits=(14, 16))


@pytest.fixture(scope="module")
def parser() -> SpanParser:
    return train_span_parser(TREES, TREES, SMALL)


@pytest.fixture(scope="module")
def unsure(parser) -> SpanParser:
    """The same one, with probabilities that are neither 0 nor 1."""
    return SpanParser({**parser.header, "scale": 0.02, "threshold": 0.05}, parser.tensors)


def sentence(text: str) -> TaggedWords:
    """Of ``word/tag`` pairs."""
    pairs = [pair.rsplit("/", 1) for pair in text.split()]
    return TaggedWords([word for word, _ in pairs], [tag for _, tag in pairs])


DOG = sentence("the/DT dog/NN saw/VBD a/DT man/NN with/IN a/DT net/NN ./.")
SHORT = sentence("the/DT man/NN with/IN rain/NN")
ALL = 10000
"""More trees than the short sentence has."""


@pytest.mark.parametrize("grows", ["left", "right"])
def test_every_tree_is_what_its_nodes_say(grows):
    trees = [tree.without_traces() for tree in TREES]
    symbols = Symbols.of(trees, grows)
    for tree in trees:
        nodes = symbols.nodes(tree)
        assert nodes is not None
        words = tagged_words(tree)
        assert len(nodes) == 2 * len(words.words) - 1
        constituents = [node for node in nodes if 0 < node[2] <= len(symbols.chains)]
        assert symbols.tree(constituents, words) == tree
    assert Symbols.from_plain(symbols.as_plain()) == symbols


def test_binarised_trees_grow_to_one_side():
    tree = unwrapped(TREES[0].without_functions())
    right, left = (
        [node[:2] for node in binarised(tree, grows) if node.is_piece] for grows in ("right", "left")
    )
    assert right == [(1, 3), (3, 5)]
    assert left == [(0, 4), (0, 2)]


def test_a_deep_tree_is_binarised():
    tree = Constituent("NN", ["word"])
    for _ in range(3000):
        tree = Constituent("NP", [tree, Constituent("NN", ["word"])])
    assert len(binarised(tree)) == 6001


def test_what_was_learned_is_found_again(parser):
    trees = [tree.without_traces().without_functions() for tree in TREES]
    found = parser.parse([tagged_words(tree) for tree in trees], probabilities=True)
    assert [str(parsed.tree) for parsed in found] == [str(tree) for tree in trees]
    for parsed in found:
        assert parsed.log_probability <= 0
        assert len(parsed.span_probabilities) == len(parsed.tree.spans())
        assert all(0 <= p <= 1 + 1e-9 for p in parsed.span_probabilities)


def test_probabilities_are_those_of_all_trees(unsure):
    ranked = unsure.parse_kbest([SHORT], ALL)[0]
    chances = [math.exp(found.log_probability) for found in ranked]
    assert 20 < len(ranked) < ALL
    assert math.fsum(chances) == pytest.approx(1, abs=1e-9)
    assert len({str(found.tree) for found in ranked}) == len(ranked)
    np.testing.assert_allclose(chances, sorted(chances, reverse=True), rtol=0, atol=1e-9)
    spans: dict[tuple[str, int, int], float] = {}
    for found, chance in zip(ranked, chances, strict=True):
        for span in brackets(found.tree):
            spans[span] = spans.get(span, 0.0) + chance
    given = unsure.probabilities([SHORT])[0]
    for span in spans.keys() | given.keys():
        assert given.get(span, 0.0) == pytest.approx(spans.get(span, 0.0), abs=1e-9)
    best = unsure.parse([SHORT], probabilities=True)[0]
    for span, chance in zip(best.tree.spans(), best.span_probabilities, strict=True):
        assert chance == pytest.approx(spans[span] if span[0] else 1, abs=1e-9)


def test_the_best_tree_is_the_first_of_many(parser):
    best, ranked = parser.parse([DOG])[0], parser.parse_kbest([DOG], 5)[0]
    assert str(best.tree) == str(ranked[0].tree)
    assert best.log_probability == ranked[0].log_probability


def test_samples_depend_on_the_seed_alone(unsure):
    one = unsure.samples([SHORT, SHORT], 20, seed=3)
    two = unsure.samples([SHORT, SHORT], 20, seed=3, threads=2)
    assert [[str(f.tree) for f in own] for own in one] == [[str(f.tree) for f in own] for own in two]
    assert len({str(found.tree) for found in one[0]}) > 1
    possible = {str(found.tree): found.log_probability for found in unsure.parse_kbest([SHORT], ALL)[0]}
    for found in one[0]:
        assert possible[str(found.tree)] == pytest.approx(found.log_probability, abs=1e-9)


def test_the_tree_of_minimum_risk_has_it(unsure):
    found = unsure.minimum_risk([SHORT])[0]
    own = unsure.probabilities([SHORT])[0]
    gains = {str(other.tree): _gain(other.tree, own) for other in unsure.parse_kbest([SHORT], ALL)[0]}
    assert gains[str(found.tree)] == pytest.approx(max(gains.values()), abs=1e-9)


def _gain(tree: Constituent, spans: dict[tuple[str, int, int], float]) -> float:
    return sum(2 * spans[span] - 1 for span in brackets(tree))


def test_threads_and_batches_change_nothing(parser):
    sentences = [DOG, sentence("Dogs/NNS bark/VBP"), sentence("x/Y")] * 3
    one = parser.parse(sentences, threads=1, probabilities=True)
    assert one == parser.parse(sentences, threads=2, probabilities=True)
    assert one[:2] == parser.parse(sentences[:2], probabilities=True)


@pytest.mark.parametrize("n", [1, 2, 3, 300])
def test_unknown_words_and_tags_get_a_tree(parser, n):
    words = TaggedWords([f"w{i}é" for i in range(n)], ["??"] * n)
    found = parser.parse([words])[0]
    assert tagged_words(found.tree) == TaggedWords(list(words.words), list(words.tags))
    assert found.tree.label == ""


def test_no_sentences_no_trees(parser):
    assert parser.parse([]) == []
    assert parser.probabilities([]) == []


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (TaggedWords([], []), "sentence 1 has no words"),
        (TaggedWords(["a"], []), "sentence 1 has 1 words but 0 tags"),
        (TaggedWords(["\ud800"], ["A"]), "no Unicode text"),
    ],
)
def test_bad_sentences_are_refused(parser, bad, reason):
    with pytest.raises(ArboraError, match=reason):
        parser.parse([bad])


def brackets(tree: Constituent) -> set[tuple[str, int, int]]:
    return {span for span in tree.spans() if span[0]}


def test_given_brackets_are_there(parser):
    for start in range(9):
        for end in range(start + 1, 10):
            rule = SpanConstraints(given=[(start, end)])
            found = parser.parse_kbest([DOG], 3, constraints=[rule])[0]
            assert all((start, end) in {span[1:] for span in brackets(one.tree)} for one in found)
    rule = SpanConstraints(given=[(3, 6, "VP"), (3, 5, "S"), (0, 9, "FRAG"), (2, 3, "NP")])
    tree = parser.parse_kbest([DOG], 1, constraints=[rule])[0][0].tree
    assert {("VP", 3, 6), ("S", 3, 5), ("FRAG", 0, 9), ("NP", 2, 3)} <= brackets(tree)


def test_forbidden_brackets_are_not_there(parser):
    every = [(start, end) for start in range(9) for end in range(start + 1, 10) if (start, end) != (0, 9)]
    flat = parser.parse_kbest([DOG], 4, constraints=[SpanConstraints(forbidden=every)])[0]
    assert all({span[1:] for span in brackets(found.tree)} == {(0, 9)} for found in flat)
    rule = SpanConstraints(forbidden=[(0, 2, "NP"), (0, 9, "S")])
    for found in parser.samples([DOG], 20, constraints=[rule])[0]:
        assert not {("NP", 0, 2), ("S", 0, 9)} & brackets(found.tree)


def test_given_labels_hold_where_there_is_a_bracket(unsure):
    rule = SpanConstraints(labels=[(0, 2, "PP"), (3, 5, "VP")])
    for found in unsure.parse_kbest([DOG], 20, constraints=[rule])[0]:
        assert ("NP", 0, 2) not in brackets(found.tree) or ("PP", 0, 2) in brackets(found.tree)
    own = unsure.probabilities([DOG], constraints=[rule])[0]
    assert all(label == "PP" or own.get(("PP", 0, 2), 0) > 0 for label, *span in own if span == [0, 2])


def test_constraints_renormalise(unsure):
    """If the small model keeps all, a given bracket divides chances by how probable it was."""
    wide = SpanParser({**unsure.header, "threshold": 0.0, "most": 0}, unsure.tensors)
    short = sentence("a/DT dog/NN barks/VBZ")
    chance = wide.probabilities([short])[0]["NP", 0, 2]
    before = {str(found.tree): found.log_probability for found in wide.parse_kbest([short], 50)[0]}
    rule = SpanConstraints(given=[(0, 2, "NP")])
    after = {str(found.tree): found for found in wide.parse_kbest([short], 50, constraints=[rule])[0]}
    assert before.keys() & after.keys()
    for text in before.keys() & after.keys():
        assert ("NP", 0, 2) in brackets(after[text].tree)
        assert after[text].log_probability == pytest.approx(before[text] - math.log(chance), abs=1e-9)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (SpanConstraints(given=[(0, 10)]), "no bracket from 0 to 10 in a sentence of 9 words"),
        (SpanConstraints(forbidden=[(2, 2)]), "no bracket from 2 to 2"),
        (SpanConstraints(given=[(0, 2, "XYZ")]), "knows no label 'XYZ'"),
        (SpanConstraints(given=[(0, 3), (2, 5)]), "no tree of sentence 1 obeys"),
        (SpanConstraints(given=[(0, 9)], forbidden=[(0, 9)]), "no tree of sentence 1 obeys"),
    ],
)
def test_constraints_that_cannot_hold_are_refused(parser, rule, reason):
    with pytest.raises(ArboraError, match=reason):
        parser.parse_kbest([DOG], 1, constraints=[rule])


def test_every_sentence_needs_constraints(parser):
    with pytest.raises(ArboraError, match="1 constraints for 2 sentences"):
        parser.parse_kbest([DOG, DOG], 1, constraints=[None])


@pytest.mark.parametrize("compact", [False, True])
def test_a_file_holds_the_parser(parser, tmp_path, compact):
    path = tmp_path / "spans.model"
    parser.save(path, compact_weights=compact)
    loaded = load_component(path)
    assert isinstance(loaded, SpanParser)
    assert str(loaded.parse([DOG])[0].tree) == str(parser.parse([DOG])[0].tree)


@pytest.mark.parametrize(
    "change",
    [{"symbols": {}}, {"bits": [3, 3]}, {"threshold": 2}, {"scale": 0}, {"templates": "[nodes]\nlast.foo"}],
)
def test_a_header_that_makes_no_parser_is_refused(parser, tmp_path, change):
    from arbora.models import write_model

    path = tmp_path / "bad.model"
    write_model(path, {**parser.header, **change}, parser.tensors)
    with pytest.raises(FileError, match="this is no span parser that Arbora can use"):
        SpanParser.load(path)


def parts_of(parser: SpanParser) -> dict[str, bytes]:
    return {name: np.asarray(tensor).tobytes() for name, tensor in parser.tensors.items()}


def test_threads_do_not_change_what_is_learned(parser):
    assert parts_of(train_span_parser(TREES, TREES, SMALL, threads=2)) == parts_of(parser)


def test_a_run_goes_on_to_the_same_bytes(parser, tmp_path):
    class StopError(Exception):
        pass

    for steps in (1, 3, 7):
        path, seen = tmp_path / f"{steps}.checkpoint", 0

        def stop(report, steps=steps):
            nonlocal seen
            seen += 1
            if seen == steps:
                raise StopError

        with pytest.raises(StopError):
            train_span_parser(TREES, TREES, SMALL, checkpoint=path, progress=stop)
        again = train_span_parser(TREES, TREES, SMALL, checkpoint=path, resume=True)
        assert parts_of(again) == parts_of(parser)
        assert again.header == parser.header
        assert not os.path.exists(path)


def test_from_file_to_file(tmp_path):
    source, output = tmp_path / "train.mrg", tmp_path / "m.model"
    source.write_text("\n".join(map(str, TREES)), "utf-8")
    made = train_file("span-parser", str(source), str(output), dev=str(source), options=SMALL)
    assert str(SpanParser.load(output).parse([DOG])[0].tree)
    assert made.bytes == output.stat().st_size


@pytest.mark.parametrize("loss", ["crf", "svm", "perceptron"])
def test_losses_learn(loss):
    options = replace(SMALL, loss=loss, gamma=None, epochs=6, folds=0)
    trees = [tree.without_traces().without_functions() for tree in TREES]
    found = train_span_parser(TREES, options=options, dev_fraction=0.0).parse(
        [tagged_words(tree) for tree in trees]
    )
    assert evaluate_brackets(trees, [parsed.tree for parsed in found]).all.brackets.f1 > 0.9


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"epochs": 0}, "epochs"),
        ({"folds": 1}, "folds"),
        ({"threshold": 1.0}, "threshold"),
        ({"grows": "up"}, "grows"),
        ({"bits": (22,)}, "bits"),
        ({"loss": "hinge"}, "no loss 'hinge'"),
        ({"learner": "adam"}, "no learner 'adam'"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, reason):
    with pytest.raises(ArboraError, match=reason):
        SpanTask(TREES, None, SpanOptions(**options))


def test_training_data_without_constituents_is_refused():
    with pytest.raises(ArboraError, match="no words"):
        SpanTask([], None, SMALL)
    with pytest.raises(ArboraError, match="no constituents"):
        SpanTask([Constituent.from_string("(NN x)")], None, SMALL)


def test_one_tree_of_one_word_is_enough():
    tree = Constituent.from_string("(NP (NN rain))")
    parser = train_span_parser([tree], options=replace(SMALL, folds=0))
    assert parser.parse([tagged_words(tree)])[0].tree == tree
    assert tagged_words(parser.parse([DOG])[0].tree) == TaggedWords(list(DOG.words), list(DOG.tags))


def test_unary_loops_and_several_trees_on_top():
    trees = [
        Constituent.from_string(text)
        for text in ("(NP (NP (NN rain)))", "((S (VP (VB go))) (S (VP (VB stop))))", "((NN word))")
    ]
    parser = train_span_parser(trees, options=replace(SMALL, epochs=8, folds=0))
    found = parser.parse([tagged_words(tree) for tree in trees])
    assert [str(parsed.tree) for parsed in found[1:]] == [str(tree) for tree in trees[1:]]
    assert str(found[0].tree) == "((NP (NP (NN rain))))"


def test_labels_of_dev_that_training_never_saw():
    dev = [Constituent.from_string("((XX (YY (NN rain)) (ZZ (NN snow))))")]
    parser = train_span_parser(TREES, dev, SMALL)
    assert parser.header["report"]["pruning"]["lost"] >= 0


def test_templates_are_files():
    text = str(default_templates())
    assert str(SpanTemplates.parse(text)) == text
    for line, reason in (
        ("[nodes]\nsplit.xpos", "knows no split"),
        ("[coarse]\nfirst.length", "is no atom"),
        ("[rules]\nsplit.xpos : child", "stand one or more of"),
        ("[nodes]\nspan+1.length", "no neighbours"),
    ):
        with pytest.raises(FileError, match=reason):
            SpanTemplates.parse(line)
    with pytest.raises(ArboraError, match=r"no section \[rules\]"):
        SpanTask(TREES, None, SMALL, templates=SpanTemplates.parse("[coarse]\nbias\n[nodes]\nbias"))
