"""Likely errors of annotation: gold arcs and labels that a parser doubts which has not seen them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arbora.dependency.options import ParseOptions, TrainingOptions
from arbora.dependency.training import train
from arbora.errors import ArboraError
from arbora.evaluation.judging import Judgement, WordJudgement, judge
from arbora.training import EpochReport, make_folds
from arbora.treebank import Sentence
from arbora.treebank.checks import row_of
from arbora.treebank.sentence import UNKNOWN

HIGHLIGHT = "highlight deprels"
"""The comment by which ConlluEditor knows words whose relations are to be seen: their ids, with spaces."""
LEAST = 1e-12
"""Below that, no probability of what is preferred says more."""
ITEMS = ("HeadProbability", "LabelProbability", "BestHead", "BestDeprel")
"""Items of MISC of suspects."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """An annotated word whose head or label is improbable.

    ``sentence`` is its sentence's place, from 0, ``line`` that of the word in its file (0: there is none).
    ``best_head`` and ``best_deprel`` are what the parser prefers, ``doubt`` says whether the head differs
    from that, or the label, or nothing (``""``). ``suspicion`` is 1 less the ratio of the probabilities of
    head and label, as annotated and as preferred.
    """

    sentence: int
    sent_id: str | None
    line: int
    word: int
    form: str
    head: int
    deprel: str
    head_probability: float
    label_probability: float | None
    best_head: int
    best_deprel: str
    best_probability: float
    doubt: str
    suspicion: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Suspects:
    """All annotated words, the most suspicious first; and why some sentences, by their places, have none."""

    words: list[Suspect]
    errors: dict[int, str]

    def most(self, count: float) -> list[Suspect]:
        """The first so many; below 1 it is a share of all annotated words."""
        if not count > 0 or (count >= 1 and count != int(count)):
            raise ArboraError(f"the most suspects are a whole number, or a share below 1, not {count:g}")
        return self.words[: round(count * len(self.words)) if count < 1 else int(count)]


def find_suspects(sentences: Sequence[Sentence], judgements: Iterable[Judgement]) -> Suspects:
    """The annotated words of sentences, by what a model thinks of them that has not seen them.

    The judgements are those of `arbora.evaluation.judge`, or of `judge_unseen`. Words rank by how much less
    probable their head and label are than those that the parser prefers; of equals, those come first where
    it is surer. Words without a head are not annotated.

    >>> import arbora
    >>> sentence = Sentence(["Dogs", "bark", "."], upos=["NOUN", "VERB", "PUNCT"], heads=[2, 0, 1],
    ...                     deprels=["nsubj", "root", "punct"])
    >>> found = find_suspects([sentence], judge([sentence], arbora.load())).most(1)[0]
    >>> found.form, found.doubt, found.head, found.best_head
    ('.', 'head', 1, 2)
    """
    found: list[tuple[tuple[float, float, int, int], WordJudgement]] = []
    errors = {}
    for place, (_, own) in enumerate(zip(sentences, judgements, strict=True)):
        if own.error is not None:
            errors[place] = own.error
        for id, word in enumerate(own.words, 1):
            if word.probability is not None:
                found.append(((_ratio(word), -word.best_probability, place, id), word))
    found.sort(key=lambda one: one[0])
    return Suspects(
        [_suspect(sentences[place], place, id, word) for (_, _, place, id), word in found], errors
    )


def _ratio(word: WordJudgement) -> float:
    """Of the probabilities of what is annotated and what is preferred; at most 1, which is no doubt."""
    return min((word.probability or 0.0) / max(word.best_probability, LEAST), 1.0)


def _suspect(sentence: Sentence, place: int, id: int, word: WordJudgement) -> Suspect:
    head, deprel = sentence.heads[id - 1] or 0, sentence.deprels[id - 1]
    differs = deprel not in (word.best_deprel, UNKNOWN)
    return Suspect(
        place,
        sentence.sent_id,
        _line_of(sentence, id),
        id,
        sentence.forms[id - 1],
        head,
        deprel,
        word.head_probability or 0.0,
        word.label_probability,
        word.best_head,
        word.best_deprel,
        word.best_probability,
        "head" if head != word.best_head else "label" if differs else "",
        1 - _ratio(word),
    )


def _line_of(sentence: Sentence, id: int) -> int:
    line = sentence._place[0]
    return line + len(sentence.comments) + row_of(sentence, str(id)) if line else 0


Progress = Callable[[int, int, EpochReport | None], None]
"""Is told of jackknifing: the fold, from 1, how many there are, and an epoch's report; None: it is done."""


def judge_unseen(
    sentences: Sequence[Sentence],
    folds: int = 5,
    training: TrainingOptions | None = None,
    options: ParseOptions | None = None,
    *,
    seed: int = 1,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[Judgement]:
    """A judgement for each sentence by a parser that was trained on other folds of the treebank.

    Folds are made by `arbora.training.make_folds`: whole documents, drawn by the seed. Each parser holds some
    of what it may see out, to make its probabilities honest. The same seed and options give the same
    judgements, whatever the threads.

    >>> from arbora.treebank import read
    >>> treebank = list(read("examples/treebank/en.conllu"))
    >>> options = TrainingOptions(epochs=1, bits=14, pruner_bits=12)
    >>> len(judge_unseen(treebank, 2, options)) == len(treebank)
    True
    """
    result = [Judgement()] * len(sentences)
    for fold, places in enumerate(make_folds(sentences, folds, seed), 1):
        unseen = set(places)
        others = [sentence for place, sentence in enumerate(sentences) if place not in unseen]

        def tell(report: EpochReport, fold: int = fold) -> None:
            if progress is not None:
                progress(fold, folds, report)

        parser = train(others, options=training, threads=threads, progress=tell)
        for place, own in zip(
            places, judge((sentences[p] for p in places), parser, options=options), strict=True
        ):
            result[place] = own
        if progress is not None:
            progress(fold, folds, None)
    return result


def highlighted(sentences: Iterable[Sentence], suspects: Iterable[Suspect]) -> Iterator[Sentence]:
    """The sentences with their suspects marked; those without any are the same.

    A comment has the words' ids, ``# highlight deprels = 3 7``, in place of one that is there; their MISC
    says how probable head and label are, and what the parser prefers (`ITEMS`).
    """
    of_sentences: dict[int, list[Suspect]] = defaultdict(list)
    for suspect in suspects:
        of_sentences[suspect.sentence].append(suspect)
    for place, sentence in enumerate(sentences):
        yield _highlighted(sentence, of_sentences[place]) if place in of_sentences else sentence


def _highlighted(sentence: Sentence, suspects: list[Suspect]) -> Sentence:
    result = sentence.copy()
    ids = " ".join(map(str, sorted(suspect.word for suspect in suspects)))
    others = [c for c in result.comments if c[1:].partition("=")[0].strip() != HIGHLIGHT]
    result.comments = [*others, f"# {HIGHLIGHT} = {ids}"]
    for suspect in suspects:
        misc = result.misc[suspect.word - 1]
        kept = [item for item in misc.split("|") if item.partition("=")[0] not in (*ITEMS, UNKNOWN)]
        label = suspect.label_probability
        values = (
            f"{suspect.head_probability:.4f}",
            None if label is None else f"{label:.4f}",
            suspect.best_head,
            suspect.best_deprel,
        )
        kept += [f"{item}={value}" for item, value in zip(ITEMS, values, strict=True) if value is not None]
        result.misc[suspect.word - 1] = "|".join(kept)
    return result
