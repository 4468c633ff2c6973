"""Treebanks that a tagger can learn from: every word has its UPOS tag."""

from __future__ import annotations

from collections.abc import Sequence

from arbora.errors import ArboraError, FileError
from arbora.treebank import Sentence, read
from arbora.treebank.checks import line_of
from arbora.treebank.formats import find_format


def untagged_word(sentences: Sequence[Sentence]) -> tuple[int, int] | None:
    """The first word without a UPOS tag: the number of its sentence and its own, both from 1.

    >>> untagged_word([Sentence(["Dogs", "bark"], upos=["NOUN", "_"])])
    (1, 2)
    """
    for number, sentence in enumerate(sentences, 1):
        if "_" in sentence.upos:
            return number, sentence.upos.index("_") + 1
    return None


def check_tags(sentences: Sequence[Sentence], name: str) -> None:
    """ArboraError if a word has no UPOS tag."""
    missing = untagged_word(sentences)
    if missing is not None:
        words = " ".join(sentences[missing[0] - 1].forms[:5])
        raise ArboraError(
            f"{name} sentence {missing[0]} ({words!r}): word {missing[1]} has no UPOS tag: training needs all"
        )


def read_tagged(path: str) -> list[Sentence]:
    """The sentences of a treebank in which every word has its UPOS tag; FileError names file and line."""
    format = find_format(path).name
    if format == "brackets":
        raise FileError("brackets have no UPOS tags: the format must be conllu or conllx", file=path)
    with read(path, format, single_root=False) as reader:
        found: list[Sentence] = list(reader)
    if not any(map(len, found)):
        raise FileError("there are no words in this treebank", file=path)
    check_tags_of_file(found, path)
    return found


def check_tags_of_file(sentences: Sequence[Sentence], path: str) -> None:
    """FileError with the line if a word of sentences that were read from a file has no UPOS tag."""
    missing = untagged_word(sentences)
    if missing is not None:
        sentence = sentences[missing[0] - 1]
        raise FileError(
            f"word {missing[1]} has no UPOS tag, and training needs all",
            file=path,
            line=line_of(sentence, sentence._place[0], str(missing[1])),
            sentence=sentence.sent_id or f"#{missing[0]}",
        )
