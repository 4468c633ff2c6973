"""Treebanks that a parser can learn from: read, checked, and as the core sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arbora import _core, trees
from arbora.dependency.linear_model import encode
from arbora.dependency.options import MOST_NAMED_TAGS, TrainingOptions
from arbora.dependency.root_label import MOST_NOISE, OTHER, ROOT, Flags, kept_to_root
from arbora.errors import ArboraError, FileError, InfeasibleTreeError
from arbora.treebank import Sentence, read
from arbora.treebank.formats import find_format
from arbora.treebank.sentence import UNKNOWN

# The greatest share of arcs that cross others in a treebank that is learned as a projective one.
MOST_CROSSING = 0.005

Integers: TypeAlias = npt.NDArray[np.int32]

LEAST_WHOLE_WORDS = 100
"""Whole trees with fewer words than that, among partial ones, are no sample to fit a scale to."""


@dataclass(slots=True)
class TrainingData:
    """A treebank as the core sees it.

    Heads and labels that are not known are -1, as are labels without a number. ``whole`` has heads of whole
    trees: where some are not known, those of near words. ``labelled`` tells the words whose head and label
    are known.
    """

    encoded: _core.Encoded
    heads: Integers
    labels: Integers
    whole: Integers
    labelled: npt.NDArray[np.bool_]
    tags: Integers | None = None  # where each word's own stands among those that it may have
    upos: Integers | None = None  # the same as numbers of tags, -1 if there is no such

    def __len__(self) -> int:
        return len(self.encoded)

    def first(self, count: int) -> TrainingData:
        """So many sentences from the beginning, or all if there are fewer."""
        count = min(count, len(self))
        words = sum(self.encoded.lengths()[:count])
        return TrainingData(
            self.encoded.first(count),
            self.heads[:words],
            self.labels[:words],
            self.whole[:words],
            self.labelled[:words],
        )

    def checksum(self) -> bytes:
        """Of all of it."""
        columns = [self.heads, self.labels, *([] if self.upos is None else [self.upos])]
        return b"".join([self.encoded.checksum().to_bytes(8, "little"), *(c.tobytes() for c in columns)])


def encode_trees(sentences: Sequence[Sentence], labels: Mapping[str, int], tags: list[str]) -> TrainingData:
    """A treebank as the core sees it."""
    whole = np.array([head for sentence in sentences for head in completed(sentence)], np.int32)
    known = [-1 if head is None else head for sentence in sentences for head in sentence.heads]
    heads = np.array(known, np.int32)
    names = [label for sentence in sentences for label in sentence.deprels]
    numbers = np.array([labels.get(label, -1) for label in names], np.int32)
    labelled = (heads >= 0) & np.array([label != UNKNOWN for label in names], np.bool_)
    data = TrainingData(encode(sentences, tags), heads, numbers, whole, labelled)
    if tags:
        data.tags, data.upos = gold_tags(sentences, tags)
    return data


def known_labels(sentences: Sequence[Sentence]) -> list[str]:
    """The labels of a treebank, in order; one more if words have none but `root`, which is for the root."""
    labels = {label for sentence in sentences for label in sentence.deprels} - {UNKNOWN}
    return sorted(labels | {OTHER} if labels == {ROOT} else labels)


def seen_labels(data: TrainingData, labels: Sequence[str]) -> tuple[Flags, Flags]:
    """Which labels were seen at the root, and which below words; but `root` was not seen below words.

    Nor were others at the root, if these are few enough to be mistakes. A label that only words without a
    head have, or no word at all, may be anywhere.
    """
    at_root, below_words = np.zeros(len(labels), np.bool_), np.zeros(len(labels), np.bool_)
    roots = data.labels[(data.heads == 0) & (data.labels >= 0)]
    at_root[roots] = True
    below_words[data.labels[(data.heads > 0) & (data.labels >= 0)]] = True
    nowhere = ~(at_root | below_words)
    at_root, below_words = at_root | nowhere, below_words | nowhere
    is_root = np.array([label == ROOT for label in labels])
    if len(roots) and (~is_root[roots]).sum() <= MOST_NOISE * len(roots):
        at_root = is_root
    if not below_words.any():  # all sentences had one word; longer ones must find some label
        below_words = at_root
    return at_root.tolist(), kept_to_root(labels, below_words.tolist())


def forget_mistakes(data: TrainingData, at_root: Flags, below_words: Flags) -> None:
    """Labels of arcs that cannot have them are not known."""
    possible = np.array([at_root, below_words])
    known = (data.heads >= 0) & (data.labels >= 0)
    known[known] = ~possible[np.minimum(data.heads[known], 1), data.labels[known]]
    data.labels[known] = -1


def read_trees(path: str, *, single_root: bool) -> list[Sentence]:
    """The sentences of a treebank that has some words."""
    try:
        with read(path, word_format(path, None), single_root=single_root) as reader:
            found: list[Sentence] = list(reader)
    except FileError as error:
        if error.reason.startswith("two roots"):
            error.reason += "; --multi-root allows that"
        raise
    if not any(map(len, found)):
        raise FileError("there are no words in this treebank", file=path)
    return found


def word_format(path: str, name: str | None) -> str:
    """The name of the file's format, which must be one of words and heads."""
    found = find_format(path, name).name
    if found not in ("conllu", "conllx"):
        raise FileError(f"the format {found} has no heads: it must be conllu or conllx", file=path)
    return found


