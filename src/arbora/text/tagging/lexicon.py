"""What a tagger knows of a treebank besides weights: its labels, and which of them a word may have.

The tensors of a dictionary are ``keys`` (uint64, rising), ``starts`` (uint32) and ``lists`` (uint16): the
labels of ``keys[i]`` are ``lists[starts[i] : starts[i + 1]]``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.text.tagging.templates import TaggerTemplates, least_counts
from arbora.treebank import Sentence

Integers: TypeAlias = npt.NDArray[np.int32]
Lists: TypeAlias = dict[str, npt.NDArray[Any]]

IDENTITY = "k0,0,0,0:"
"""The edit script that changes nothing: what is left where no other fits."""
RARE = 2
"""Forms that training has seen at most so often tell which labels unknown ones may have."""
OPEN = 0.0005
"""A tag is open if at least this share of rare words has it."""
CLASS_LEAST, CLASS_SHARE, CLASS_MOST = 3, 0.05, 4
"""A form's class is the set of its most frequent tags, if training has seen the form so often: those with at
least this share, up to this many."""


@dataclass(slots=True)
class Labels:
    """The names of all labels: UPOS tags; (UPOS, XPOS, FEATS); edit scripts.

    >>> from arbora.treebank import Sentence
    >>> labels = Labels.of([Sentence(["Dogs"], ["dog"], ["NOUN"], ["NNS"], ["Number=Plur"])])
    >>> labels.upos, labels.morph, labels.scripts
    (['NOUN'], [(0, 'NNS', 'Number=Plur')], ['k0,0,0,0:', 'l0,0,1,0:s'])
    """

    upos: list[str]
    morph: list[tuple[int, str, str]]
    scripts: list[str]

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> Labels:
        """All labels of a treebank, in an order that depends on nothing else."""
        upos = sorted({tag for sentence in sentences for tag in sentence.upos})
        numbers = {tag: number for number, tag in enumerate(upos)}
        morph = {
            (numbers[tag], xpos, feats)
            for s in sentences
            for tag, xpos, feats in zip(s.upos, s.xpos, s.feats, strict=True)
        }
        pairs = {pair for s in sentences for pair in zip(s.forms, s.lemmas, strict=True)}
        scripts = {_core.find_script(form, lemma) for form, lemma in pairs}
        return cls(upos, sorted(morph), [IDENTITY, *sorted(scripts - {IDENTITY})])

    def numbers(self, sentences: Sequence[Sentence]) -> list[Integers]:
        """Every stage's labels of all words; -1 where there is no such label."""
        upos = {tag: number for number, tag in enumerate(self.upos)}
        morph = {label: number for number, label in enumerate(self.morph)}
        script = {text: number for number, text in enumerate(self.scripts)}
        found: dict[tuple[str, str], int] = {}
        result: list[list[int]] = [[], [], []]
        for s in sentences:
            for tag, xpos, feats in zip(s.upos, s.xpos, s.feats, strict=True):
                result[0].append(upos.get(tag, -1))
                result[1].append(morph.get((result[0][-1], xpos, feats), -1))
            for pair in zip(s.forms, s.lemmas, strict=True):
                if pair not in found:
                    found[pair] = script.get(_core.find_script(*pair), -1)
                result[2].append(found[pair])
        return [np.array(column, np.int32) for column in result]

    def pieces(self, stage: str) -> tuple[list[list[int]], int]:
        """What the labels of a stage are made of, and how many such pieces there are.

        Most are one piece each. XPOS with FEATS is itself, the XPOS and every ``Name=Value``, each together
        with the UPOS: labels that share one learn together.
        """
        if stage != "morph":
            count = len(self.upos if stage == "upos" else self.scripts)
            return [[label] for label in range(count)], count
        numbers: dict[tuple[object, ...], int] = {label: i for i, label in enumerate(self.morph)}
        result = []
        for label in self.morph:
            upos, xpos, feats = label
            parts = [label, (upos, xpos), *((upos, "feat", item) for item in dict.fromkeys(feats.split("|")))]
            result.append([numbers.setdefault(part, len(numbers)) for part in parts])
        return result, len(numbers)

    def padding(self, stage: str) -> int:
        """How many weights follow a stage's power of two: as many as a feature can have."""
        pieces, count = self.pieces(stage)
        return max(count, len(pieces) + 2)  # the labels before the first and after the last word


def make_lists(levels: Sequence[tuple[npt.NDArray[np.uint64], int]], labels: Integers) -> Lists:
    """The labels that were seen with each key; a level is the keys of all words, and how often is enough.

    >>> keys = np.array([7, 7, 5, 7], np.uint64)
    >>> lists = make_lists([(keys, 2)], np.array([3, 1, 0, 3], np.int32))
    >>> {name: array.tolist() for name, array in lists.items()}
    {'keys': [7], 'starts': [0, 2], 'lists': [1, 3]}
    """
    all_keys, all_labels = [np.empty(0, np.uint64)], [np.empty(0, np.int32)]
    for keys, least in levels:
        _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
        often = counts[places] >= least
        all_keys.append(keys[often])
        all_labels.append(labels[often])
    joined_keys, joined_labels = np.concatenate(all_keys), np.concatenate(all_labels)
    order = np.lexsort((joined_labels, joined_keys))
    joined_keys, joined_labels = joined_keys[order], joined_labels[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (joined_keys[1:] != joined_keys[:-1]) | (joined_labels[1:] != joined_labels[:-1])
    keys, counts = np.unique(joined_keys[is_new], return_counts=True)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
    return {"keys": keys, "starts": starts, "lists": joined_labels[is_new].astype(np.uint16)}


def make_classes(text: _core.TagText, tags: Integers) -> Lists:
    """The class of every form in lower case that was seen often enough: which tags it has."""
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for key, tag in zip(text.atoms("lower").tolist(), tags.tolist(), strict=True):
        counts[key][tag] += 1
    found = {}
    for key, seen in counts.items():
        total = seen.total()
        if total >= CLASS_LEAST:
            frequent = sorted(seen, key=lambda tag: (-seen[tag], tag))[:CLASS_MOST]
            found[key] = tuple(tag for tag in frequent if seen[tag] >= CLASS_SHARE * total)
    numbers = {tags_of: number for number, tags_of in enumerate(sorted(set(found.values())))}
    keys = np.array(sorted(found), np.uint64)
    lists = np.array([numbers[found[key]] for key in keys.tolist()], np.uint16)
    return {"keys": keys, "starts": np.arange(len(keys) + 1, dtype=np.uint32), "lists": lists}


def make_candidates(
    templates: TaggerTemplates, stage: str, text: _core.TagText, labels: Integers, *, training: bool
) -> Lists:
    """A stage's dictionary; words of the text have the atoms of earlier stages."""
    counts = [least_counts(template) for template in templates.of(f"{stage}-candidates")]
    levels = [
        (text.keys(compiled), count[0 if training else 1])
        for compiled, count in zip(templates.compile(stage)["candidates"], counts, strict=True)
    ]
    return make_lists(levels, labels)


def open_labels(stage: str, sentences: Sequence[Sentence], labels: Integers) -> list[int]:
    """The candidates of words that no level of the dictionary knows."""
    if stage == "lemma":
        return [0]
    if stage == "morph":
        return [int(np.bincount(labels).argmax())]
    forms = [form for sentence in sentences for form in sentence.forms]
    seen = Counter(forms)
    rare = Counter(
        label for form, label in zip(forms, labels.tolist(), strict=True) if seen[form] <= RARE
    ) or Counter(labels.tolist())
    return sorted(label for label, count in rare.items() if count >= OPEN * rare.total())
