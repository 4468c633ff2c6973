"""Scores from outside: the same answers as native parsers have by them, and as enumeration has."""

from __future__ import annotations

from math import exp, inf, log

import numpy as np
import pytest
from contract.test_part_graphs import CHARTED, MODELS, draw_parser, draw_sentence, models, roots
from contract.test_trees_scores import draw, families, kinds
from oracles import trees as oracle
from oracles.features import all_arcs
from oracles.parsing import random_parser
from oracles.part_trees import PartTrees

from arbora.dependency import (
    PART_COLUMNS,
    ArrayParser,
    ArrayScores,
    DependencyParser,
    ParseOptions,
    PartScores,
    Rules,
    parse_with_rules,
    preset_templates,
)
from arbora.dependency.array_parts import checked_parts
from arbora.dependency.options import GRAPH_SOLVERS, SOLVERS
from arbora.errors import ArboraError, InfeasibleTreeError, InvalidScoresError
from arbora.features import PARTS, Templates
from arbora.treebank import Sentence

WHOLE = preset_templates("first-order")
JOINT = str(Templates(arcs=WHOLE.arcs, labels=WHOLE.labels))


def native_scores(parser: DependencyParser, sentences: list[Sentence]) -> ArrayScores:
    """What a native parser scores all arcs and labels with, as arrays; parts of a parser that has some."""
    arcs, parts = [], {kind: [] for kind in PARTS}
    for sentence in sentences:
        n, scorer, every = len(sentence), parser._scorer([sentence]), all_arcs(len(sentence))
        table = np.full((n + 1, n + 1, len(parser.labels)), -inf)
        for (head, modifier), row in zip(every, scorer.label_scores(0, every), strict=True):
            table[head, modifier] = row
        arcs.append(table)
        for kind, (words, codes, scores) in zip(PARTS, scorer.part_scores(0, every), strict=True):
            parts[kind].append(PartScores(words[:, : len(PART_COLUMNS[kind])], scores, codes))
    used = {kind: own for kind, own in parts.items() if any(len(part.scores) for part in own)}
    return ArrayScores(arcs, parts=used)


def flat(arrays: list[np.ndarray] | None) -> np.ndarray | None:
    return None if arrays is None else np.concatenate(arrays).astype(np.int32)


def check_same(native: DependencyParser, sentences, scores, options: ParseOptions, heads=None, labels=None):
    """All that parsing says, by the native parser and by arrays."""
    scorer = native._scorer(sentences)
    expected = native._parse_batch(scorer, options, flat(heads), flat(labels))
    found = ArrayParser(native.labels).parse(scores, options, given_heads=heads, given_labels=labels)
    assert not expected.reasons
    assert np.concatenate(found.heads).tolist() == expected.parses.heads.tolist()
    assert np.concatenate(found.labels).tolist() == expected.parses.labels.tolist()
    assert found.gaps == pytest.approx(expected.gaps, abs=1e-9)
    if options.probabilities:
        for name in ("head_probabilities", "label_probabilities"):
            own = np.concatenate(getattr(found, name))
            assert own == pytest.approx(getattr(expected.parses, name), abs=1e-9)
        assert found.log_probabilities == pytest.approx(expected.parses.log_probabilities, abs=1e-9)
    return found


def check_same_kbest(native: DependencyParser, sentences, scores, options: ParseOptions, heads=None, k=7):
    expected = native._kbest_batch(native._scorer(sentences), k, options, flat(heads))
    found = ArrayParser(native.labels).kbest(scores, k, options, given_heads=heads)
    for own, (own_heads, own_labels, logs, _) in zip(found, expected, strict=True):
        assert own.log_probabilities == pytest.approx(logs, abs=1e-9)
        assert own.heads.tolist() == own_heads.tolist()
        assert own.labels is not None
        assert own.labels.tolist() == own_labels.tolist()


def draw_given(rng, lengths: list[int]) -> list[np.ndarray]:
    """Some heads of a chain, in which every word but the first hangs from the one before it."""
    chains = [np.arange(-1, n) for n in lengths]
    for chain in chains:
        chain[1:][rng.random(len(chain) - 1) < 0.6] = -1
    return chains


