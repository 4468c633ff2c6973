"""Tags that a parser chooses together with the tree: by enumeration, and by the factor room."""

from __future__ import annotations

import numpy as np
import pytest
from contract.test_latent_tags import forest
from contract.test_parser import draw_sentence
from contract.test_part_graphs import templates_for
from oracles.features import Twin, all_arcs
from oracles.joint import JointTrees, Place
from oracles.parsing import random_parser
from small_training import changed, check_same_bytes, las, treebank

from arbora import _core
from arbora.dependency import (
    DependencyParser,
    ParseOptions,
    Rules,
    TrainingOptions,
    parse_with_rules,
    preset_options,
    preset_templates,
    train,
)
from arbora.dependency.options import tree_options
from arbora.dependency.structure import encode
from arbora.dependency.training import check_recipe
from arbora.errors import ArboraError
from arbora.features import SECTIONS, Templates
from arbora.models import read_model, write_model
from arbora.treebank import Sentence
from arbora.treebank.conllu import scan
from tests.oracles.scores import seeded

BITS = 12
NEGLIGIBLE = 1e-3  # what is below it is left out of a gradient
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


class Case:
    """A sentence with gold heads and tags, candidate arcs, lists of tags, and weights."""

    def __init__(
        self, rng, n: int, lists: list[list[int]], spread: float, *, arcs=None, single_root=False, model=""
    ) -> None:
        text = (templates_for(model) if model else "[arcs]\nhead.form & modifier.form : alone\n") + TEMPLATES
        templates = Templates.parse(text.replace("[labels]\nmodifier.form\n", ""))
        compiled = templates.compile()
        self.core = _core.ParserStructure(
            [compiled[name] for name in SECTIONS], 0.0, 10, [True], [True], tags=len(NAMES)
        )
        self.twin, self.n, self.lists, self.single_root = Twin(templates, 1, BITS), n, lists, single_root
        self.sentence = draw_sentence(rng, n)
        self.encoded, self.arcs = encode([self.sentence]), all_arcs(n) if arcs is None else arcs
        self.priors = [np.round(-rng.exponential(size=len(own)) * 64) / 64 for own in lists]
        self.encoded.set_tags(
            np.array([len(own) for own in lists], np.int32),
            np.array([tag for own in lists for tag in own], np.int32),
            np.concatenate(self.priors),
        )
        size = (1 << BITS) + self.core.padding
        self.weights = (np.round(rng.normal(size=size) * spread * 1024) / 1024).astype(np.float32)
        self.all = JointTrees(lists, self.arcs, self.scores(), single_root=single_root)
        self.heads, self.tags = self.all.each[rng.integers(len(self.all.each))]

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

    def loss(self, beta: float, gamma: float, weights=None):
        """The core's: its value and its gradient, a number for each weight."""
        options = {"single_root": self.single_root, "projective": False, "solver": "bp", "propagations": 500}
        places = [own.index(tag) for own, tag in zip(self.lists, self.tags, strict=True)]
        value, places, numbers = self.core.loss(
            self.weights if weights is None else weights, self.encoded, 0, np.array(self.heads[1:], np.int32),
            np.zeros(self.n, np.int32), self.arcs, beta, gamma, tree_options(options),
            np.array(places, np.int32),
        )  # fmt: skip
        gradient = np.zeros(len(self.weights))
        np.add.at(gradient, places, numbers)
        return value, gradient


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
        _, gradient = case.loss(beta, gamma)
        places = [*np.argsort(-np.abs(gradient))[:6], *rng.choice(np.flatnonzero(gradient), 4)]
        for place in map(int, places):
            ends = []
            for sign in (1, -1):
                weights = case.weights.copy()
                weights[place] += sign / 128
                ends.append(case.loss(beta, gamma, weights)[0])
            slope = (ends[0] - ends[1]) * 64
            assert slope == pytest.approx(gradient[place], abs=1e-3 + NEGLIGIBLE * 12)
            greatest = max(greatest, abs(slope))
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


def run(parser: DependencyParser, sentence: Sentence, **options):
    work = parser._encode([sentence], ParseOptions(probabilities=True, **options))
    parser._run(work, ParseOptions(probabilities=True, **options))
    return work


