"""Losses over what head automata choose alone: values and gradients are those of all of Z, written out."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from contract.test_part_losses import Case as NativeCase
from contract.test_trees_scores import FAMILIES
from oracles.features import all_arcs
from oracles.outer import Structure, cost, of_tree, structures
from oracles.parts import KINDS, Piece
from oracles.trees import all_trees
from small_training import changed, treebank

from arbora.dependency import ArrayParser, ArrayScores, DependencyParser, PartScores, batch_loss, train
from arbora.dependency.options import AUTOMATA_PARTS
from arbora.errors import ArboraError

SECTIONS = [
    ["consecutive-siblings"],
    ["grandparents"],
    ["consecutive-siblings", "grandparents"],
    list(AUTOMATA_PARTS),
]
MODEL_OF = {
    ("consecutive-siblings",): "consecutive-siblings",
    ("grandparents",): "grandparents",
    ("consecutive-siblings", "grandparents"): "siblings and grandparents",
    AUTOMATA_PARTS: "all of siblings and grandparents",
}
HARD = ["normal", "tied", "equal", "sparse", "very sparse", "extreme", "shifted up", "shifted down"]
families = pytest.mark.parametrize("family", HARD)
sections_of = pytest.mark.parametrize(
    "sections", SECTIONS, ids=lambda sections: f"{len(sections)} {sections[-1]}"
)


class Case:
    """Scores of a sentence, a tree that is right, and everything in Z."""

    def __init__(self, rng, family: str, n: int, label_count: int, sections: list[str]) -> None:
        self.sections, self.label_count = sections, label_count
        self.values = FAMILIES[family](rng, (n + 1, n + 1, label_count or 1))
        self.arcs = {
            (h, m, k): float(self.values[h, m, k])
            for h, m, k in np.ndindex(self.values.shape)
            if m and h != m and self.values[h, m, k] > -inf
        }
        pairs = sorted({(h, m) for h, m, _ in self.arcs}, key=lambda arc: arc[::-1])
        self.pieces = {
            section: [piece for piece in KINDS[section].list(n, pairs) if not in_circle(section, piece)]
            for section in sections
        }
        self.scores = {section: draw_parts(rng, family, len(own)) for section, own in self.pieces.items()}
        self.parts = {
            (section, piece): float(score)
            for section, own in self.pieces.items()
            for piece, score in zip(own, self.scores[section], strict=True)
        }
        trees = [
            tree
            for tree in all_trees(n, single_root=False).tolist()
            if set(zip(tree[1:], range(1, n + 1), strict=True)) <= set(pairs)
        ]
        self.heads = trees[rng.integers(len(trees))]
        self.labels = [-1] + [
            int(rng.choice([k for h, m, k in self.arcs if (h, m) == (self.heads[word], word)]))
            for word in range(1, n + 1)
        ]
        self.gold = of_tree(self.heads, self.labels, self.arcs, self.parts, sections)
        self.every = list(structures(n, self.arcs, self.parts, sections))

    def loss(self, loss: str) -> tuple[float, np.ndarray, dict]:
        """The core's: value, gradient of arcs, gradients of parts."""
        parts = {
            section: [PartScores(*columns(section, own), self.scores[section], codes(section, own))]
            for section, own in self.pieces.items()
        }
        scores = ArrayScores([self.values if self.label_count else self.values[:, :, 0]], parts=parts)
        named = [np.array(self.labels)] if self.label_count else None
        losses, found = batch_loss(
            scores, [np.array(self.heads)], named,
            loss=loss, outer="automata", parser=ArrayParser(single_root=False),
        )  # fmt: skip
        return losses[0], found.arcs[0].reshape(self.values.shape), {k: v[0] for k, v in found.parts.items()}

    def best(self, gamma: float) -> tuple[float, list[Structure]]:
        """The loss, and what has it."""
        margins = [z.score + gamma * cost(z.arcs, self.gold.arcs) for z in self.every]
        top = max(margins)
        size = 1e-12 * max(1.0, *map(abs, [*self.arcs.values(), *self.parts.values()])) * len(self.values)
        tied = [z for z, margin in zip(self.every, margins, strict=True) if margin >= top - 1e-9 - size]
        return top - self.gold.score, tied


def in_circle(section: str, piece: Piece) -> bool:
    """Whether a part has a grandparent below its head, which no automaton takes."""
    return section == "grand-siblings" and piece.fourth in (piece.modifier, piece.third) and piece.fourth > 0


def columns(section: str, pieces: list[Piece]) -> tuple[np.ndarray]:
    width = 4 if section == "grand-siblings" else 3
    return (np.array([piece[:width] for piece in pieces], np.int32).reshape(-1, width),)