# ---- native parsers ----


@kinds
def test_a_native_first_order_parser(kind):
    """The same heads, labels, probabilities and k best trees, with and without given heads and labels."""
    rng = np.random.default_rng([1, *kind.values()])
    for trial in range(6):
        scale = float(rng.choice([0.02, 0.1, 0.4, 5.0]))
        parser = random_parser(rng, templates=JOINT, labels=3, scale=scale, bits=12)
        lengths = [1, 2, 3, 7, 12, 20][: 3 + trial]
        sentences = [draw_sentence(rng, n) for n in lengths]
        scores = native_scores(parser, sentences)
        heads = draw_given(rng, lengths)
        labels = [np.where(rng.random(n + 1) < 0.3, rng.integers(3, size=n + 1), -1) for n in lengths]
        for decoder in ("best", "mbr"):
            options = ParseOptions(**kind, decoder=decoder, probabilities=True)
            check_same(parser, sentences, scores, options)
            check_same(parser, sentences, scores, options, heads)
            check_same(parser, sentences, scores, options, heads, labels)
            check_same(parser, sentences, scores, options, None, labels)
            check_same(parser, sentences, scores, ParseOptions(**kind, decoder=decoder))
        check_same_kbest(parser, sentences, scores, ParseOptions(**kind))
        check_same_kbest(parser, sentences, scores, ParseOptions(**kind), heads)
        tables = ArrayParser(parser.labels).probabilities(scores, ParseOptions(**kind))
        for sentence, own in zip(sentences, tables, strict=True):
            for found, expected in zip(
                own, parser.probabilities(sentence, ParseOptions(**kind)), strict=True
            ):
                assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("projective", [False, True], ids=["crossing", "projective"])
@roots
@models
def test_a_native_parser_with_parts(model, single_root, projective):
    """Fed the parts of a native parser, by every solver of the core: the same, bounds among it."""
    rng = np.random.default_rng([2, list(MODELS).index(model), single_root, projective])
    for lengths in ([1, 2, 4], [6]):
        parser = draw_parser(rng, model)
        parser.header.pop("joint_scale", None)  # of which native parsers leave the best tree free
        parser = DependencyParser(parser.header, parser._weights, parser._pruner_weights)
        sentences = [draw_sentence(rng, n) for n in lengths]
        scores, heads = native_scores(parser, sentences), draw_given(rng, lengths)
        kind = {"single_root": single_root, "projective": projective}
        for solver in SOLVERS:
            more = {"solver": solver, "iterations": 100, "propagations": 5, "constraint": "tree"}
            check_same(parser, sentences, scores, ParseOptions(**kind, **more, probabilities=True))
            check_same(
                parser, sentences, scores, ParseOptions(**kind, **more, certificates=solver != "bp"), heads
            )
        more = {"solver": "dual-decomposition", "iterations": 100, "propagations": 5}
        check_same(parser, sentences, scores, ParseOptions(**kind, **more, decoder="mbr"))
        if projective and model in CHARTED:
            check_same_kbest(parser, sentences, scores, ParseOptions(**kind, **more), heads)


@models
def test_solvers_on_graphs_of_python(model):
    """`graph` has the scores of all trees; solvers of Python find the best one."""
    rng = np.random.default_rng([3, list(MODELS).index(model)])
    parser, sentence = draw_parser(rng, model), draw_sentence(rng, 3)
    parser.header.pop("joint_scale", None)
    parser = DependencyParser(parser.header, parser._weights, parser._pruner_weights)
    scores, arrays = native_scores(parser, [sentence]), ArrayParser(parser.labels)
    trees = PartTrees(parser, sentence, all_arcs(3), single_root=True)
    made = arrays.graph(scores)
    for heads, value in trees.values.items():
        found = made.graph._core.value(trees.assignment(heads, made))
        assert found == pytest.approx(value, abs=1e-9)
    for solver in ("ilp", *(["enumerate"] if made.paths is None else [])):
        parse = arrays.parse(scores, ParseOptions(solver=solver, certificates=True))[0]
        assert trees.value(parse.heads[1:].tolist()) == pytest.approx(trees.best, abs=1e-6)
        assert parse.gap == 0