def test_probabilities_are_those_of_the_graph():
    """Propagation of heads and that of the factor room, over binary arcs, rest at the same beliefs."""
    unsure = 0
    for n in (1, 2, 3, 5, 8):
        rng = seeded("joint beliefs", n)
        parser, sentence = draw_parser(rng), with_lists(rng, draw_sentence(rng, n))
        work = run(parser, sentence, propagations=500, decoder="mbr")
        view = parser.graph(sentence, sums=True)
        assert view.tags is not None
        assert len(view.tags) == n
        solution = view.graph.solve("bp", tolerance=1e-9, iterations=1000)
        assert solution.converged
        arcs = list(zip(view.heads.tolist(), view.modifiers.tolist(), strict=True))
        own = solution[view.arcs][[arcs.index((int(h), m)) for m, h in enumerate(work.heads, 1)]]
        np.testing.assert_allclose(work.head_probabilities, own, atol=1e-4)
        listed = _core.candidate_tags(NAMES, sentence.upos, sentence.misc)[1]
        for word in range(n):
            beliefs = solution[view.tags[word]][0]
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


# ---- training ----

JOINT = {"joint_tags": 4, "solver": "bp", "loss": "crf", "propagations": 5, "parts": ()}


def joint(**more) -> TrainingOptions:
    return changed(preset="joint", **{**JOINT, **more})


def listed_treebank() -> list[Sentence]:
    """Gold tags, beside lists in which a tagger that knows little has put another one first now and then."""
    data = treebank()
    rng = seeded("listed")
    names = sorted({tag for sentence in data for tag in sentence.upos})
    for sentence in data:
        for word, tag in enumerate(sentence.upos):
            other = str(rng.choice([name for name in names if name != tag]))
            first, second = (tag, other) if rng.random() < 0.7 else (other, tag)
            text = f"{first}:0.6000;{second}:0.4000" if rng.random() < 0.6 else f"{tag}:1.0000"
            sentence.misc[word] = f"UposCandidates={text}"
    return data


def tag_accuracy(parser: DependencyParser, data: list[Sentence]) -> float:
    found = parser.parse([sentence.copy() for sentence in data])
    pairs = [pair for s, t in zip(data, found, strict=True) for pair in zip(s.upos, t.upos, strict=True)]
    return sum(own == other for own, other in pairs) / len(pairs)


@pytest.mark.parametrize(("labels", "parts"), [("joint", ()), ("both", None)])
def test_it_fits_what_it_is_shown(labels, parts):
    data = listed_treebank()
    options = preset_options("joint", epochs=10, bits=16, pruner_bits=14, labels=labels, parts=parts)
    reports = []
    parser = train(data, data, options, progress=reports.append)
    assert parser.tags == sorted({tag for sentence in data for tag in sentence.upos})
    assert las(parser, data) > 0.95
    assert las(parser, data, ParseOptions(decoder="mbr")) > 0.95
    assert tag_accuracy(parser, data) > 0.98
    assert reports[-1].upos == pytest.approx(tag_accuracy(parser, data), abs=0.02)
    assert reports[0].upos is None  # the pruner's


def test_the_same_bytes_for_any_threads_and_after_a_kill(tmp_path):
    check_same_bytes(tmp_path, data=listed_treebank(), preset="joint", **JOINT, features="supported")


@pytest.fixture(scope="module")
def parser() -> DependencyParser:
    data = listed_treebank()
    return train(data, data[:5], joint(epochs=4))


def test_a_model_file_keeps_them(parser, tmp_path):
    data = listed_treebank()
    parser.save(tmp_path / "model")
    loaded = DependencyParser.load(tmp_path / "model")
    for options in (ParseOptions(probabilities=True), ParseOptions(decoder="mbr", threads=3)):
        texts = [
            [s.to_conllu() for s in one.parse([s.copy() for s in data], options)] for one in (parser, loaded)
        ]
        assert texts[0] == texts[1]
    found = read_model(tmp_path / "model")
    for tags, message in [
        ([], "not those of a parser with tags"),
        ("NOUN", "no list of names"),
        (found.header["tags"][:-1], "laid out for other labels"),
    ]:
        write_model(tmp_path / "changed", {**found.header, "tags": tags}, found.tensors)
        with pytest.raises(ArboraError, match=message):
            DependencyParser.load(tmp_path / "changed")


