"""Small sentences and models with numbers by chance, for generative models and their slow twin."""

from __future__ import annotations

from collections.abc import Sequence as Several
from typing import Any

import numpy as np
from oracles import generative as oracle
from oracles.generative import Chances, Event, Given, Twin
from oracles.trees import all_trees
from small_training import treebank

from arbora.generative.corpus import Item, encode
from arbora.generative.decisions import Estimate, Table
from arbora.generative.estimation import ExpectedCounts
from arbora.generative.kinds import GenerativeModel, make_model
from arbora.generative.options import GenerativeOptions
from arbora.generative.parser import GenerativeParser
from arbora.generative.scoring import LearnedModel
from arbora.generative.task import GenerativeTask
from arbora.generative.units import Units
from arbora.training import run
from arbora.treebank import Sentence

TAGS, WORDS, LABELS = ("A", "B"), ("u", "v"), ("k", "l", "m")
STRANGE = "?"
"""A tag, and a word, that no model knows."""
SIDES = {"left": 0, "right": 1, "root": 2, "": 0}
BINS = {"1": 0, "2": 1, "3-6": 2, "7+": 3, "": 0}


def options_of(**changes: Any) -> GenerativeOptions:
    return GenerativeOptions(**{"iterations": 0, "punctuation": True, **changes}).check()


def kind_of(options: GenerativeOptions, labels: int = 1) -> GenerativeModel:
    has_tags, has_words = options.units != "words", options.units != "tags"
    units = Units(options, TAGS if has_tags else (), WORDS if has_words else ())
    return make_model(options, units, labels)


def twin_of(kind: GenerativeModel) -> Twin:
    """The numbers of outcomes are those that the names have, and one for what is unknown."""
    options, units = kind.options, kind.units
    sizes = {"label": kind.labels, "tag": len(units.tags) + 1, "word": len(units.words) + 1, "stop": 2}
    return Twin(
        options.model,
        options.units,
        kind.labels,
        sizes,
        options.direction,
        options.distance,
        options.single_root,
        options.projective,
    )


def key_of(kind: GenerativeModel, event: Event) -> tuple[str, int]:
    """Where the production code has an event: its features in numbers, and these as one number."""
    name, context, outcome = event
    (decision,) = (each for each in kind.decisions if each.name == name)
    features = {
        feature: _number(kind, feature, value) for feature, value in (*context, (decision.outcome, outcome))
    }
    arrays = {feature: np.array([number]) for feature, number in features.items()}
    return name, int(decision.keys(arrays)[0])


def _number(kind: GenerativeModel, feature: str, value: Any) -> int:
    if feature in ("tag", "word", "head_tag", "head_word"):
        names = kind.units.tags if feature.endswith("tag") else kind.units.words
        own = 0 if value == oracle.ROOT else names.index(value) + 2 if value in names else 1
        return own if feature.startswith("head") else own - 1
    if feature == "place":
        side, far = value
        return SIDES[side] * 4 + BINS[far] if kind.options.distance else SIDES[side]
    return SIDES[value] if feature == "side" else int(value)


def sentence_of(rng: np.random.Generator, n: int) -> Sentence:
    """Words and tags by chance; some are unknown."""
    return Sentence(
        rng.choice([*WORDS, STRANGE], n, p=[0.4, 0.4, 0.2]).tolist(),
        upos=rng.choice([*TAGS, STRANGE], n, p=[0.4, 0.4, 0.2]).tolist(),
    )


def partly_given(rng: np.random.Generator, sentence: Sentence, kind: GenerativeModel) -> Sentence:
    """With some heads and labels of a tree, whatever the model thinks of it."""
    n = len(sentence)
    rows = all_trees(n, kind.single_root, kind.projective)
    heads = rows[rng.integers(len(rows)), 1:].tolist()
    hidden, nameless = rng.random(n) < 0.5, rng.random(n) < 0.5
    return Sentence(
        sentence.forms,
        upos=sentence.upos,
        heads=[None if hide else head for head, hide in zip(heads, hidden, strict=True)],
        deprels=["_" if hide else str(rng.choice(LABELS[: kind.labels])) for hide in nameless],
    )


def given_of(sentence: Sentence, labels: int) -> Given:
    """The sentence as the twin takes it."""
    words = tuple(
        (tag if tag in TAGS else oracle.UNKNOWN, form if form in WORDS else oracle.UNKNOWN)
        for tag, form in zip(sentence.upos, sentence.forms, strict=True)
    )
    known = tuple(LABELS.index(name) if name in LABELS[:labels] else None for name in sentence.deprels)
    return Given(words, tuple(sentence.heads), known if labels > 1 else ())


def items_of(kind: GenerativeModel, sentences: Several[Sentence], *, with_trees: bool = True) -> list[Item]:
    numbers = {name: number for number, name in enumerate(LABELS[: kind.labels])}
    return [
        encode(each, kind.units, numbers, with_trees=with_trees, with_labels=kind.labels > 1)
        for each in sentences
    ]


def random_counts(
    rng: np.random.Generator, expected: ExpectedCounts, zeros: float
) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Counts of all events that trees of the corpus can have; that share of them is 0."""
    return {
        name: rng.gamma(1.0, size=len(keys)) * (rng.random(len(keys)) >= zeros)
        for name, keys in expected.keys.items()
    }


def learned_of(kind: GenerativeModel, expected: ExpectedCounts) -> LearnedModel:
    """The model of the present tables."""
    found = {
        each.name: Estimate(each, [expected.tables[each.name]], kind.options.addend)
        for each in kind.decisions
    }
    return LearnedModel(kind, found, LABELS[: kind.labels] if kind.labels > 1 else ())


def outcomes_of(kind: GenerativeModel, name: str) -> list[object]:
    """All that a decision can come to, as the twin says it."""
    return {
        "label": list(range(kind.labels)),
        "tag": [*kind.units.tags, oracle.UNKNOWN],
        "word": [*kind.units.words, oracle.UNKNOWN],
        "stop": [False, True],
    }[name]


def chances_of(
    twin: Twin, kind: GenerativeModel, givens: Several[Given], tables: dict[str, Table], addend: float
) -> Chances:
    """The same counts, as the twin's dictionary: of all that can be decided in any tree of the sentences."""
    counts: dict[Event, float] = {}
    for given in givens:
        for tree in twin.trees(given):
            for name, context, outcome in twin.story(given.words, tree):
                if (name, context, outcome) in counts:
                    continue
                for other in outcomes_of(kind, name):
                    key = key_of(kind, (name, context, other))[1]
                    counts[name, context, other] = float(tables[name].find(np.array([key]))[0])
    return Chances(twin, counts, addend)


def trained(
    sentences: Several[Sentence], options: GenerativeOptions, *, dev: Any = None, **own: Any
) -> GenerativeParser:
    return run(GenerativeTask(sentences, dev, options, **own))


def english(longest: int = 99) -> list[Sentence]:
    """The project's treebank."""
    return [sentence for sentence in treebank("en") if len(sentence) <= longest]