def test_every_solver_knows_the_best_of_arcs_alone():
    """Without parts the relaxation is exact, messages included: one sure tree, by every solver there is."""
    scores = np.random.default_rng(4).normal(size=(5, 5)) - 8
    heads = [-1, 2, 0, 2, 3]
    scores[heads[1:], range(1, 5)] += 16
    given = [np.array([-1, -1, -1, 4, -1])]
    best_with_given = oracle.mst(np.where(np.eye(5) == 1, -inf, _only(scores, 4, 3)))[0].tolist()
    for solver in SOLVERS + GRAPH_SOLVERS:
        projective = solver == "projective-chart"
        options = ParseOptions(solver=solver, projective=projective)
        assert ArrayParser().parse(ArrayScores([scores]), options)[0].heads.tolist() == heads
        if not projective:
            found = ArrayParser().parse(ArrayScores([scores]), options, given_heads=given)
            assert found[0].heads.tolist() == best_with_given, solver


def _only(scores: np.ndarray, head: int, modifier: int) -> np.ndarray:
    result = scores.copy()
    result[:, modifier] = -inf
    result[head, modifier] = scores[head, modifier]
    return result


# ---- enumeration ----


@pytest.mark.parametrize("labels", [(), (3,)], ids=["bare", "labelled"])
@families
@kinds
def test_enumeration(family, kind, labels):
    parser = ArrayParser(**kind)
    for n in (1, 2, 3) if labels else (1, 2, 3, 4):
        arcs = draw(family, n, *labels, seed=3)
        forest, scores = oracle.forest(arcs, **kind), ArrayScores([arcs])
        tolerance = {"rel": 1e-12, "abs": 1e-9}
        best = parser.parse(scores, ParseOptions(probabilities=True))[0]
        assert oracle.is_tree(best.heads, **kind)
        value = oracle.score_of(arcs, best.heads, best.labels)
        assert value == pytest.approx(forest.best, **tolerance)
        assert best.log_probability == pytest.approx(-log(forest.weights.sum()), abs=1e-7 if value else 1e-9)
        marginals = oracle.marginals(arcs, **kind)
        of_arcs = marginals.sum(axis=2) if labels else marginals
        words = np.arange(1, n + 1)
        assert best.head_probabilities[1:] == pytest.approx(of_arcs[best.heads[1:], words], abs=1e-9)
        heads, of_labels = parser.probabilities(scores)[0]
        assert heads[:, 1:] == pytest.approx(of_arcs[:, 1:], abs=1e-9)
        if labels:
            rows = marginals[best.heads[1:], words] / of_arcs[best.heads[1:], words][:, None]
            assert of_labels[1:] == pytest.approx(rows, abs=1e-9)
            assert best.label_probabilities[1:] == pytest.approx(rows[words - 1, best.labels[1:]], abs=1e-9)
        least = parser.parse(scores, ParseOptions(decoder="mbr"))[0]
        right = marginals[(least.heads[1:], words, *([least.labels[1:]] if labels else []))].sum()
        assert right == pytest.approx(forest.most_right_arcs(), abs=1e-9)
        ranked = parser.kbest(scores, 5)[0]
        expected = np.sort(forest.probabilities)[::-1][:5]
        assert np.exp(ranked.log_probabilities) == pytest.approx(expected, abs=1e-9)