def tag_names(sentences: Sequence[Sentence]) -> list[str]:
    """The UPOS tags among which a parser will choose; ArboraError if there is nothing to learn that from."""
    key = _core.candidates_key
    if not any(key in misc for sentence in sentences for misc in sentence.misc):
        raise ArboraError(
            f"a parser that chooses tags learns from lists of a tagger ({key} in MISC) beside gold UPOS: "
            "`arbora train pipeline --preset joint` sees to both"
        )
    names = sorted({tag for sentence in sentences for tag in sentence.upos if tag != "_"})
    if len(names) > MOST_NAMED_TAGS:
        raise ArboraError(
            f"there are {len(names)} UPOS tags; a parser chooses among {MOST_NAMED_TAGS} at the most"
        )
    odd = [name for name in names if set(name) & set(";|")]
    if odd:
        raise ArboraError(f"the tag {odd[0]!r} has no place in a list of tags, which has ; and | between")
    return names


def gold_tags(
    sentences: Sequence[Sentence], names: list[str]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Where each word's UPOS stands among the tags that it may have, and its number.

    Where a list has not the right tag, the tagger's own is what can be learned: it stands first.
    """
    numbers = {name: number for number, name in enumerate(names)}
    places, upos = [], []
    for sentence in sentences:
        listed = _core.candidate_tags(names, sentence.upos, sentence.misc)[1]
        for own, tag in zip(listed, sentence.upos, strict=True):
            number = numbers.get(tag, -1)
            choices = [choice for choice, _ in own] or list(range(len(names)))
            places.append(choices.index(number) if number in choices else 0)
            upos.append(number)
    return np.array(places, np.int32), np.array(upos, np.int32)


def is_annotated(sentence: Sentence) -> bool:
    """Whether a head or a label is known of it."""
    return any(head is not None for head in sentence.heads) or any(
        label != UNKNOWN for label in sentence.deprels
    )


def is_whole(sentence: Sentence) -> bool:
    """Whether every word has a head and a label."""
    return None not in sentence.heads and UNKNOWN not in sentence.deprels


def whole_trees(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences that are whole; none if these are but a few short ones among partial trees."""
    found = [sentence for sentence in sentences if is_whole(sentence)]
    few = len(found) < len(sentences) and sum(map(len, found)) < LEAST_WHOLE_WORDS
    return [] if few else found


def completed(sentence: Sentence, *, single_root: bool = False, projective: bool = False) -> list[int]:
    """The heads of a whole tree with those that are known, the others near; InfeasibleTreeError if none is.

    >>> completed(Sentence(["a", "b", "c"], heads=[None, 0, None]))
    [2, 0, 2]
    """
    known = [-1 if head is None else head for head in sentence.heads]
    if -1 not in known:
        return known
    places = np.arange(len(known) + 1)
    scores = -np.abs(places[:, None] - places).astype(np.float64)
    scores[0] -= 2 * len(places)  # a root takes it where nothing else can
    forced = np.zeros(scores.shape, np.bool_)
    for word, head in enumerate(known, 1):
        if head >= 0:
            forced[head, word] = True
    found = trees.mst(scores, forced=forced, single_root=single_root, projective=projective)
    return [int(head) for head in found.heads[1:]]


def check_trees(sentences: Sequence[Sentence], options: TrainingOptions, name: str) -> None:
    """Every sentence must be a tree of the wanted kind, as far as its heads are known."""
    for number, sentence in enumerate(sentences, 1):
        place = f"{name} sentence {number} ({' '.join(sentence.forms[:5])!r})"
        if not all(head is None or 0 <= head <= len(sentence) for head in sentence.heads):
            raise ArboraError(f"{place}: a head is not in the sentence")
        if _core.head_cycles(sentence.heads):
            raise ArboraError(f"{place}: the heads form a cycle")
        roots = sentence.heads.count(0)
        if options.single_root and (roots > 1 or (roots == 0 and None not in sentence.heads)):
            raise ArboraError(f"{place} has {roots} roots; allow that in training (--multi-root)")


def fits(sentence: Sentence, options: TrainingOptions) -> bool:
    """Whether a tree of the kind that the parser learns has the heads that are known."""
    if not options.projective:
        return True
    if None not in sentence.heads:
        return not _core.nonprojective_words(sentence.heads)
    try:
        completed(sentence, single_root=options.single_root, projective=True)
    except InfeasibleTreeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Usable:
    """The sentences that can be learned from, and how many others there are, by the reason."""

    sentences: list[Sentence]
    not_projective: int
    not_annotated: int

    @property
    def notes(self) -> list[str]:
        """What people should know of it."""
        count = len(self.sentences) + self.not_projective + self.not_annotated
        words = sum(map(len, self.sentences))
        unknown = sum(sentence.heads.count(None) for sentence in self.sentences)
        found = []
        if self.not_annotated:
            found.append(
                f"{self.not_annotated:,} of {count:,} sentences have no head and no relation: skipped."
            )
        if unknown:
            found.append(f"{unknown:,} of {words:,} words have no head: learning from partial trees.")
        return found


def choose_projective(sentences: Sequence[Sentence]) -> tuple[bool, str]:
    """Whether so few arcs cross that projective trees alone are the better model; and that in words.

    Sums over projective trees are exact and fast where those over all trees are neither, and what crosses can
    hardly be learned from so few.

    >>> sentence = Sentence(["a", "b", "c"], heads=[2, 0, 2])
    >>> choose_projective([sentence])
    (True, 'projective: none of 3 arcs of the training data crosses')
    """
    arcs = sum(len(sentence) - sentence.heads.count(None) for sentence in sentences)
    crossing = sum(map(_crossing_arcs, sentences))
    verb = "crosses" if crossing < 2 else "cross"
    share = f"{crossing or 'none'} of {arcs:,} arcs of the training data {verb}"
    if crossing <= MOST_CROSSING * arcs:
        return True, f"projective: {share}"
    return False, f"non-projective: {share}"


def _crossing_arcs(sentence: Sentence) -> int:
    """Known arcs that no projective tree has, or so they seem in a tree that completes them."""
    if None not in sentence.heads:
        return len(_core.nonprojective_words(sentence.heads))
    if fits(sentence, TrainingOptions(projective=True, single_root=False)):
        return 0
    words = _core.nonprojective_words([*completed(sentence)])
    return max(1, sum(sentence.heads[word - 1] is not None for word in words))


def annotated_trees(sentences: Sequence[Sentence], options: TrainingOptions) -> list[Sentence]:
    """The sentences with something to learn from; ArboraError if there are none, or a head is wrong."""
    found = [sentence for sentence in sentences if len(sentence)]
    if not found:
        raise ArboraError("the training data has no words")
    annotated = [sentence for sentence in found if is_annotated(sentence)]
    if not annotated:
        raise ArboraError("no word of the training data has a head: there is nothing to learn")
    if not any(label != UNKNOWN for sentence in annotated for label in sentence.deprels):
        raise ArboraError("no word of the training data has a relation: there is no label to learn")
    check_trees(annotated, options, "training")
    if options.joint_tags and any(None in sentence.heads for sentence in annotated):
        raise ArboraError("a parser that chooses tags learns from whole trees, and a word has no head")
    return annotated


def usable_trees(sentences: Sequence[Sentence], options: TrainingOptions) -> Usable:
    """The sentences that can be learned from; ArboraError if there are none."""
    annotated = annotated_trees(sentences, options)
    # A gold tree that is not among the trees would have no probability.
    fitting = [sentence for sentence in annotated if fits(sentence, options)]
    if not fitting:
        raise ArboraError("no sentence of the training data is projective; train without --projective")
    empty = sum(not len(sentence) for sentence in sentences)
    return Usable(fitting, len(annotated) - len(fitting), len(sentences) - empty - len(annotated))
