"""From one format to another, saying what could not be kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from arbora.errors import ArboraError, FileError
from arbora.treebank.conllx import Losses, reduced
from arbora.treebank.constituent import TRACE, Constituent
from arbora.treebank.files import display_name
from arbora.treebank.formats import WRITTEN, find_format
from arbora.treebank.phrases import sentence_of_tree
from arbora.treebank.reading import Reader, read, write
from arbora.treebank.sentence import Sentence


@dataclass(slots=True)
class Conversion:
    """What a conversion did: how many were written, skipped, have several roots, and what was left out."""

    written: int = 0
    skipped: int = 0
    several_roots: int = 0
    lost: dict[str, int] = field(default_factory=dict)

    def lose(self, what: str, count: int) -> None:
        """Count something that was left out."""
        if count:
            self.lost[what] = self.lost.get(what, 0) + count


def convert(
    source: str,
    target: str,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    lenient: bool = False,
    single_root: bool | None = None,
    without_traces: bool = False,
    without_functions: bool = False,
) -> Conversion:
    """Convert a treebank file. The target gets its name only when all is written.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> names = [os.path.join(folder, name) for name in ("dogs.conllu", "dogs.conll")]
    >>> sentence = Sentence(["Dogs", "bark"], misc=["_", "SpaceAfter=No"], comments=["# sent_id = 1"])
    >>> _ = write(names[0], [sentence])
    >>> convert(*names)
    Conversion(written=1, skipped=0, several_roots=0, lost={'comments': 1, 'misc': 1})
    """
    kinds = (
        find_format(source, source_format, option="--from").name,
        find_format(target, target_format, known=WRITTEN, option="--to", writing=True).name,
    )
    if (without_traces or without_functions) and kinds[0] != "brackets":
        raise ArboraError("traces and functions can be taken out of brackets only")
    if kinds[1] == "brackets" and kinds[0] not in ("brackets", "conllu"):
        raise ArboraError(f"{kinds[0]} has no constituents, so it cannot be turned into brackets")
    report = Conversion()
    with read(source, kinds[0], lenient=lenient, single_root=single_root) as reader:
        items: Iterator[Any] = reader
        if kinds[0] == "brackets":
            items = _normalised(reader, without_traces, without_functions, report)
        if kinds != (kinds[0], kinds[0]):
            items = _STEPS[kinds](items, report)
        try:
            report.written = write(target, items, kinds[1])
        except FileError as error:
            error.file = error.file or display_name(source)
            raise
        report.skipped = reader.skipped
    return report


def _normalised(
    trees: Reader[Constituent], without_traces: bool, without_functions: bool, report: Conversion
) -> Iterator[Constituent]:
    for tree in trees:
        kept: Constituent | None = tree
        if without_traces:
            kept = tree.without_traces()
            report.lose("trees of traces only", kept is None)
        if kept is not None:
            yield kept.without_functions() if without_functions else kept


def _to_conllx(sentences: Iterator[Sentence], report: Conversion) -> Iterator[Sentence]:
    for sentence in sentences:
        losses = Losses()
        plain = reduced(sentence, losses)
        for what, count in asdict(losses).items():
            report.lose(what.replace("_", " "), count)
        if len(plain):
            yield plain
        else:
            report.lose("sentences without words", 1)


def _to_conllu(sentences: Iterator[Sentence], report: Conversion) -> Iterator[Sentence]:
    for sentence in sentences:  # all of CoNLL-X has a place in CoNLL-U
        report.several_roots += len(sentence.roots) > 1
        yield sentence


def _to_sentences(trees: Iterator[Constituent], report: Conversion) -> Iterator[Sentence]:
    for sentence, tree in _tagged(trees, report):
        report.lose("constituents", len(tree.spans()))
        yield sentence


def _to_trees_of_sentences(trees: Iterator[Constituent], report: Conversion) -> Iterator[Sentence]:
    for sentence, tree in _tagged(trees, report):
        sentence.constituents = tree
        yield sentence


def _tagged(trees: Iterator[Constituent], report: Conversion) -> Iterator[tuple[Sentence, Constituent]]:
    """The words and tags of trees, and these without traces."""
    for tree in trees:
        bare, sentence = tree.without_traces(), sentence_of_tree(tree)
        report.lose("traces", sum(leaf.label == TRACE for leaf in tree.preterminals()))
        if bare is None or sentence is None:
            report.lose("trees of traces only", 1)
        else:
            yield sentence, bare


def _to_trees(sentences: Iterator[Sentence], report: Conversion) -> Iterator[Constituent]:
    for number, sentence in enumerate(sentences, 1):
        tree = sentence.constituents
        if tree is None:
            raise FileError(
                "it has no constituents, so it cannot be turned into brackets",
                sentence=sentence.sent_id or f"#{number}",
            )
        report.lose("other comments", len(sentence.comments) - 1)
        report.lose("trees of dependencies", any(head is not None for head in sentence.heads))
        yield tree


def _to_words(sentences: Iterator[Sentence], report: Conversion) -> Iterator[Sentence]:
    for sentence in sentences:
        report.lose("comments", len(sentence.comments))
        report.lose("multiword tokens", len(sentence.multiwords))
        report.lose("trees", any(head is not None for head in sentence.heads))
        if len(sentence):
            yield sentence
        else:
            report.lose("sentences without words", 1)


def _to_text(sentences: Iterator[Sentence], report: Conversion) -> Iterator[Sentence]:
    for sentence in sentences:
        report.lose("trees", any(head is not None for head in sentence.heads))
        yield sentence


def _unchanged(sentences: Iterator[Sentence], report: Conversion) -> Iterator[Sentence]:
    return sentences


_STEPS: dict[tuple[str, str], Callable[[Iterator[Any], Conversion], Iterator[Any]]] = {
    ("conllu", "conllx"): _to_conllx,
    ("conllx", "conllu"): _to_conllu,
    ("brackets", "conllu"): _to_trees_of_sentences,
    ("conllu", "brackets"): _to_trees,
    ("brackets", "conllx"): _to_sentences,
}
for _words in ("horizontal", "vertical"):
    _STEPS["brackets", _words] = _to_sentences
    for _columns in ("conllu", "conllx"):
        _STEPS[_columns, _words] = _to_words
        _STEPS[_words, _columns] = _unchanged
_STEPS["brackets", "text"] = _to_sentences
for _source in ("conllu", "conllx", "horizontal", "vertical"):
    _STEPS[_source, "text"] = _to_text
_STEPS["horizontal", "vertical"] = _STEPS["vertical", "horizontal"] = _unchanged
