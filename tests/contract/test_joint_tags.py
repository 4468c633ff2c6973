"""Tags that a parser chooses together with the tree: by enumeration, and by the factor room."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from contract.test_parser import draw_sentence
from oracles.joint import JointTrees, Place
from oracles.parsing import random_parser
from tagged_cases import NEGLIGIBLE, TaggedCase, check_beliefs, forest

from arbora import _core
from arbora.dependency import DependencyParser, preset_templates
from arbora.features import Templates
from arbora.treebank import Sentence
from tests.oracles.scores import seeded

TEMPLATES = """[tags]
modifier.form : alone
[tag-links]
head.form & modifier.form : direction
head.upos & modifier.upos : distance
[tag-bigrams]
modifier.form : alone
modifier-1.upos : alone
[tag-trigrams]
modifier.upos : alone
"""
NAMES = ["ADJ", "NOUN", "VERB"]


class Case(TaggedCase):
    """With gold heads and tags, and lists of tags."""

    def __init__(
        self, rng, n: int, lists: list[list[int]], spread: float, *, arcs=None, single_root=False, model=""
    ) -> None:
        super().__init__(
            rng, n, TEMPLATES, len(NAMES), spread, arcs=arcs, single_root=single_root, model=model
        )
        self.lists = lists
        self.priors = [np.round(-rng.exponential(size=len(own)) * 64) / 64 for own in lists]
        self.encoded.set_tags(
            np.array([len(own) for own in lists], np.int32),
            np.array([tag for own in lists for tag in own], np.int32),
            np.concatenate(self.priors),
        )
        self.all = JointTrees(lists, self.arcs, self.scores(), single_root=single_root)
        self.heads, self.tags = self.all.each[rng.integers(len(self.all.each))]

    def gold_tags(self) -> npt.NDArray[np.int32]:
        return np.array([own.index(tag) for own, tag in zip(self.lists, self.tags, strict=True)], np.int32)

    def scores(self) -> dict[Place, float]:
        """A number for each place, from the features one by one."""
        found: dict[Place, float] = {}
        of_arcs = self.twin.arcs(self.sentence, self.weights)
        words, count = [(0, word) for word in range(1, self.n + 1)], len(NAMES)
        for head, word in self.arcs:
            found["arcs", head, word, ()] = of_arcs[head, word]
        for section, arcs, length in [
            ("tags", words, 1),
            ("tag-links", self.arcs, 2),
            ("tag-bigrams", words, 2),
            ("tag-trigrams", words, 3),
        ]:
            rows = self.twin.arc_rows(self.sentence, self.weights, section, arcs, count**length)
            for (head, word), row in zip(arcs, rows, strict=True):
                for tags, score in np.ndenumerate(row.reshape([count] * length)):
                    found[section, head, word, tags] = score
        for word, (own, scores) in enumerate(zip(self.lists, self.priors, strict=True), 1):
            for tag, score in zip(own, scores, strict=True):
                found["tags", 0, word, (tag,)] += score
        return found


def draw_lists(rng: np.random.Generator, n: int, apart: list[tuple[int, int]] = ()) -> list[list[int]]:
    """One to three tags for each word; of words that these arcs link, one has one tag alone."""
    lists: list[list[int]] = []
    for word in range(1, n + 1):
        linked = [a + b - word for a, b in apart if word in (a, b) and a]
        alone = any(len(lists[other - 1]) > 1 for other in linked if other < word)
        count = 1 if alone else int(rng.integers(1, 4))
        lists.append(rng.permutation(len(NAMES))[:count].tolist())
    return lists


def acyclic(name: str, n: int, spread: float = 1.0) -> Case:
    """A graph without circles, though its words are a chain: no arc links two words of several tags."""
    rng = seeded(name, n)
    arcs = forest(rng, n)
    return Case(rng, n, draw_lists(rng, n, arcs), spread, arcs=arcs)


def test_scores_are_sums_of_features():
    for n in (1, 2, 3, 5):
        rng = seeded("joint sums", n)
        case = Case(rng, n, draw_lists(rng, n), 0.5)
        scores, expected = case.scores(), {name: [] for name in ("tags", "links", "bigrams", "trigrams")}
        lists = case.lists
        for word, own in enumerate(lists, 1):
            expected["tags"] += [scores["tags", 0, word, (t,)] for t in own]
            if word > 1:
                expected["bigrams"] += [
                    scores["tag-bigrams", 0, word, (t, u)] for t in lists[word - 2] for u in own
                ]
            if word > 2:
                expected["trigrams"] += [
                    scores["tag-trigrams", 0, word, (s, t, u)]
                    for s in lists[word - 3]
                    for t in lists[word - 2]
                    for u in own
                ]
        for head, word in case.arcs:
            if head:
                expected["links"] += [
                    scores["tag-links", head, word, (t, u)] for t in lists[head - 1] for u in lists[word - 1]
                ]
        found = case.core.tag_scores(case.weights, case.encoded, 0, case.arcs)
        for own, other in zip(found, expected.values(), strict=True):
            np.testing.assert_allclose(own, other, atol=1e-9)


@pytest.mark.parametrize(("beta", "gamma"), [(1.0, 0.0), (1.0, 1.0), (0.5, 2.0), (3.0, 0.5)], ids=str)
def test_losses_are_exact_without_circles(beta, gamma):
    greatest = 0.0
    for n in (1, 2, 3, 4, 5, 6):
        case = acyclic(f"joint {beta} {gamma}", n)
        value, gradient = case.loss(beta, gamma)
        assert value == pytest.approx(case.all.loss(case.heads, case.tags, beta, gamma)[0], abs=1e-9)
        assert np.isfinite(gradient).all()
        greatest = max(greatest, value)
    assert greatest > 1


def test_tags_alone_are_exact():
    """Where the root is every word's head, and has no tag, they are a chain."""
    for n in (1, 3, 5, 7):
        rng = seeded("chain", n)
        case = Case(rng, n, draw_lists(rng, n), 1.0, arcs=[(0, word) for word in range(1, n + 1)])
        value, _ = case.loss(1.0, 0.0)
        assert value == pytest.approx(case.all.loss(case.heads, case.tags)[0], abs=1e-9)


