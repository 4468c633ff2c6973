"""Parsers against enumeration, under constraints, and whatever threads and batches there are."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from oracles.parsing import Analyses, candidates, random_parser
from oracles.trees import KINDS, all_trees, is_tree
from parse_numbers import parse_numbers

from arbora.dependency import DependencyParser, ParseOptions, preset_templates
from arbora.errors import InfeasibleTreeError
from arbora.features import Templates
from arbora.treebank import Sentence

WHOLE = preset_templates("first-order")
MODELS = ("joint", "second-stage", "both", "roles")
WORDS = list(zip(["the", "dog", "barks", "in", ",", "and", "_"],
                 ["DET", "NOUN", "VERB", "ADP", "PUNCT", "CCONJ", "_"], strict=True))  # fmt: skip


def templates_for(model: str, *, pruner: bool = False, siblings: bool = True) -> str:
    second = model != "joint"
    return str(
        Templates(
            pruner=WHOLE.pruner if pruner else [],
            arcs=WHOLE.arcs,
            labels=WHOLE.labels if model in ("joint", "both") else [],
            labeler=WHOLE.labeler if second else [],
            siblings=WHOLE.siblings if second and siblings else [],
            roles=WHOLE.labels if model == "roles" else [],
        )
    )


def draw_sentence(rng: np.random.Generator, n: int) -> Sentence:
    drawn = [WORDS[i] for i in rng.integers(len(WORDS), size=n)]
    return Sentence([form for form, _ in drawn], [form for form, _ in drawn], [tag for _, tag in drawn])


def draw_model(rng: np.random.Generator, model: str, labels: int, **options) -> DependencyParser:
    """Random weights; some labels are for the root only, some never for it."""
    kinds = rng.permutation([0, 1, 2][:labels] if labels > 1 else [2])
    pruner = options.get("pruning", 0) > 0
    return random_parser(
        rng,
        templates=templates_for(model, pruner=pruner, siblings=bool(rng.random() < 0.8)),
        labels=labels,
        at_root=[bool(kind in (0, 2)) for kind in kinds],
        below_words=[bool(kind in (1, 2)) for kind in kinds],
        scale=float(rng.choice([0.02, 0.1, 0.4, 5.0, 50.0])),
        roles=int(rng.integers(1, 12)) if model == "roles" else 0,
        **options,
    )


def run(parser: DependencyParser, sentence: Sentence, options: ParseOptions):
    """Heads, labels, probabilities of both, log-probability, with all their digits."""
    work = parse_numbers(parser, [sentence], options)
    chances = work.head_probabilities, work.label_probabilities
    log_probability = work.log_probabilities[0] if options.probabilities else None
    return tuple(work.heads.tolist()), tuple(work.labels.tolist()), *chances, log_probability


def options_for(kind: tuple[bool, bool], **more) -> ParseOptions:
    return ParseOptions(single_root=kind[0], projective=kind[1], **more)


def check_against(analyses: Analyses, parser: DependencyParser, sentence: Sentence, kind, **more) -> None:
    """Everything that a parse says of a sentence, by both decoders."""
    possible = {0: parser.header["at_root"]} | dict.fromkeys(range(1, 9), parser.header["below_words"])
    for decoder, value in (("best", analyses.best_value), ("mbr", analyses.right_words)):
        options = options_for(kind, decoder=decoder, probabilities=True, **more)
        heads, labels, of_heads, of_labels, log_probability = run(parser, sentence, options)
        assert value(heads) == pytest.approx(max(map(value, analyses.log_tree)), abs=1e-9)
        assert log_probability == pytest.approx(analyses.log_probability[heads, labels], abs=1e-9)
        words = range(1, analyses.n + 1)
        assert of_heads == pytest.approx(analyses.head_probabilities[list(heads), words], abs=1e-9)
        expected = analyses.label_probabilities(heads)
        assert of_labels == pytest.approx(expected[range(analyses.n), list(labels)], abs=1e-9)
        best = max(analyses.labellings(heads).values())
        assert analyses.labellings(heads)[labels] == pytest.approx(best, abs=1e-9)
        if not more:
            assert all(possible[head][label] for head, label in zip(heads, labels, strict=True))
        quiet = run(parser, sentence, options_for(kind, decoder=decoder, **more))
        assert quiet[:2] == (heads, labels)


def check_kbest(
    analyses: Analyses, parser: DependencyParser, sentence: Sentence, kind, k: int, **more
) -> None:
    found = next(parser.kbest([sentence], k, options_for(kind, **more)))
    expected = sorted(analyses.log_probability.values(), reverse=True)[:k]
    assert [tree.log_probability for tree in found] == pytest.approx(expected, abs=1e-9)
    keys = [(tuple(tree.heads), tuple(map(parser.labels.index, tree.deprels))) for tree in found]
    assert len(set(keys)) == len(keys)
    own = [analyses.log_probability[key] for key in keys]
    assert [tree.log_probability for tree in found] == pytest.approx(own, abs=1e-9)
    if len(analyses.log_probability) <= k:
        assert sum(exp(tree.log_probability) for tree in found) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_enumeration(model, kind):
    rng = np.random.default_rng([MODELS.index(model), *kind])
    for n, labels in [(1, 1), (1, 3), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (4, 2)]:
        parser, sentence = draw_model(rng, model, labels), draw_sentence(rng, n)
        analyses = Analyses(parser, sentence, single_root=kind[0], projective=kind[1])
        assert sum(map(exp, analyses.log_probability.values())) == pytest.approx(1, abs=1e-9)
        check_against(analyses, parser, sentence, kind)
        for k in (1, 6, 40, len(analyses.log_probability) + 3 if n < 4 else 100):
            check_kbest(analyses, parser, sentence, kind, k)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_enumeration_of_candidates(model, kind):
    rng = np.random.default_rng([9, MODELS.index(model), *kind])
    left_out = 0
    for n, labels in [(1, 2), (2, 3), (3, 3), (4, 2), (4, 2)]:
        parser = draw_model(rng, model, labels, pruning=0.2, most_heads=2)
        sentence = draw_sentence(rng, n)
        arcs = candidates(parser, sentence, *kind)
        left_out += n * n - len(arcs)
        analyses = Analyses(parser, sentence, single_root=kind[0], projective=kind[1], arcs=arcs)
        assert analyses.trees
        check_against(analyses, parser, sentence, kind)
        check_kbest(analyses, parser, sentence, kind, 30)
    assert left_out


@pytest.mark.parametrize("kind", KINDS)
def test_candidates_hold_a_tree_and_what_they_are_told_to(kind):
    rng = np.random.default_rng([1, *kind])
    for trial in range(60):
        parser = draw_model(
            rng, "joint", 2, pruning=(0.0001, 0.9)[trial % 2], most_heads=int(rng.integers(1, 4))
        )
        n = int(rng.integers(1, 25))
        sentence = draw_sentence(rng, n)
        arcs = candidates(parser, sentence, *kind)
        assert arcs == sorted(set(arcs), key=lambda arc: (arc[1], arc[0]))
        # Parsing fails if there is no tree in them.
        heads, *_ = run(parser, sentence, options_for(kind))
        assert is_tree(np.array([-1, *heads]), *kind)
        assert all(arc in arcs for arc in zip(heads, range(1, n + 1), strict=True))
        gold = draw_tree(rng, n)
        more = candidates(parser, sentence, *kind, also=gold)
        assert set(more) == set(arcs) | set(zip(gold, range(1, n + 1), strict=True))


# ---- constraints ----


def draw_tree(rng: np.random.Generator, n: int, single_root: bool = True) -> list[int]:
    order = (rng.permutation(n) + 1).tolist()
    heads = [0] * n
    for place, word in enumerate(order[1:], 1):
        heads[word - 1] = order[rng.integers(place)]
        if not single_root and rng.random() < 0.3:
            heads[word - 1] = 0
    return heads


def fits(heads: list[int | None], single_root: bool) -> bool:
    """Whether a tree with these heads exists: no cycle, and a place for the one root."""
    if single_root and heads.count(0) > 1:
        return False
    for start in range(1, len(heads) + 1):
        word, steps = start, 0
        while word and heads[word - 1] is not None:
            word, steps = heads[word - 1], steps + 1
            if steps > len(heads):
                return False
    return heads.count(0) > 0 or None in heads


def partly_known(
    rng: np.random.Generator, sentence: Sentence, parser: DependencyParser, single_root: bool
) -> Sentence:
    """Some heads of a random tree, and some labels, among them one that the model does not know."""
    known = sentence.copy()
    n, share = len(sentence), rng.random()
    tree = draw_tree(rng, n, single_root)
    known.heads = [head if rng.random() < share else None for head in tree]
    names = [*parser.labels, "unheard-of"]
    known.deprels = [str(rng.choice(names)) if rng.random() < share else "_" for _ in range(n)]
    return known


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("pruning", [0.0, 0.1])
def test_constraints_are_kept(model, pruning):
    """What is given comes out again, in a tree; labels that are rare where they are given forbid nothing."""
    rng = np.random.default_rng([7, MODELS.index(model), int(pruning * 10)])
    tried = 0
    for kind in ((True, False), (False, False)):
        for _ in range(4):
            parser = draw_model(rng, model, 3, pruning=pruning)
            known = [partly_known(rng, draw_sentence(rng, int(n)), parser, kind[0])
                     for n in rng.choice([1, 2, 3, 4, 6, 9, 14, 20], size=60)]  # fmt: skip
            for decoder in ("best", "mbr"):
                options = options_for(kind, decoder=decoder, constraints=True, probabilities=decoder == "mbr")
                for before, after in zip(
                    known, parser.parse((s.copy() for s in known), options), strict=True
                ):
                    tried += 1
                    check_kept(before, after.heads, after.deprels, kind)
            ranked = parser.kbest([s.copy() for s in known[:20]], 3, options_for(kind, constraints=True))
            for before, trees in zip(known, ranked, strict=False):
                assert trees
                for tree in trees:
                    check_kept(before, tree.heads, tree.deprels, kind)
    assert tried >= 900


def check_kept(before: Sentence, heads: list[int], deprels: list[str], kind) -> None:
    assert is_tree(np.array([-1, *heads]), *kind)
    assert all(old in (None, new) for old, new in zip(before.heads, heads, strict=True))
    assert all(old in ("_", new) for old, new in zip(before.deprels, deprels, strict=True))
    assert "_" not in deprels


@pytest.mark.parametrize("model", MODELS)
def test_contradictions_are_errors(model):
    """Random heads, most of them no tree: an error that names the sentence, or a tree that keeps them."""
    rng = np.random.default_rng([8, MODELS.index(model)])
    seen = {True: 0, False: 0}
    for trial in range(400):
        if trial % 40 == 0:
            parser = draw_model(rng, model, 3, pruning=(0.0, 0.1)[trial // 40 % 2])
        single_root, n = bool(rng.integers(2)), int(rng.integers(1, 7))
        sentence = draw_sentence(rng, n)
        sentence.heads = [None] * n
        for word in range(1, n + 1):
            if rng.random() < 0.6:
                sentence.heads[word - 1] = int(rng.choice([head for head in range(n + 1) if head != word]))
        sentence.comments = ["# sent_id = s-17"]
        options = options_for((single_root, False), constraints=True)
        possible = fits(sentence.heads, single_root)
        seen[possible] += 1
        if possible:
            before = sentence.copy()
            found = next(parser.parse([sentence], options))
            check_kept(before, found.heads, found.deprels, (single_root, False))
            continue
        with pytest.raises(InfeasibleTreeError, match="s-17"):
            next(parser.parse([sentence.copy()], options))
        with pytest.raises(InfeasibleTreeError, match="s-17"):
            next(parser.kbest([sentence], 2, options))
    assert min(seen.values()) > 50


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_an_error_if_and_only_if_no_tree_fits(model, kind):
    """Heads and labels at random, against all trees written out; given labels alone never are an error."""
    rng = np.random.default_rng([12, MODELS.index(model), *kind])
    for trial in range(150):
        if trial % 25 == 0:
            parser = draw_model(rng, model, 3, pruning=(0.0, 0.1)[trial // 25 % 2])
        n, share = int(rng.integers(1, 6)), rng.random()
        sentence = draw_sentence(rng, n)
        for word in range(1, n + 1):
            if rng.random() < share:
                sentence.heads[word - 1] = int(rng.choice([head for head in range(n + 1) if head != word]))
            if rng.random() < share:
                sentence.deprels[word - 1] = str(rng.choice([*parser.labels, "unheard-of"]))
        trees = all_trees(n, *kind)[:, 1:].tolist()
        fitting = [tree for tree in trees if all(map(lambda a, b: a in (None, b), sentence.heads, tree))]
        options = options_for(kind, constraints=True, decoder=("best", "mbr")[trial % 2])
        before = sentence.copy()
        if fitting:
            found = next(parser.parse([sentence], options))
            check_kept(before, found.heads, found.deprels, kind)
            continue
        with pytest.raises(InfeasibleTreeError):
            next(parser.parse([sentence], options))


@pytest.mark.parametrize("model", MODELS)
def test_constrained_probabilities(model):
    """Those of the model, restricted to the trees that keep what is given."""
    rng = np.random.default_rng([11, MODELS.index(model)])
    for _ in range(12):
        parser = random_parser(rng, templates=templates_for(model), labels=2)
        sentence = partly_known(rng, draw_sentence(rng, 3), parser, True)
        heads = [-1 if head is None else head for head in sentence.heads]
        labels = [parser.labels.index(name) if name in parser.labels else -1 for name in sentence.deprels]
        analyses = Analyses(parser, sentence, heads=heads, labels=labels)
        check_against(analyses, parser, sentence, (True, False), constraints=True)
        sentence.deprels = [name if name in parser.labels else "_" for name in sentence.deprels]
        check_kbest(analyses, parser, sentence, (True, False), 20, constraints=True)


@pytest.mark.parametrize("model", MODELS)
def test_labels_say_where_the_root_is(model):
    """A is the root's label only, B never: a given label decides for the head, unless that leaves no tree."""
    rng = np.random.default_rng(2)
    for _ in range(30):
        parser = random_parser(
            rng,
            templates=templates_for(model),
            labels=3,
            at_root=[True, False, True],
            below_words=[False, True, True],
        )
        sentence = draw_sentence(rng, 4)
        place = int(rng.integers(4))
        options = ParseOptions(constraints=True)
        sentence.deprels = ["A" if i == place else "_" for i in range(4)]
        assert next(parser.parse([sentence.copy()], options)).heads[place] == 0
        sentence.deprels = ["_" if i == place else "B" for i in range(4)]
        assert next(parser.parse([sentence.copy()], options)).heads[place] == 0
        sentence.deprels = ["B"] * 4
        found = next(parser.parse([sentence.copy()], options))
        assert found.deprels == ["B"] * 4
        assert is_tree(np.array([-1, *found.heads]), True, False)
        sentence.deprels = ["A", "A", "_", "_"]
        found = next(parser.parse([sentence.copy()], options))
        assert found.deprels[:2] == ["A", "A"]
        assert is_tree(np.array([-1, *found.heads]), True, False)


def test_heads_that_are_alike_share_their_scores():
    """What is kept of one head for the next, of one sentence for another, changes nothing."""
    rng = np.random.default_rng(7)
    forms = [f"w{i}" for i in range(300)]
    templates = Templates(
        arcs=WHOLE.arcs, labeler=WHOLE.labeler, siblings=Templates.parse("[siblings]\nhead.form\n").siblings
    )
    parser = random_parser(
        rng, templates=str(templates), labels=3, at_root=[True] * 3, below_words=[True] * 3, scale=0.4
    )
    sentences = []
    for _ in range(40):
        words = [str(word) for word in rng.choice(forms, size=rng.integers(1, 12))]
        sentences.append(Sentence(words, words, ["NOUN"] * len(words)))
    alone = [next(iter(parser.parse([sentence.copy()]))) for sentence in sentences]
    together = list(parser.parse(sentence.copy() for sentence in sentences))
    assert [list(s.deprels) for s in together] == [list(s.deprels) for s in alone]
    assert len({label for s in together for label in s.deprels}) == 3
