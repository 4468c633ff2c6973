"""Features: the core's scores and gradients are those of the slow twin, weight by weight."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.features import ARC_ATOMS, Twin, all_arcs, words_of
from oracles.parts import KINDS
from oracles.words import ATOMS

from arbora import _core
from arbora.dependency import preset_templates
from arbora.dependency.linear_model import encode
from arbora.dependency.options import tree_options
from arbora.features import PARTS, Templates
from arbora.learning import LOSSES
from arbora.treebank import Sentence

BITS = 12
LABELS = 3
NEGLIGIBLE = 1e-3  # gradients below it are left out of a step
TREES = tree_options({"single_root": True, "projective": False})
VARIANTS = ["alone", "direction", "distance", "alone direction", "alone distance", "direction distance",
             "alone direction distance"]  # fmt: skip


def every_atom() -> Templates:
    """Templates in which each atom stands at each role, with neighbours, relatives and all variants."""
    arcs, labels, labeler, siblings = [], [], [], []
    for number, atom in enumerate(ATOMS):
        variants = VARIANTS[number % len(VARIANTS)]
        arcs += [f"head.{atom} : {variants}", f"modifier-1.{atom} : {variants}"]
        arcs += [f"head+1.{atom} & modifier.upos & modifier+2.{atom} : {variants}"]
        arcs += [f"head.{atom} & head-1.form & modifier.{atom} & arc.{ARC_ATOMS[number % 5]} : {variants}"]
        arcs += [f"between.{atom} : alone", f"head.upos & between.{atom} & modifier.xpos : alone direction"]
        labels += [
            f"head.{atom} & modifier-2.{atom} : {variants}",
            f"modifier.{atom} & arc.{ARC_ATOMS[number % 5]} : {variants}",
        ]
        labeler += [f"first-child.{atom} & head.upos : {variants}"]
        # one set is all that a side can have
        labeler += [f"last-child.{atom} & modifier.{'form' if atom == 'feat' else atom} : {variants}"]
        labeler += [
            f"grandparent.{atom} & modifier.upos : {variants}",
            f"head.{atom} & modifier+1.{atom} : {variants}",
        ]
        siblings += [f"head.{atom}", f"grandparent.{atom}", f"head-1.upos & head.{atom}"]
    arcs += [
        f"arc.{one} & arc.{other} : direction" for one in ARC_ATOMS for other in ARC_ATOMS if one < other
    ]
    arcs += [f"arc.{one} : alone distance" for one in ARC_ATOMS]
    arcs += ["modifier.upos & modifier-9.form & modifier+9.form", "modifier.upos & arc.brackets-between"]
    sections = {"pruner": arcs, "arcs": arcs, "labels": labels, "labeler": labeler, "siblings": siblings}
    sections |= {section: every_atom_of_parts(section) for section in PARTS}
    return Templates.parse("\n".join(f"[{name}]\n" + "\n".join(lines) for name, lines in sections.items()))


def every_atom_of_parts(section: str) -> list[str]:
    """Each atom but the set at each word of a part, alone and together, with neighbours."""
    words = words_of(section)
    lines = []
    for number, atom in enumerate(ATOMS[:-1]):
        variants = VARIANTS[number % len(VARIANTS)]
        lines += [f"{word}.{atom} : {variants}" for word in words]
        word = words[number % len(words)]
        lines += [f"{word}-1.{atom} & {word}.upos & {words[-1]}+2.{atom} : {variants}"]
        lines += [" & ".join(f"{word}.{atom}" for word in words) + f" : {variants}"]
    return lines


TEMPLATES = {"every-atom": every_atom(), "first-order": preset_templates("first-order")}

VALUES = {
    "forms": ["The", "McDonald's", "x", "_", "(", ")", "“", '"', "``", "-LRB-", "-RRB-", "ÖBB", "ag\u0308a",
              "日本語", "3,50", "und", "sehrlangeswort" * 3, "12345678", "1234567", "😀😀😀😀"],
    "lemmas": ["the", "mcdonald", "_", "be", "\u0301", "sehr langes wort"],
    "upos": ["VERB", "AUX", "PUNCT", "CCONJ", "SCONJ", "ADP", "NOUN", "X", "_", "NN", "$,", "日"],
    "xpos": ["NN", "VB", "_", "."],
    "feats": ["_", "Case=Nom", "Case=Acc|Number=Sing", "A=1|B=2|C=3", "|", "X"],
}  # fmt: skip


def draw_sentence(rng: np.random.Generator, n: int) -> Sentence:
    """Random columns; each of them is now and then missing altogether."""
    columns = {}
    for name, values in VALUES.items():
        few = rng.permutation(values)[: rng.integers(1, len(values) + 1)]  # repeated words are likely
        columns[name] = [str(few[i]) for i in rng.integers(len(few), size=n)]
        if rng.random() < 0.15:
            columns[name] = ["_"] * n
    return Sentence(**columns)


def draw_tree(rng: np.random.Generator, n: int) -> list[int]:
    """Heads of a random tree with one root: every word hangs from one that hangs already."""
    order = (rng.permutation(n) + 1).tolist()
    heads = [0] * n
    for place, word in enumerate(order[1:], 1):
        heads[word - 1] = order[rng.integers(place)]
    return heads


def draw_weights(rng: np.random.Generator, padding: int) -> np.ndarray:
    """Multiples of 1/1024, whose sums are exact in 32 bits whatever the order."""
    return (rng.integers(-1024, 1025, (1 << BITS) + padding) / 1024).astype(np.float32)


def both_kinds(weights: np.ndarray) -> tuple[np.ndarray, _core.ShortWeights]:
    """The weights as they are learned, and as a parser has them; these need no rounding."""
    short = _core.ShortWeights.rounded(weights)
    assert (short.values * short.step == weights).all()
    return weights, short


def structure_of(templates: Templates, labels: int = LABELS) -> _core.LinearModel:
    return _core.LinearModel(templates.compile(), 0.0, 10, [True] * labels, [True] * labels)


CASES = [(name, n, seed) for name in TEMPLATES for n in (1, 2, 3, 5, 8) for seed in range(4)] + [
    ("first-order", 17, 0)
]


@pytest.mark.parametrize(("name", "n", "seed"), CASES)
def test_scores_are_the_twins(name, n, seed):
    rng = np.random.default_rng([n, seed])
    templates, sentence = TEMPLATES[name], draw_sentence(rng, n)
    structure, encoded, twin = (
        structure_of(templates),
        encode([Sentence(["before"]), sentence]),
        Twin(templates, LABELS, BITS),
    )
    pruner_weights = draw_weights(rng, 0)
    weights = draw_weights(rng, structure.padding)
    arcs, heads = all_arcs(n), draw_tree(rng, n)
    rows, columns = zip(*arcs, strict=True)

    expected = twin.arcs(sentence, pruner_weights, "pruner")[rows, columns]
    for of_pruner in both_kinds(pruner_weights):
        table = np.reshape(structure.arc_scores(True, of_pruner, encoded, 1, []), (n + 1, n + 1))
        assert table[rows, columns].tolist() == expected.tolist()
        assert structure.arc_scores(True, of_pruner, encoded, 1, arcs) == expected.tolist()

    expected = twin.arcs(sentence, weights)[rows, columns]
    some = [arcs[i] for i in rng.permutation(len(arcs))[: len(arcs) // 2 + 1]]
    joint = twin.arc_labels(sentence, weights, "labels", arcs).tolist()
    own = [(head, modifier) for modifier, head in enumerate(heads, 1)]
    second = twin.arc_labels(sentence, weights, "labeler", own, heads).tolist()
    for kind in both_kinds(weights):
        table = np.reshape(structure.arc_scores(False, kind, encoded, 1, []), (n + 1, n + 1))
        assert table[rows, columns].tolist() == expected.tolist()
        found = structure.arc_scores(False, kind, encoded, 1, some)
        assert found == [expected[arcs.index(arc)] for arc in some]
        assert structure.label_scores(False, kind, encoded, 1, [], arcs) == joint
        assert structure.label_scores(True, kind, encoded, 1, heads, own) == second
        for head in {0, *heads}:
            found = structure.sibling_scores(kind, encoded, 1, heads, head)
            assert found == twin.siblings(sentence, weights, head, heads).ravel().tolist()


def draw_arcs(rng: np.random.Generator, n: int, share: float) -> list[tuple[int, int]]:
    """A random tree's arcs, and a share of the others."""
    tree = {(head, modifier) for modifier, head in enumerate(draw_tree(rng, n), 1)}
    return [arc for arc in all_arcs(n) if arc in tree or rng.random() < share]