def test_one_tag_for_each_word_is_none():
    """There is nothing to choose, and propagation is the tree's own sum: exact on all arcs."""
    for n in (1, 2, 3, 4):
        rng = seeded("one", n)
        lists = [[int(rng.integers(len(NAMES)))] for _ in range(n)]
        case = Case(rng, n, lists, 0.7, single_root=bool(n % 2))
        for beta, gamma in [(1.0, 0.0), (2.0, 1.0)]:
            expected = case.all.loss(case.heads, case.tags, beta, gamma)[0]
            assert case.loss(beta, gamma)[0] == pytest.approx(expected, abs=1e-9)


def test_gradients_are_expected_features():
    """Without circles: those of all trees and tags, less those of the gold ones."""
    greatest = 0.0
    for n in (1, 2, 4, 5):
        case = acyclic("joint expected", n, 0.8)
        _, gradient = case.loss(1.0, 0.0)
        own, uses = np.zeros(len(gradient)), np.zeros(len(gradient))
        for (section, head, word, tags), value in case.all.loss(case.heads, case.tags)[1].items():
            for total, one in ((own, value), (uses, 1.0)):
                if section == "arcs":
                    case.twin.add_arc(case.sentence, total, (head, word), one)
                else:
                    label = int(np.ravel_multi_index(tags, [len(NAMES)] * len(tags)))
                    case.twin.add_label(case.sentence, total, section, (head, word), label, one)
        assert (np.abs(gradient - own) <= 1e-5 + NEGLIGIBLE * uses).all()
        greatest = max(greatest, np.abs(own).max())
    assert greatest > 0.1


@pytest.mark.parametrize("model", ["", "siblings and grandparents", "all kinds"])
@pytest.mark.parametrize(("beta", "gamma"), [(1.0, 0.0), (2.0, 0.5)], ids=str)
def test_slopes_of_bethe(model, beta, gamma):
    """With circles: the gradient is that of the value, but for what is left out of it."""
    greatest = 0.0
    for n in (2, 3, 4):
        rng = seeded("joint slopes", model, n)
        case = Case(rng, n, draw_lists(rng, n), 0.1 / beta, model=model, single_root=bool(n % 2))
        greatest = max(greatest, case.check_slopes(rng, beta, gamma))
    assert greatest > 0.2


