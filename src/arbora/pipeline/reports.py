"""What parsing a file did, and filters that count what they leave out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field

from arbora.treebank import Constituent, Sentence
from arbora.treebank.conllx import Losses, reduced
from arbora.treebank.phrases import sentence_of_tree
from arbora.treebank.skipping import Skipped


@dataclass(slots=True)
class ParsingReport(Skipped):
    """What parsing a file did; ``written`` differs from ``sentences`` with k best trees.

    ``lost`` counts what the output's format cannot hold, ``skipped`` the sentences that were left out.
    """

    sentences: int = 0
    words: int = 0
    written: int = 0
    seconds: float = 0.0
    lost: dict[str, int] = field(default_factory=dict)

    def lose(self, what: str, count: int = 1) -> None:
        """Count something that is not in the output."""
        self.lost[what] = self.lost.get(what, 0) + count


def sentences_of_trees(trees: Iterable[Constituent], report: ParsingReport) -> Iterator[Sentence]:
    """The words and tags of trees; those without words are counted."""
    for tree in trees:
        sentence = sentence_of_tree(tree)
        if sentence is None:
            report.lose("trees of traces only")
        else:
            yield sentence


def with_words(sentences: Iterable[Sentence], report: ParsingReport) -> Iterator[Sentence]:
    """The sentences that have words; the others are counted."""
    for sentence in sentences:
        if len(sentence):
            yield sentence
        else:
            report.lose("sentences without words")


def counted(sentences: Iterable[Sentence], report: ParsingReport) -> Iterator[Sentence]:
    """The same; they are counted as written."""
    for sentence in sentences:
        report.written += 1
        yield sentence


def reduced_sentences(sentences: Iterable[Sentence], report: ParsingReport) -> Iterator[Sentence]:
    """The sentences without what CoNLL-X cannot hold, which is counted."""
    for sentence in sentences:
        losses = Losses()
        plain = reduced(sentence, losses)
        for what, count in asdict(losses).items():
            if count:
                report.lose(what.replace("_", " "), count)
        if len(plain):
            yield plain
        else:
            report.lose("sentences without words")
