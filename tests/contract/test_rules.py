"""Trees under rules against enumeration: all labelled trees, those that the checker lets pass, the best."""

from __future__ import annotations

from itertools import product
from math import fsum, inf

import numpy as np
import pytest
from oracles.trees import all_trees
from small_neural import OPTIONS, encoder_folder
from small_training import changed, treebank

from arbora.dependency import (
    BatchParser,
    DependencyParser,
    ParseOptions,
    Rules,
    parse_with_rules,
    rule_factors,
    train,
)
from arbora.dependency.linear_model import encode
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.neural import NeuralParser, train_neural
from arbora.treebank import Sentence

KEPT = ("root", "nsubj", "nsubj:pass", "obj")
MODELS = {
    "joint": {"labels": "joint"},
    "second-stage": {"labels": "second-stage"},
    "both": {"labels": "both"},
    "second-order": {"preset": "second-order", "labels": "joint"},
    "third-order, both": {"preset": "third-order", "labels": "both"},
}
NEURAL = "neural"
"""One more of the family, on top of a small encoder: its labels are a second stage, too."""
RULES = [
    "at most 1 dep under any",
    "at least 2 nsubj:* under upos=VERB",
    "exactly 1 obj,nsubj under any in sent_id=s1",
    "exactly 1 children under upos=VERB",
    "no obj,dep under upos=VERB",
    "no children under upos=VERB",
    "at most 1 children under any",
    "root is upos!=VERB",
    "head of upos=NOUN is upos=DET or root",
    "head of upos=DET is upos=VERB",
    "label of upos=NOUN is nsubj:pass,root",
    "no arc from any to upos=DET",
    "phrase 1-2",
    "constituent 2-3",
]
SENTENCES = [
    Sentence(["the", "dog", "barks"], upos=["DET", "NOUN", "VERB"], comments=["# sent_id = s1"]),
    Sentence(["see", "the", "dog", "."], upos=["VERB", "DET", "NOUN", "PUNCT"]),
]


def few_labels(sentence: Sentence) -> Sentence:
    sentence.deprels = [label if label in KEPT else "dep" for label in sentence.deprels]
    return sentence


def small_neural_parser(data: list[Sentence]) -> NeuralParser:
    return train_neural(data[4:], data[:4], OPTIONS, encoder=encoder_folder())


@pytest.fixture(scope="module")
def parsers() -> dict[str, BatchParser]:
    data = [few_labels(sentence) for sentence in treebank() if len(sentence) < 13]
    found: dict[str, BatchParser] = {
        name: train(data[4:], data[:4], changed(pruning=0.0, **options)) for name, options in MODELS.items()
    }
    return {**found, NEURAL: small_neural_parser(data)}


class Enumerated:
    """The scores of all labelled trees of a sentence, by what the raw scores of the model add up to."""

    def __init__(self, parser: BatchParser, sentence: Sentence, kind: tuple[bool, bool]) -> None:
        self.parser, self.sentence, self.n = parser, sentence, len(sentence)
        self.graph = parser.graph(sentence, ParseOptions(single_root=kind[0], projective=kind[1]))
        arcs = list(zip(self.graph.heads.tolist(), self.graph.modifiers.tolist(), strict=True))
        assert len(arcs) == self.n**2
        self.lacks = {}
        if isinstance(parser, NeuralParser):
            for arc in arcs:
                row = log_probabilities_of_labels(parser, sentence, *arc)
                self.lacks[arc] = dict(zip(parser.labels, (row - row.max()).tolist(), strict=True))
        else:
            self._add_lacks(parser, arcs)
        self.trees = [tuple(tree) for tree in all_trees(self.n, *kind)[:, 1:].tolist()]
        self.values = {tree: self.value(tree) for tree in self.trees}

    def _add_lacks(self, parser: DependencyParser, arcs: list[tuple[int, int]]) -> None:
        header = parser.header
        joint = "[labels]\n[" not in header["templates"]
        scale = (header.get("joint_scale") or header["tree_scale"]) if joint else header["label_scale"]
        rows = parser._core.label_scores(not joint, parser._weights, encode([self.sentence]), 0, [], arcs)
        for arc, row in zip(arcs, rows, strict=True):
            own = scale * np.where(header["below_words" if arc[0] else "at_root"], row, -inf)
            self.lacks[arc] = dict(zip(parser.labels, (own - own.max()).tolist(), strict=True))

    def value(self, tree: tuple[int, ...]) -> float:
        heads = np.array([-1, *tree])[self.graph.modifiers]
        return self.graph.graph._core.value((heads == self.graph.heads).astype(np.uint8))

    def labelled(self, tree: tuple[int, ...]):
        """Every labelling of a tree, and its score."""
        rows = [self.lacks[head, word] for word, head in enumerate(tree, 1)]
        for labels in product(*([name for name, lack in row.items() if lack > -inf] for row in rows)):
            lack = fsum(row[name] for row, name in zip(rows, labels, strict=True))
            yield list(labels), self.values[tree] + lack

    def best(self, rules: Rules, trees: list[tuple[int, ...]] | None = None) -> float:
        """The best score of a labelled tree that the checker lets pass; -inf if there is none."""
        best, probe = -inf, self.sentence.copy()
        for tree in trees or self.trees:
            for labels, value in self.labelled(tree):
                if value > best:
                    probe.heads, probe.deprels = list(tree), labels
                    if not rules.violations(probe):
                        best = value
        return best