# ---- parsers ----


def draw_parser(rng: np.random.Generator, scale: float = 0.1) -> DependencyParser:
    whole, own = preset_templates("first-order"), Templates.parse(TEMPLATES)
    own.arcs, own.labels = whole.arcs, whole.labels
    parser = random_parser(rng, templates=str(own), labels=2, scale=scale, tag_names=NAMES)
    parser.header.pop("joint_scale", None)
    return DependencyParser(parser.header, parser._weights, parser._pruner_weights)


def with_lists(rng: np.random.Generator, sentence: Sentence) -> Sentence:
    """Lists of one to three tags in MISC."""
    for word, own in enumerate(draw_lists(rng, len(sentence))):
        chances = rng.dirichlet(np.ones(len(own)))
        texts = [f"{NAMES[tag]}:{chance:.4f}" for tag, chance in zip(own, chances, strict=True)]
        sentence.misc[word] = f"A=1|UposCandidates={';'.join(texts)}"
    return sentence


def test_probabilities_are_those_of_the_graph():
    """Propagation of heads and that of the factor room, over binary arcs, rest at the same beliefs."""
    unsure = 0
    for n in (1, 2, 3, 5, 8):
        rng = seeded("joint beliefs", n)
        parser, sentence = draw_parser(rng), with_lists(rng, draw_sentence(rng, n))
        work, tags, solution = check_beliefs(parser, sentence, decoder="mbr")
        assert len(tags) == n
        listed = _core.candidate_tags(NAMES, sentence.upos, sentence.misc)[1]
        for word in range(n):
            beliefs = solution[tags[word]][0]
            assert work.tag_probabilities[word] == pytest.approx(beliefs.max(), abs=1e-4)
            assert work.tags[word] == listed[word][int(beliefs.argmax())][0]
            unsure += beliefs.max() < 0.99
    assert unsure > 5


def test_ranked_trees_are_summed_over_their_tags():
    """By Bethe's sum, which is close to the exact one of a tree with its tags where scores are small."""
    for n in (1, 2, 3):
        rng = seeded("joint ranked", n)
        parser, sentence = draw_parser(rng, 0.03), with_lists(rng, draw_sentence(rng, n))
        view = parser.graph(sentence, sums=True)
        ranked = next(parser.kbest([sentence], 200))
        sums: dict[tuple[int, ...], float] = {}
        for tree in ranked:
            sums[tuple(tree.heads)] = sums.get(tuple(tree.heads), 0.0) + float(np.exp(tree.log_probability))
        exact = {}
        for heads in sums:
            tree = np.array([heads[m - 1] == h for h, m in zip(view.heads, view.modifiers, strict=True)])
            exact[heads] = view.graph.solve("enumerate", given=[(view.arcs, tree)], most=1e9).log_partition
        first = next(iter(sums))
        for heads in sums:
            expected = exact[heads] - exact[first]
            assert np.log(sums[heads] / sums[first]) == pytest.approx(expected, abs=2e-3)


def test_lists_as_they_are_read():
    def read(upos: str, misc: str):
        first, listed = _core.candidate_tags(NAMES, [upos], [misc])
        return first[0], [(tag, round(float(np.exp(score)), 6)) for tag, score in listed[0]]

    assert read("X", "UposCandidates=VERB:0.7;NOUN:0.3") == ("VERB", [(2, 0.7), (1, 0.3)])
    assert read("X", "A=1|UposCandidates=NOUN:0|B") == ("NOUN", [(1, 1e-4)])
    assert read("X", "UposCandidates=X:0.5;NOUN:0.25") == ("NOUN", [(1, 0.25)])
    for misc in (
        "_",
        "",
        "|",
        "UposCandidates",
        "UposCandidates=",
        "XUposCandidates=VERB:1",
        "UposCandidates=;:",
    ):
        assert read("NOUN", misc) == ("NOUN", [(1, 1.0)])
        assert read("X", misc) == ("X", [])