@pytest.mark.parametrize("probabilities", [False, True])
def test_text_to_text_is_the_same(parser, probabilities):
    data = listed_treebank()
    data[0].misc[0] += "|SpaceAfter=No|UposProbability=0.5000"
    data[1].misc[0] = "_"  # then its tag is given
    data[1].upos[0], data[2].misc[1] = "NOUN", "UposCandidates=NOUN;X:2;VERB:0.5;VERB:0.5;ADJ:?;:1"
    text = "".join(sentence.to_conllu() for sentence in data).encode()
    options = ParseOptions(probabilities=probabilities, threads=2)
    expected = "".join(s.to_conllu() for s in parser.parse([s.copy() for s in data], options))
    found = b"".join(piece.data for piece in parser.parse_conllu([text], options)).decode()
    assert found == expected
    assert "UposCandidates" not in found
    assert found.count("UposProbability") == (sum(map(len, data)) if probabilities else 1)
    first, second, third = list(scan([found.encode()], False))[:3]
    assert first.misc[0].startswith("SpaceAfter=No")
    assert second.upos[0] == "NOUN"
    assert third.upos[1] == "VERB"


def test_what_is_given_is_kept(parser):
    data = listed_treebank()[:6]
    before = [sentence.copy() for sentence in data]
    for sentence in data:
        sentence.heads = [head if word % 2 else None for word, head in enumerate(sentence.heads)]
        sentence.deprels = ["_"] * len(sentence)
    found = parser.parse([sentence.copy() for sentence in data], ParseOptions(constraints=True))
    for sentence, gold in zip(found, before, strict=True):
        assert sentence.heads[1::2] == gold.heads[1::2]
        lists = _core.candidate_tags(parser.tags, gold.upos, gold.misc)[1]
        for tag, own in zip(sentence.upos, lists, strict=True):
            assert parser.tags.index(tag) in [choice for choice, _ in own]


def test_a_word_of_which_nothing_is_known_may_have_any_tag(parser):
    sentence = listed_treebank()[0]
    sentence.upos, sentence.misc = ["_"] * len(sentence), ["_"] * len(sentence)
    found = next(parser.parse([sentence]))
    assert set(found.upos) <= set(parser.tags)
    assert next(parser.parse([Sentence([])])).upos == []


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


def test_what_cannot_be(parser):
    data = listed_treebank()[:4]
    for options, message in [
        ({"joint_tags": 4}, "need the solver bp"),
        ({"joint_tags": 17, "solver": "bp"}, "between 0 and 16"),
        ({"joint_tags": 2, "latent_tags": 2, "solver": "bp"}, "latent_tags or joint_tags, not both"),
        ({"tag_threshold": 1.0}, "at least 0 and below 1"),
    ]:
        with pytest.raises(ArboraError, match=message):
            TrainingOptions(**options).check()
    with pytest.raises(ArboraError, match="joint_tags are summed out, which takes a loss with a finite beta"):
        check_recipe(TrainingOptions(joint_tags=3, solver="bp"))
    with pytest.raises(ArboraError, match=r"lists of a tagger \(UposCandidates in MISC\) beside gold UPOS"):
        train(treebank(), None, joint())
    with pytest.raises(ArboraError, match=r"no section \[tags\], which joint_tags need"):
        train(data, None, joint(), templates=Templates.parse("[arcs]\nhead.upos\n[labels]\nhead.upos"))
    odd = listed_treebank()[:2]
    odd[0].upos[0] = "A;B"
    with pytest.raises(ArboraError, match="'A;B' has no place in a list"):
        train(odd, None, joint())
    many = listed_treebank()
    for number, sentence in enumerate(many):
        sentence.upos = [f"{number}-{word}" for word in range(len(sentence))]
    with pytest.raises(ArboraError, match="UPOS tags; a parser chooses among 64"):
        train(many, None, joint())
    for line in ("head.form : alone", "modifier.form", "modifier.form & tags-between : alone"):
        for section in ("tag-bigrams", "tag-trigrams"):
            with pytest.raises(ArboraError, match="about one word"):
                Templates.parse(f"[{section}]\n{line}")
    for options in (ParseOptions(certificates=True), ParseOptions(solver="ad3"), ParseOptions(solver="ilp")):
        with pytest.raises(ArboraError, match="chooses tags, by bp"):
            list(parser.parse([data[0].copy()], options))
    with pytest.raises(ArboraError, match="that chooses tags knows none"):
        list(parse_with_rules(parser, data, Rules.parse("no punct under any")))