def codes(section: str, pieces: list[Piece]) -> np.ndarray:
    """Sides of heads without modifiers."""
    per_side = 3 if section == "grand-siblings" else 1
    return np.array(
        [
            (p.direction - 1) // per_side % 2
            if section != "grandparents" and p.modifier == p.third == p.head
            else 0
            for p in pieces
        ],
        np.int32,
    )


def draw_parts(rng, family: str, count: int) -> np.ndarray:
    if family in ("tied", "equal"):
        return rng.integers(-1, 2, count).astype(float)
    return rng.normal(size=count) * (1e5 if family == "extreme" else 1.0)


@pytest.mark.parametrize(("loss", "gamma"), [("perceptron", 0.0), ("svm", 1.0)])
@sections_of
@families
def test_values_and_gradients(family, sections, loss, gamma):
    rng = np.random.default_rng([HARD.index(family), SECTIONS.index(sections)])
    no_trees = 0
    for n, labels in ((1, 0), (1, 2), (2, 0), (2, 2), (3, 0)):
        case = Case(rng, family, n, labels, sections)
        value, of_arcs, of_parts = case.loss(loss)
        expected, tied = case.best(gamma)
        size = np.abs(np.where(np.isfinite(case.values), case.values, 0)).max() * n
        assert value == pytest.approx(expected, abs=1e-9 + 1e-12 * size)
        own = of_arcs.copy()
        for arc in case.gold.arcs:
            own[arc] += 1
        taken = frozenset(tuple(map(int, place)) for place in np.argwhere(own == 1))
        assert np.count_nonzero(own) == len(taken)
        agreeing = [z for z in tied if z.arcs == taken]
        assert agreeing
        assert any(has_gradient(case, z, of_parts) for z in agreeing)
        no_trees += sorted(m for _, m, _ in taken) != list(range(1, n + 1))
    assert no_trees or family in ("very sparse", "equal")


def has_gradient(case: Case, found: Structure, of_parts: dict[str, np.ndarray]) -> bool:
    """Whether gradients of parts are what this structure has, less the tree's."""
    counts = found.part_counts(case.sections)
    counts.subtract(case.gold.part_counts(case.sections))
    return all(
        of_parts[section].tolist() == [counts[section, piece] for piece in own]
        for section, own in case.pieces.items()
    )


def test_some_words_have_no_known_head():
    """What is not known costs nothing; the best tree with what is known takes the place of the right one."""
    positive = 0
    for seed in range(6):
        rng = np.random.default_rng([7, seed])
        case = Case(rng, "normal", 3, 0, list(AUTOMATA_PARTS))
        hidden = int(rng.integers(1, 4))
        known = frozenset(arc for arc in case.gold.arcs if arc[1] != hidden)
        trees = [
            of_tree(heads, [-1, 0, 0, 0], case.arcs, case.parts, case.sections)
            for heads in all_trees(3, single_root=False).tolist()
            if all(heads[m] == h for h, m, _ in known)
        ]
        best_tree = max(tree.score for tree in trees)
        case.heads = [-1 if word == hidden else head for word, head in enumerate(case.heads)]
        for loss, gamma in (("perceptron", 0.0), ("svm", 1.0)):
            value, _, _ = case.loss(loss)
            expected = max(
                z.score + gamma * cost(frozenset(arc for arc in z.arcs if arc[1] != hidden), known)
                for z in case.every
            )
            assert value == pytest.approx(expected - best_tree, abs=1e-9)
            positive += value > 0.1
    assert positive > 6


@sections_of
def test_native_parsers_whose_arcs_are_pruned(sections):
    """By features: those of the best structure over the arcs that are left, less those of the tree."""
    rng = np.random.default_rng([8, SECTIONS.index(sections)])
    for n in (2, 3):
        arcs = [arc for arc in all_arcs(n) if rng.random() < 0.4]
        arcs = sorted({*arcs, *((word - 1, word) for word in range(1, n + 1))}, key=lambda arc: arc[::-1])
        case = NativeCase(rng, MODEL_OF[tuple(sections)], n, False, 0.5, arcs)
        rows, of_parts = case.scores()
        labels = {(h, m, k): float(row[k]) for (h, m), row in rows.items() for k in range(len(row))}
        parts = {
            (section, piece): of_parts[section][piece.name]
            for section in sections
            for piece in KINDS[section].list(n, arcs)
        }
        gold = of_tree([-1, *case.heads], [-1, *case.labels], labels, parts, sections)
        for gamma in (0.0, 1.0):
            value, gradient = case.loss(inf, gamma, outer="automata")
            best = max(
                structures(n, labels, parts, sections),
                key=lambda z, gold=gold, gamma=gamma: z.score + gamma * cost(z.arcs, gold.arcs),
            )
            expected = best.score + gamma * cost(best.arcs, gold.arcs) - gold.score
            assert value == pytest.approx(expected, abs=1e-9)
            own = np.zeros(len(case.weights))
            for found, by in ((best, 1.0), (gold, -1.0)):
                for h, m, k in found.arcs:
                    case.twin.add_arc(case.sentence, own, (h, m), by)
                    case.twin.add_label(case.sentence, own, "labels", (h, m), k, by)
                for (section, piece), count in found.part_counts(sections).items():
                    case.twin.add_piece(case.sentence, own, section, piece, by * count)
            np.testing.assert_allclose(gradient, own, atol=1e-6)