@roots
@models
def test_enumeration_with_parts(model, single_root):
    """Against trees written out: the best of exact solvers, sums by the chart, under given heads too."""
    rng = np.random.default_rng([5, list(MODELS).index(model), single_root])
    for n, projective in ((1, False), (3, False), (4, True)):
        if projective and model not in CHARTED:
            continue
        native, sentence = draw_parser(rng, model), draw_sentence(rng, n)
        native.header.pop("joint_scale", None)
        native = DependencyParser(native.header, native._weights, native._pruner_weights)
        scores = native_scores(native, [sentence])
        parser = ArrayParser(single_root=single_root, projective=projective)
        kind = {"single_root": single_root, "projective": projective}
        trees = PartTrees(native, sentence, all_arcs(n), **kind)
        found = parser.parse(scores, ParseOptions(solver="ilp"))[0]
        assert trees.value(found.heads[1:].tolist()) == pytest.approx(trees.best, abs=1e-6)
        given = [np.array([-1, *rng.permutation(list(trees.values))[0]])]
        given[0][1 + n // 2 :] = -1
        allowed = [
            v
            for t, v in trees.values.items()
            if all(g in (-1, h) for h, g in zip(t, given[0][1:], strict=True))
        ]
        found = parser.parse(scores, ParseOptions(solver="ilp"), given_heads=given)[0]
        assert trees.value(found.heads[1:].tolist()) == pytest.approx(max(allowed), abs=1e-6)
        if projective:
            sums = PartTrees(native, sentence, all_arcs(n), sums=True, **kind)
            top = max(sums.values.values())
            total = sum(exp(value - top) for value in sums.values.values())
            heads, _ = parser.probabilities(scores)[0]
            for head, word in all_arcs(n):
                own = sum(exp(v - top) for t, v in sums.values.items() if t[word - 1] == head)
                assert heads[head, word] == pytest.approx(own / total, abs=1e-9)


def test_labels_that_follow_the_tree():
    """The best label of each arc of the best tree, which labels do not change, and its probability."""
    rng = np.random.default_rng(6)
    arcs, labels = rng.normal(size=(6, 6)), 4 * rng.normal(size=(6, 6, 4))
    parse = ArrayParser().parse(ArrayScores([arcs], labels=[labels]), ParseOptions(probabilities=True))[0]
    bare = ArrayParser().parse(ArrayScores([arcs]), ParseOptions(probabilities=True))[0]
    words = np.arange(1, 6)
    rows = labels[bare.heads[1:], words]
    of_labels = np.exp(rows) / np.exp(rows).sum(axis=1, keepdims=True)
    assert parse.heads.tolist() == bare.heads.tolist()
    assert parse.labels[1:].tolist() == rows.argmax(axis=1).tolist()
    assert parse.label_probabilities[1:] == pytest.approx(of_labels.max(axis=1), abs=1e-9)
    expected = bare.log_probability + np.log(of_labels.max(axis=1)).sum()
    assert parse.log_probability == pytest.approx(expected, abs=1e-9)


# ---- batches ----


def test_padding_threads_and_kinds_of_array_change_nothing():
    rng = np.random.default_rng(7)
    lengths = [4, 1, 0, 6, 3]
    padded = rng.normal(size=(5, 9, 9, 3)).astype(np.float32)
    each = [np.array(padded[i, : n + 1, : n + 1], np.float64) for i, n in enumerate(lengths)]
    for own, n in zip(padded, lengths, strict=True):
        own[n + 1 :], own[:, n + 1 :] = np.nan, np.inf  # what nobody looks at
    padded.flags.writeable = False
    options = ParseOptions(probabilities=True)
    expected = ArrayParser().parse(ArrayScores(each), options)
    for threads in (1, 3):
        found = ArrayParser().parse(
            ArrayScores(padded, lengths=lengths), ParseOptions(probabilities=True, threads=threads)
        )
        assert found.heads.shape == found.head_probabilities.shape == (5, 9)
        for place, n in enumerate(lengths):
            assert found[place].heads.tolist() == expected[place].heads.tolist()
            assert found.heads[place, : n + 1].tolist() == expected[place].heads.tolist()
            assert (found.heads[place, n + 1 :] == -1).all()
            assert found[place].label_probabilities.tolist() == expected[place].label_probabilities.tolist()
    assert [len(parse.heads) for parse in expected] == [5, 2, 1, 7, 4]
    assert found[-1].log_probability == expected[4].log_probability


def test_nothing_and_little():
    parser = ArrayParser()
    assert list(parser.parse(ArrayScores([]))) == []
    assert parser.parse(ArrayScores(np.zeros((0, 3, 3)))).heads.shape == (0, 3)
    assert parser.kbest(ArrayScores([]), 2) == []
    none, one = parser.parse(ArrayScores([np.zeros((1, 1)), np.full((2, 2), -3.0)]))
    assert none.heads.tolist() == [-1]
    assert one.heads.tolist() == [-1, 0]


def test_pruning_keeps_what_is_probable():
    rng = np.random.default_rng(8)
    arcs = [3 * rng.normal(size=(n + 1, n + 1)) for n in (3, 8, 15)]
    pruned = ArrayParser(threshold=0.2, most_heads=3)
    for place, own in enumerate(arcs):
        scores = ArrayScores([own])
        marginals = ArrayParser().probabilities(scores)[0][0]
        made = pruned.graph(scores)
        left = set(zip(made.heads.tolist(), made.modifiers.tolist(), strict=True))
        best = ArrayParser().parse(scores, ParseOptions(decoder="mbr"))[0].heads
        for head, word in all_arcs(len(own) - 1):
            ranked = np.sort(marginals[:, word])[::-1]
            likely = marginals[head, word] >= max(0.2 * ranked[0], ranked[min(2, len(ranked) - 1)])
            assert ((head, word) in left) == bool(likely or best[word] == head), place
        assert pruned.parse(scores, ParseOptions(decoder="mbr"))[0].heads.tolist() == best.tolist()


# ---- rules ----

RULES = "no arc from upos=VERB to upos=NOUN\nat most 1 A under any\nlabel of upos=VERB is A,B"


def test_rules_by_arrays_are_rules_by_a_native_parser():
    rng = np.random.default_rng(9)
    rules = Rules.parse(RULES)
    changed = 0
    for n in (1, 2, 4, 6):
        native = random_parser(rng, templates=JOINT, labels=3, scale=0.4, bits=12)
        native.header.pop("joint_scale", None)
        native = DependencyParser(native.header, native._weights, native._pruner_weights)
        sentences = [draw_sentence(rng, n) for _ in range(3)]
        scores = native_scores(native, sentences)
        expected = list(parse_with_rules(native, [s.copy() for s in sentences], rules))
        found = list(parse_with_rules(ArrayParser(native.labels), sentences, rules, scores=scores))
        plain = ArrayParser(native.labels).parse(scores)
        for own, twin, free in zip(found, expected, plain, strict=True):
            assert not rules.violations(own)
            assert (own.heads, own.deprels) == (twin.heads, twin.deprels)
            changed += own.heads != free.heads[1:].tolist()
    assert changed


# ---- what is refused ----


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ArrayScores([np.zeros((3, 4))]), "sentence 0 of the batch: arcs must have the shape"),
        (lambda: ArrayScores([np.zeros(3)]), "must have the shape"),
        (lambda: ArrayScores([np.zeros((2, 2)), np.zeros((2, 2, 2))]), "sentence 1 of the batch: arcs"),
        (lambda: ArrayScores([np.zeros((2, 2, 3)), np.zeros((2, 2, 2))]), "different numbers of labels"),
        (lambda: ArrayScores([np.zeros((2, 2, 0))]), "at least one of the labels"),
        (lambda: ArrayScores(np.zeros((3, 3))), "one sentence's array goes into a list"),
        (lambda: ArrayScores(np.zeros((1, 3, 3)), lengths=[3]), "between 0 and 2 words"),
        (lambda: ArrayScores(np.zeros((1, 3, 3)), lengths=[1, 1]), "1 sentences, and 2 lengths"),
        (lambda: ArrayScores([np.zeros((3, 3))], lengths=[2]), "lengths are for padded arrays"),
        (lambda: ArrayScores([np.full((3, 3), np.nan)]), "sentence 0 of the batch: arcs have a nan"),
        (lambda: ArrayScores([np.full((3, 3), np.inf)]), "arcs have a nan or an infinity"),
        (lambda: ArrayScores([np.array([["a"]])]), "arcs are no numbers"),
        (lambda: ArrayScores([np.zeros((3, 3))], labels=np.zeros((1, 3, 3, 2))), "all padded, or all lists"),
        (lambda: ArrayScores([np.zeros((3, 3))], labels=[np.zeros((2, 2, 2))]), "labels must have the shape"),
        (lambda: ArrayScores([np.zeros((3, 3))], tag_links=[np.zeros((3, 3, 2, 2))]), "go with scores"),
        (lambda: ArrayScores([np.zeros((3, 3))], parts={"cousins": [((), ())]}), "no kind of part 'cousins'"),
        (lambda: ArrayScores([np.zeros((3, 3))], parts={"grandparents": []}), "1 sentences need as many"),
        (lambda: _with_parts([[1, 2]]), "grandparents have 3 words (head, modifier, grandparent)"),
        (lambda: _with_parts([[1, 2, 3]]), "no such part of this sentence: head 1, modifier 2, grand"),
        (lambda: _with_parts([[1, 2, 2]]), "no such part"),
        (lambda: _with_parts([[1.5, 2, 0]]), "words and codes are integers"),
        (lambda: _with_parts([[1, 2, 0]], scores=[np.inf]), "finite"),
        (lambda: _with_parts([[1, 2, 0]], scores=[1.0, 2.0]), "1 parts have as many scores"),
        (lambda: ArrayParser().parse(_with_parts([[1, 2, 0], [1, 2, 0]])), "a part is listed twice"),
        (lambda: ArrayParser(threshold=1.0), "threshold must be"),
        (lambda: ArrayParser(solver="luck"), "there is no solver 'luck'"),
        (lambda: ArrayParser(["a"]).parse(ArrayScores([np.zeros((2, 2, 2))])), "1 labels, and the scores"),
        (lambda: _given([np.array([-1, 3, 0])]), "between 0 and 2"),
        (lambda: _given([np.array([-1, 1, 0])]), "a word is its own head"),
        (lambda: _given([np.array([0, 1])]), "there must be 3 integers"),
        (lambda: _given([]), "there are 1 sentences, and 0 arrays"),
        (lambda: _given([np.array([-1, 2, 1])]), "sentence 0 of the batch has no tree"),
        (lambda: ArrayParser().parse(ArrayScores([np.full((3, 3), -inf)])), "sentence 0 of the batch has no"),
        (lambda: ArrayParser().kbest(ArrayScores([np.zeros((2, 2))]), 0), "k must be at least 1"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_line(make, message):
    with pytest.raises(ArboraError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    if message.startswith("sentence 0 of the batch has no"):
        assert isinstance(caught.value, InfeasibleTreeError)
    if "nan" in message:
        assert isinstance(caught.value, InvalidScoresError)


def _with_parts(words: list, scores=None) -> ArrayScores:
    given = np.ones(len(words)) if scores is None else np.array(scores)
    return ArrayScores([np.zeros((3, 3))], parts={"grandparents": [PartScores(np.array(words), given)]})


def _given(heads: list) -> None:
    ArrayParser().parse(ArrayScores([np.zeros((3, 3))]), given_heads=heads)


def test_every_kind_of_part_lists_what_the_core_lists():
    """All parts of the core pass the checks as they are; others are refused."""
    assert list(PART_COLUMNS) == list(PARTS)
    for kind in PARTS:
        rng = np.random.default_rng(list(PARTS).index(kind))
        for n in (1, 2, 3, 5):
            native, sentence = draw_parser(rng, kind), draw_sentence(rng, n)
            words, codes, scores = native._scorer([sentence]).part_scores(0, all_arcs(n))[
                list(PARTS).index(kind)
            ]
            names = {(*row, code) for row, code in zip(words.tolist(), codes.tolist(), strict=True)}
            assert len(names) == len(words)  # codes tell apart what words do not
            columns = len(PART_COLUMNS[kind])
            same, same_codes = checked_parts(kind, PartScores(words[:, :columns], scores, codes), n)
            assert same.tolist() == words.tolist()
            assert same_codes.tolist() == codes.tolist()
            known = {(*row[:columns], code) for row, code in zip(words.tolist(), codes.tolist(), strict=True)}
            drawn = rng.integers(n + 1, size=(200, columns))
            for row, code in zip(drawn.tolist(), rng.integers(3, size=200).tolist(), strict=True):
                try:
                    one, _ = checked_parts(kind, PartScores(np.array([row]), np.ones(1), np.array([code])), n)
                    assert (*one[0, :columns].tolist(), code) in known
                except InvalidScoresError:
                    assert (*row, code) not in known