def log_probabilities_of_labels(parser: NeuralParser, sentence: Sentence, head: int, word: int) -> np.ndarray:
    """Of the arc from this head, in a tree that has it."""
    others = head or word
    heads = [0 if other == others else others for other in range(1, len(sentence) + 1)]
    heads[word - 1] = head
    table = parser.probabilities(Sentence(sentence.forms, heads=heads), given_heads=True)[1]
    with np.errstate(divide="ignore"):
        return np.log(table[word])


def check(parser: BatchParser, every: Enumerated, rules: Rules, options: ParseOptions) -> str:
    """What came of it: nothing to do, changed, or impossible; and that this is right."""
    own = next(parser.parse([every.sentence.copy()], options))
    expected = every.best(rules)
    asked = every.sentence.copy()
    if expected == -inf:
        with pytest.raises(InfeasibleTreeError, match=r"it would break the rule rules:[1-4]: .*, at t"):
            next(parse_with_rules(parser, [asked], rules, options))
        assert asked == every.sentence, "nothing is left half done"
        return "impossible"
    found = next(parse_with_rules(parser, [asked], rules, options))
    assert not rules.violations(found)
    if not rules.violations(own):
        assert found == own
        return "as it was"
    assert found.metadata("certificate") == "proved"
    tree = tuple(found.heads)
    assert every.best(rules, [tree]) == pytest.approx(expected, abs=1e-9)
    if isinstance(parser, NeuralParser) or "[labeler]\n[" in parser.header["templates"]:
        values = {tuple(labels): value for labels, value in every.labelled(tree)}
        assert values[tuple(found.deprels)] == pytest.approx(expected, abs=1e-9)
    return "changed"


@pytest.mark.parametrize("model", [*MODELS, NEURAL])
def test_each_rule_against_enumeration(model, parsers):
    seen = set()
    for sentence in SENTENCES:
        every = Enumerated(parsers[model], sentence, (True, False))
        for text in RULES:
            seen.add(check(parsers[model], every, Rules.parse(text), ParseOptions(certificates=True)))
    assert {"changed", "impossible"} <= seen


def test_integer_programs_find_the_same(parsers, monkeypatch):
    monkeypatch.setattr(rule_factors, "ITERATIONS", 1)
    every = Enumerated(parsers["joint"], SENTENCES[1], (True, True))
    for text in RULES:
        check(parsers["joint"], every, Rules.parse(text), ParseOptions(certificates=True, projective=True))


def test_a_search_that_ends_early_says_what_it_may_lack(parsers, monkeypatch):
    """Its tree satisfies the rules all the same, and no tree is better by more than the gap."""
    for name in ("FEW_ARCS", "PART_ITERATIONS", "PART_NODES"):
        monkeypatch.setattr(rule_factors, name, int(name != "FEW_ARCS"))
    parser, said = parsers["second-order"], []
    every = Enumerated(parser, SENTENCES[1], (True, False))
    for rules in map(Rules.parse, RULES):
        expected = every.best(rules)
        if expected == -inf:
            continue
        asked = [every.sentence.copy()]
        found = next(parse_with_rules(parser, asked, rules, ParseOptions(certificates=True)))
        assert not rules.violations(found)
        said.append(found.metadata("certificate") or "")
        gap = float(said[-1].removeprefix("gap ").replace("proved", "0"))
        labelled = {tuple(labels): value for labels, value in every.labelled(tuple(found.heads))}
        assert expected - 1e-6 <= labelled[tuple(found.deprels)] + gap
    assert any(text.startswith("gap ") for text in said)