def test_it_is_no_tighter_than_trees_and_their_relaxation():
    """Trees, then what the relaxation has, then what automata have alone."""
    rng, wider = np.random.default_rng(9), 0
    for n in (1, 2, 3, 4):
        case = NativeCase(rng, MODEL_OF[AUTOMATA_PARTS], n, True, 1.0)
        for gamma in (0.0, 1.0):
            exact = case.expected(inf, gamma)
            relaxed, _ = case.loss(inf, gamma, outer="relaxation")
            alone, _ = case.loss(inf, gamma, outer="automata")
            assert exact - 1e-9 <= alone
            assert relaxed <= alone + 1e-9
            wider += alone > exact + 0.1
    assert wider


def test_a_parser_learns_from_automata_alone():
    data = [sentence for sentence in treebank() if len(sentence) <= 9][:12]
    own = {"preset": "automata-grandsibling", "labels": "second-stage", "pruning": 0.0, "bits": 18}
    options = changed(**own, epochs=6, outer="automata", loss="perceptron", learner="perceptron")
    parser = train(data, options=options)
    assert parser.header["options"]["outer"] == "automata"
    found = parser.parse([sentence.copy() for sentence in data])
    wrong = [h != g for f, s in zip(found, data, strict=True) for h, g in zip(f.heads, s.heads, strict=True)]
    assert sum(wrong) <= 2
    of_trees = train(data, options=replace(options, outer="none")).to_parts()[1]
    assert any(not np.array_equal(own, of_trees[name]) for name, own in parser.to_parts()[1].items())


@pytest.mark.parametrize("outer", [False, True])
def test_models_from_before_there_was_a_choice_load(outer):
    header, tensors = train(treebank()[:3], options=changed(epochs=1, pruning=0.0)).to_parts()
    header["options"]["outer"] = outer
    assert DependencyParser.from_parts(header, tensors).to_parts()[0] == header


SMALL = np.zeros((3, 3))


@pytest.mark.parametrize(
    ("scores", "options", "reason"),
    [
        ({}, {"outer": "Z"}, "outer must be one of none, relaxation, automata"),
        ({}, {"outer": "automata"}, "outer automata takes parts that automata see"),
        ({"tri-siblings": [(0, 2, 1, 0)]}, {"outer": "automata"}, "no head automaton sees tri-siblings"),
        ({"consecutive-siblings": [(0, 2, 1)]}, {"outer": "automata", "loss": "crf"}, "an infinite beta"),
        (
            {"consecutive-siblings": [(0, 2, 1)]},
            {"outer": "automata", "parser": ArrayParser(constraint="not2")},
            "automata alone know no constraint",
        ),
    ],
)
def test_what_does_not_go_with_it_for_arrays(scores, options, reason):
    parts = {kind: [PartScores(np.array(words), np.ones(len(words)))] for kind, words in scores.items()}
    with pytest.raises(ArboraError, match=reason):
        batch_loss(ArrayScores([SMALL], parts=parts), [np.array([-1, 0, 1])], **{"loss": "svm", **options})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"outer": "some"}, "outer must be one of none, relaxation, automata"),
        ({"outer": "automata"}, "outer automata takes parts that automata see: consecutive-siblings"),
        ({"outer": "automata", "parts": ("valencies",)}, "no head automaton sees valencies"),
        ({"outer": "automata", "loss": "crf"}, "a loss without probabilities"),
        ({"outer": "automata", "constraint": "not2"}, "automata alone know no constraint"),
    ],
)
def test_what_does_not_go_with_it_in_training(options, reason):
    with pytest.raises(ArboraError, match=reason):
        train(treebank()[:3], options=changed(**options))