PART_TEMPLATES = {
    "every-atom": every_atom(),
    "second-order": preset_templates("second-order"),
    "third-order": preset_templates("third-order"),
    "belief": preset_templates("belief"),
}


@pytest.mark.parametrize("share", [1.0, 0.4], ids=["all arcs", "some arcs"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("name", PART_TEMPLATES)
def test_parts_are_the_twins(name, n, share):
    """Which parts there are, in which order; their words, codes and scores, to the last bit."""
    rng = np.random.default_rng([n, int(10 * share)])
    templates = PART_TEMPLATES[name]
    structure, twin = structure_of(templates), Twin(templates, LABELS, BITS)
    sentence, arcs = draw_sentence(rng, n), draw_arcs(rng, n, share)
    encoded, weights = encode([Sentence(["before"]), sentence]), draw_weights(rng, structure.padding)
    listed = {section: list(KINDS[section].list(n, arcs)) for section in PARTS}
    scored = {section: twin.pieces(sentence, weights, section, listed[section]) for section in PARTS}
    for kind in both_kinds(weights):
        found = structure.part_scores(kind, encoded, 1, arcs)
        for section, (words, codes, scores) in zip(PARTS, found, strict=True):
            if not templates.of(section):
                assert len(scores) == 0
                continue
            assert words.tolist() == [list(piece[:4]) for piece in listed[section]]
            assert codes.tolist() == [list(piece[4:]) for piece in listed[section]]
            assert scores.tolist() == scored[section]
            assert len({piece.name for piece in listed[section]}) == len(listed[section])


def test_far_words_of_parts():
    """All codes that can be, in a long sentence."""
    rng, n = np.random.default_rng(9), 24
    templates = Templates.parse(
        "\n".join(
            f"[{section}]\nhead.upos & {words_of(section)[-1]}.form : direction distance" for section in PARTS
        )
    )
    structure, twin = structure_of(templates), Twin(templates, LABELS, BITS)
    sentence, weights = draw_sentence(rng, n), draw_weights(rng, structure.padding)
    arcs = draw_arcs(rng, n, 0.3)
    found = structure.part_scores(weights, encode([sentence]), 0, arcs)
    codes = {}
    for section, (words, own, scores) in zip(PARTS, found, strict=True):
        pieces = list(KINDS[section].list(n, arcs))
        assert words.tolist() == [list(piece[:4]) for piece in pieces]
        assert own.tolist() == [list(piece[4:]) for piece in pieces]
        assert scores.tolist() == twin.pieces(sentence, weights, section, pieces)
        assert own.min() >= 1
        assert own.max() < 32  # a cache line of weights
        codes[section] = set(own.ravel().tolist())
    assert {section: len(all_of_it) for section, all_of_it in codes.items()} == {
        "consecutive-siblings": 26, "all-siblings": 20, "grandparents": 28, "grand-siblings": 28,
        "head-bigrams": 27, "crossings": 12, "tri-siblings": 24, "valencies": 9,
        "nonprojective-arcs": 12,
    }  # fmt: skip


def test_parts_with_weights_that_are_no_round_numbers():
    rng = np.random.default_rng(8)
    templates = PART_TEMPLATES["third-order"]
    structure, twin = structure_of(templates), Twin(templates, LABELS, BITS)
    weights = rng.normal(size=(1 << BITS) + structure.padding).astype(np.float32)
    sentence, arcs = draw_sentence(rng, 4), all_arcs(4)
    short = _core.ShortWeights.rounded(weights)
    for kind, values in ((weights, weights), (short, short.values * np.float64(short.step))):
        found = structure.part_scores(kind, encode([sentence]), 0, arcs)
        for section, (_, _, scores) in zip(PARTS, found, strict=True):
            if not templates.of(section):
                continue
            expected = twin.pieces(sentence, values, section, list(KINDS[section].list(4, arcs)))
            np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)


def test_all_atoms_of_parts_matter():
    """Each atom's templates tell apart words of a part that differ in it."""
    rng = np.random.default_rng(2)
    sentence = Sentence(
        ["a", "B1", "(cdefgh", "dd-dddd", "EE"],
        list("fghij"),
        ["NOUN", "VERB", "PUNCT", "ADP", "CCONJ"],
        list("NVPAC"),
        ["A=1", "B=1", "D=4", "E=5", "F=6"],
    )
    for section in PARTS:
        for word in words_of(section):
            for atom in ATOMS[:-1]:
                structure = structure_of(Templates.parse(f"[{section}]\n{word}.{atom} : alone"))
                weights = draw_weights(rng, structure.padding)
                found = structure.part_scores(weights, encode([sentence]), 0, all_arcs(5))
                assert len(set(found[list(PARTS).index(section)][2].tolist())) >= 2


def test_a_whole_vector_of_labels_and_many():
    """Blocks of labels are added in vectors of 8, in groups of up to 64."""
    templates, rng = TEMPLATES["first-order"], np.random.default_rng(5)
    sentence = draw_sentence(rng, 3)
    for labels in (1, 7, 8, 15, 16, 33, 40, 57, 63, 64, 70, 130):
        structure, twin = structure_of(templates, labels), Twin(templates, labels, BITS)
        weights = draw_weights(rng, structure.padding)
        arcs = [(0, 2), (2, 1), (2, 3)]
        expected = twin.arc_labels(sentence, weights, "labeler", arcs, [2, 0, 2]).tolist()
        for kind in both_kinds(weights):
            found = structure.label_scores(True, kind, encode([sentence]), 0, [2, 0, 2], arcs)
            assert found == expected


def test_all_atoms_matter():
    """Each atom's templates change some score: none is read from the wrong place without anyone noticing."""
    rng = np.random.default_rng(1)
    sentence = Sentence(
        ["a", "b", "c"], ["d", "e", "f"], ["NOUN", "VERB", "X"], ["N", "V", "P"], ["A=1", "B=1|C=2", "D=4"]
    )
    for atom in ATOMS:
        structure = structure_of(Templates.parse(f"[arcs]\nmodifier.{atom}"))
        weights = draw_weights(rng, structure.padding)
        assert any(structure.arc_scores(False, weights, encode([sentence]), 0, all_arcs(3)))


# ---- gradients ----


def expected_step(twin, sentence, weights, heads, labels, loss, rate, sections) -> np.ndarray:
    """The weights after a step against the gradient of a loss, by the twin's features."""
    n, step = len(sentence), np.zeros(len(weights))
    joint = "labels" in sections
    scores = twin.arcs(sentence, weights)
    if joint:
        arcs = all_arcs(n)
        labelled = np.zeros((n + 1, n + 1, LABELS))
        for (head, modifier), row in zip(
            arcs, twin.arc_labels(sentence, weights, "labels", arcs), strict=True
        ):
            labelled[head, modifier] = scores[head, modifier] + row
        scores = labelled
    gold = np.array([-1, *heads])
    _, gradient = loss.of_tree(scores, gold, np.array([-1, *labels]) if joint else None)
    for head, modifier in all_arcs(n):
        of_arc = gradient[head, modifier]
        if abs(np.sum(of_arc)) >= NEGLIGIBLE:
            twin.add_arc(sentence, step, (head, modifier), float(np.sum(of_arc)))
        for label in range(LABELS if joint else 0):
            if abs(of_arc[label]) >= NEGLIGIBLE:
                twin.add_label(sentence, step, "labels", (head, modifier), label, of_arc[label])
    if "labeler" not in sections:
        return weights - rate * step
    for head in {0, *heads}:
        family = [word for word, own in enumerate(heads, 1) if own == head]
        if not family:
            continue
        unary = twin.arc_labels(sentence, weights, "labeler", [(head, word) for word in family], heads)
        siblings = twin.siblings(sentence, weights, head, heads)
        _, of_unary, of_siblings = loss.of_labels(
            unary, np.array([labels[word - 1] for word in family]), siblings
        )
        for word, row in zip(family, of_unary, strict=True):
            for label in np.flatnonzero(np.abs(row) >= NEGLIGIBLE):
                twin.add_label(sentence, step, "labeler", (head, word), label, row[label], heads)
        kept = np.where(np.abs(of_siblings) < NEGLIGIBLE, 0.0, of_siblings)
        twin.add_siblings(sentence, step, head, kept, heads)
    return weights - rate * step


@pytest.mark.parametrize(
    "sections", [("labels",), ("labeler", "siblings"), ("labels", "labeler", "siblings")]
)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", TEMPLATES)
def test_one_step_of_training(name, loss, sections):
    """From small random weights, so that the best tree is no tie and sums have something to sum."""
    rng = np.random.default_rng(3)
    whole = TEMPLATES[name]
    templates = Templates(arcs=whole.arcs, **{section: getattr(whole, section) for section in sections})
    for n in (1, 4, 5):
        sentence, heads, labels = draw_sentence(rng, n), draw_tree(rng, n), rng.integers(LABELS, size=n)
        structure, twin = structure_of(templates), Twin(templates, LABELS, BITS)
        rate = 0.125
        learner = _core.OnlineLearner(BITS, structure.padding, "sgd", rate)
        weights = draw_weights(rng, structure.padding) / 64
        learner.weights[:] = weights
        encoded, gold = encode([sentence]), np.array(heads, np.int32)
        nothing = _core.ShortWeights.rounded(np.zeros(16, np.float32))
        candidates = structure.choose(nothing, encoded, gold, TREES, 1)
        assert candidates.of(0) == all_arcs(n)
        family = LOSSES[loss]
        structure.train(
            learner, encoded, gold, labels.astype(np.int32), candidates, [0], family.beta, family.gamma,
            TREES, 1,
        )  # fmt: skip
        expected = expected_step(twin, sentence, weights, heads, labels.tolist(), family, rate, sections)
        np.testing.assert_allclose(learner.weights, expected, rtol=0, atol=2e-6)
        if n > 1:
            assert np.abs(expected - weights).max() > 0.01


def test_one_step_of_the_pruner():
    rng = np.random.default_rng(4)
    templates = TEMPLATES["every-atom"]
    structure, twin = structure_of(templates), Twin(templates, LABELS, BITS)
    sentence, heads = draw_sentence(rng, 5), draw_tree(rng, 5)
    learner = _core.OnlineLearner(BITS, 0, "sgd", 0.125)
    weights = draw_weights(rng, 0) / 64
    learner.weights[:] = weights
    structure.train_pruner(learner, encode([sentence]), np.array(heads, np.int32), [0], TREES, 1)
    _, gradient = LOSSES["crf"].of_tree(twin.arcs(sentence, weights, "pruner"), np.array([-1, *heads]))
    step = np.zeros(len(weights))
    for arc in all_arcs(5):
        if abs(gradient[arc]) >= NEGLIGIBLE:
            twin.add_arc(sentence, step, arc, gradient[arc], "pruner")
    np.testing.assert_allclose(learner.weights, weights - 0.125 * step, rtol=0, atol=2e-6)