@pytest.mark.parametrize("kind", [(False, False), (True, True), (False, True)])
@pytest.mark.parametrize("model", ["joint", "third-order, both", NEURAL])
def test_several_rules_and_kinds_of_trees(model, kind, parsers):
    rng, seen = np.random.default_rng(5), set()
    options = ParseOptions(single_root=kind[0], projective=kind[1], certificates=True)
    every = Enumerated(parsers[model], SENTENCES[0], kind)
    for _ in range(12):
        rules = Rules.parse("\n".join(rng.choice(RULES, size=int(rng.integers(2, 5)), replace=False)))
        seen.add(check(parsers[model], every, rules, options))
    assert {"changed", "impossible"} <= seen


@pytest.mark.parametrize("model", ["joint", "second-stage", "second-order", NEURAL])
def test_whole_sentences_satisfy_all_rules(model):
    """With arcs that were pruned, where no candidates do; labels as many as there are."""
    data = [sentence for sentence in treebank() if 5 < len(sentence) < 15]
    parser = small_neural_parser(data) if model == NEURAL else train(data, None, changed(**MODELS[model]))
    rules = Rules.parse(
        "no children under upos=PUNCT\nroot is upos!=VERB\nat most 1 nsubj:*,obj under any\n"
        "label of upos=DET is det,nmod\nphrase 3-5\nno arc from upos=NOUN to upos=ADP"
    )
    assert any(rules.violations(sentence) for sentence in parser.parse(s.copy() for s in data))
    found = list(parse_with_rules(parser, (s.copy() for s in data), rules, ParseOptions(batch=30)))
    assert [sentence.forms for sentence in found] == [sentence.forms for sentence in data]
    for sentence in found:
        assert not rules.violations(sentence)
        assert len(sentence.roots) == 1
        sentence.nonprojective_words()  # no cycles
    again = parse_with_rules(parser, (s.copy() for s in data), rules, ParseOptions(threads=2))
    assert list(again) == found


@pytest.mark.parametrize("model", ["joint", "both", NEURAL])
def test_rules_beside_what_is_given(model, parsers):
    sentence = SENTENCES[1].copy()
    sentence.heads = [None, 4, None, None]
    sentence.deprels = ["_", "odd", "obj", "_"]
    options = ParseOptions(constraints=True)

    def parsed(text: str) -> Sentence:
        rules = Rules.parse(text)
        found = next(parse_with_rules(parsers[model], [sentence.copy()], rules, options))
        assert not rules.violations(found)
        assert (found.heads[1], found.deprels[1], found.deprels[2]) == (4, "odd", "obj")
        return found

    assert parsed("root is upos=PUNCT").roots == [4]
    assert parsed("no obj under upos=VERB\nroot is upos=VERB").heads[2] in (2, 4)
    parsed("at most 1 children under any\nlabel of id=4 is nsubj,root")
    for text, place in [("label of upos=DET is det,dep", "at token 2 ('the')"),
                        ("no odd under any", "at token 4 ('.')"),
                        ("head of id=2 is id=1", "at token 2 ('the')")]:  # fmt: skip
        with pytest.raises(InfeasibleTreeError) as caught:
            parsed(text)
        assert f"rules:1: {text}, {place}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("\nroot is upos=ADJ", ["rules:2: root is upos=ADJ, at the root"]),
        ("at most 9 dep under any\nphrase 2-9", ["rules:2: phrase 2-9, at token 4 ('.')"]),
        (
            "no children under upos!=PUNCT\nphrase 1-2\nroot is upos=VERB",
            [
                "rules:1: no children under upos!=PUNCT, at token 1 ('see')",
                "rules:3: root is upos=VERB, at the root",
            ],
        ),
        ("at least 4 children under id=3", ["rules:1: at least 4 children under id=3, at token 3 ('dog')"]),
        (
            "at least 1 iobj under upos=VERB",
            ["rules:1: at least 1 iobj under upos=VERB, at token 1 ('see'), as the model has no such label"],
        ),
        (
            "label of upos=DET is expl",
            ["rules:1: label of upos=DET is expl, at token 2 ('the'), as the model has no such label"],
        ),
    ],
)
def test_what_cannot_be_is_named(text, named, parsers):
    """A conflict from which nothing can be left out, with sentence, line and word."""
    with pytest.raises(InfeasibleTreeError) as caught:
        list(parse_with_rules(parsers["joint"], [SENTENCES[1].copy()], Rules.parse(text)))
    reason = " or ".join(f"the rule {name}" for name in named)
    start = "no tree fits what is given for the sentence 'see the dog .': it would break "
    assert str(caught.value) == start + reason


def test_rules_go_with_the_best_tree(parsers):
    for options in (ParseOptions(probabilities=True), ParseOptions(decoder="mbr")):
        with pytest.raises(ArboraError, match="rules go with the best tree"):
            list(parse_with_rules(parsers["joint"], SENTENCES, Rules.parse(""), options))
