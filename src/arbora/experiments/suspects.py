"""How many errors that were put into a treebank on purpose are among the first that `arbora suspects` lists.

Of the words of a treebank 2 % get another head, drawn among those that keep the sentence a tree; in another
copy as many get another label, drawn by how often each is used. Parsers that have not seen the treebank judge
it, and its words are ranked in several ways: the share of the first 5 % that are corrupted is the precision,
the share of the corrupted ones that are among them the recall.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import sqrt
from typing import Any, TypeAlias

from rich.table import Table

import arbora
from arbora.dependency import find_suspects, judge_unseen, preset_options, train
from arbora.errors import ArboraError
from arbora.evaluation import Judgement, WordJudgement, judge
from arbora.experiments.figure import bar_chart
from arbora.treebank import Sentence, read

SHARE, CUT = 0.02, 0.05
"""Of words that are corrupted, and that are listed."""
PRESETS = ("first-order", "second-order")
SHIPPED = "en (shipped)"
FOLDS = 5
RANKINGS: dict[str, Callable[[WordJudgement], float]] = {
    "head": lambda word: word.head_probability or 0.0,
    "head x label": lambda word: word.probability or 0.0,
    "least of both": lambda word: min(word.head_probability or 0.0, _root(word.label_probability)),
}
"""Other ways to rank words than that of `find_suspects`: the lowest first."""
OURS = "suspects"

Place: TypeAlias = tuple[int, int]
"""A sentence, from 0, and a word of it, from 1."""


def run(
    train: str,
    dev: str,
    seed: int = 1,
    epochs: int = 10,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Precision and recall of every judge and ranking, in plain data.

    Parsers of `PRESETS` learn from the file ``train``; the shipped pipeline, which learned from English EWT,
    is for that alone; and parsers of five folds learn from the corrupted copy of ``dev`` itself.
    """
    gold = list(read(dev))
    copies = {"heads": corrupt_heads(gold, SHARE, seed), "labels": corrupt_labels(gold, SHARE, seed)}
    rows, names = {}, [*PRESETS, SHIPPED, f"{FOLDS} folds of dev"]
    for done, name in enumerate(names):
        judged = _judge_of(name, train, epochs, seed)
        rows[name] = {what: _scores(copy, changed, judged(copy)) for what, (copy, changed) in copies.items()}
        if progress is not None:
            progress(done + 1, len(names))
    words = sum(map(len, gold))
    return {"words": words, "listed": round(CUT * words), "seed": seed, "epochs": epochs, "judges": rows}


def _judge_of(
    name: str, path: str, epochs: int, seed: int
) -> Callable[[Sequence[Sentence]], list[Judgement]]:
    options = preset_options(name if name in PRESETS else PRESETS[0], epochs=epochs, seed=seed)
    if name in PRESETS:
        parser = train(list(read(path)), options=options)
        return lambda copy: list(judge(copy, parser))
    if name == SHIPPED:
        return lambda copy: list(judge(copy, arbora.load()))
    return lambda copy: judge_unseen(copy, FOLDS, options, seed=seed)


def corrupt_heads(
    sentences: Iterable[Sentence], share: float, seed: int
) -> tuple[list[Sentence], set[Place]]:
    """Copies in which so many words have another head that leaves a tree with one root, and which they are.

    >>> tree = Sentence(["a", "b", "c"], heads=[2, 0, 2])
    >>> (copy,), changed = corrupt_heads([tree], 1 / 3, 1)
    >>> copy.heads, changed
    ([2, 0, 1], {(0, 3)})
    """
    copies = [sentence.copy() for sentence in sentences]
    places = _places(copies, seed)
    wanted, changed = round(share * len(places)), set[Place]()
    rng = random.Random(seed)
    for place, word in places:
        if len(changed) == wanted:
            break
        heads = copies[place].heads
        below = _below(heads, word)
        choices = [head for head in range(1, len(heads) + 1) if head not in below and head != heads[word - 1]]
        if heads[word - 1] and choices:
            heads[word - 1] = rng.choice(choices)
            changed.add((place, word))
    return copies, changed


def corrupt_labels(
    sentences: Iterable[Sentence], share: float, seed: int
) -> tuple[list[Sentence], set[Place]]:
    """Copies in which so many words, but no roots, have another label, and which they are."""
    copies = [sentence.copy() for sentence in sentences]
    every = [label for own in copies for label, head in zip(own.deprels, own.heads, strict=True) if head]
    if len(set(every)) < 2:
        raise ArboraError("a treebank with at least two labels below words is needed")
    wanted = round(share * sum(map(len, copies)))
    rng = random.Random(seed)
    changed = [(s, w) for s, w in _places(copies, seed) if copies[s].heads[w - 1]][:wanted]
    for place, word in changed:
        labels = copies[place].deprels
        old = labels[word - 1]
        while labels[word - 1] == old:
            labels[word - 1] = rng.choice(every)
    return copies, set(changed)


def _places(sentences: Sequence[Sentence], seed: int) -> list[Place]:
    """Of all words, in an order that the seed draws."""
    places = [(place, word) for place, own in enumerate(sentences) for word in range(1, len(own) + 1)]
    random.Random(seed).shuffle(places)
    return places


def _below(heads: Sequence[int | None], word: int) -> set[int]:
    """A word and all below it."""
    found, new = {word}, {word}
    while new:
        new = {own for own, head in enumerate(heads, 1) if head in new}
        found |= new
    return found


def _scores(
    sentences: Sequence[Sentence], changed: set[Place], judgements: Sequence[Judgement]
) -> dict[str, dict[str, float]]:
    """Precision and recall of each ranking at the cut."""
    orders = {OURS: [(one.sentence, one.word) for one in find_suspects(sentences, judgements).words]}
    words = dict(_words(judgements))
    for name, key in RANKINGS.items():
        orders[name] = sorted(words, key=lambda place, key=key: key(words[place]))  # type: ignore[misc]
    cut = round(CUT * sum(map(len, sentences)))
    found = {name: sum(place in changed for place in order[:cut]) for name, order in orders.items()}
    return {name: {"precision": hits / cut, "recall": hits / len(changed)} for name, hits in found.items()}


def _words(judgements: Iterable[Judgement]) -> Iterator[tuple[Place, WordJudgement]]:
    for place, judgement in enumerate(judgements):
        for id, word in enumerate(judgement.words, 1):
            yield (place, id), word


def _root(probability: float | None) -> float:
    """Labels are surer than heads: the root of their probability is to be compared with that of a head."""
    return 1.0 if probability is None else sqrt(max(probability, 0.0))


def table(result: dict[str, Any]) -> Table:
    """A row for each judge and ranking: precision and recall of corrupted heads, and of labels."""
    shown = Table(
        title=f"{100 * SHARE:.0f} % of {result['words']:,} words corrupted, "
        f"the first {result['listed']:,} listed, seed {result['seed']}"
    )
    for name in ("judge", "ranking"):
        shown.add_column(name)
    for what in ("heads", "labels"):
        shown.add_column(f"{what}\nprecision", justify="right")
        shown.add_column("recall", justify="right")
    for judge_name, found in result["judges"].items():
        for ranking in found["heads"]:
            cells = [
                found[what][ranking][key] for what in ("heads", "labels") for key in ("precision", "recall")
            ]
            shown.add_row(judge_name, ranking, *(f"{100 * cell:.1f}" for cell in cells))
    return shown


def figure(result: dict[str, Any]) -> str:
    """Bars: recall of corrupted heads and labels."""
    judges = list(result["judges"])
    series = {
        what: [100 * result["judges"][name][what][OURS]["recall"] for name in judges]
        for what in ("heads", "labels")
    }
    return bar_chart("Corrupted words among the first 5 %", "%", judges, series)
