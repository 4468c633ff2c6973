"""Batches: sentences in the core, on their way through components; how they get there, and back.

A component works on a whole batch: it reads columns and adds to them. So it does not matter where sentences
come from (CoNLL-U, raw text, objects of Python) and what becomes of them (CoNLL-U, objects): it is one way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeAlias, TypeVar

from arbora import _core
from arbora._core import TreeCheck
from arbora.errors import (
    ArboraError,
    FileError,
    InfeasibleSentenceError,
    InfeasibleTreeError,
    TooLongError,
    TooLongSentenceError,
)
from arbora.treebank import conllu
from arbora.treebank.checks import line_of
from arbora.treebank.given import blaming, each_piece, each_sentence, named
from arbora.treebank.sentence import COLUMNS, Sentence, fields_of

Item = TypeVar("Item")
Step: TypeAlias = Callable[[_core.Batch], _core.Batch]
"""What a component does with a batch: it gives back the same one, or another in its place."""


class ConlluPiece(NamedTuple):
    """Some sentences as CoNLL-U, in bytes, and how much that is."""

    data: bytes
    sentences: int
    words: int


FORBIDDEN_HEADS = "ForbiddenHeads="
"""The item of MISC that lists heads that a word may not have (``ForbiddenHeads=2,5``); the core reads it."""

Skip: TypeAlias = Callable[[ArboraError], None]
"""What is told why a sentence is left out."""


def make_batch(sentences: Sequence[Sentence], *, with_places: bool = False) -> _core.Batch:
    """The sentences in the core; they themselves stay as they are.

    ``with_places``: the batch knows where in their file they began, so that errors can name the line.

    >>> len(make_batch([Sentence(["Dogs", "bark"])]))
    1
    """
    with blaming(sentences):
        columns = [_columns(sentence) for sentence in sentences]
        return _core.make_batch(columns, [sentence._place for sentence in sentences] if with_places else None)


def make_batches(
    sentences: Iterable[Sentence], words: int, *, with_places: bool = False
) -> Iterator[_core.Batch]:
    """Batches of so many words each, or a few more; the input may be endless. See `make_batch`.

    >>> [len(batch) for batch in make_batches([Sentence(["a", "b"])] * 5, 3)]
    [2, 2, 1]
    """
    for some in in_runs(sentences, words):
        yield make_batch(some, with_places=with_places)


def in_runs(sentences: Iterable[Sentence], words: int) -> Iterator[list[Sentence]]:
    """The sentences in lists of so many words each, or a few more.

    >>> [len(some) for some in in_runs([Sentence(["a", "b"])] * 5, 3)]
    [2, 2, 1]
    """
    waiting: list[Sentence] = []
    taken = 0
    for sentence in each_sentence(sentences):
        waiting.append(sentence)
        taken += max(len(sentence.forms), 1)  # endlessly many empty sentences make batches too
        if taken >= words:
            yield waiting
            waiting, taken = [], 0
    if waiting:
        yield waiting


def read_batches(
    pieces: Iterable[bytes], *, threads: int = 1, check: TreeCheck = TreeCheck.shape, skip: Skip | None = None
) -> Generator[_core.Batch, None, None]:
    """The sentences of CoNLL-U that comes in pieces, a batch for each piece that ends some.

    A sentence that breaks the format raises the FileError when all before it were handed on; with ``skip``
    it is left out, and ``skip`` gets the error.
    ``check`` says what must hold of heads.
    """
    skipped, pieces = conllu.begun(each_piece(pieces))
    place = (1 + skipped, 1)

    def take(data: bytes, final: bool) -> tuple[int, tuple[_core.Batch, list[FileError]]]:
        nonlocal place
        batch, used, place, broken = _core.read_batch(data, final, threads, place, check, skip is not None)
        errors = [
            conllu.first_problem(data[begin:end], line, number, check=check)
            for begin, end, line, number in broken
        ]
        return used, (batch, errors)

    for batch, errors in conllu.in_sentences(pieces, take, lambda: place[0]):
        if len(batch):
            yield batch
        for error in errors:
            if skip is None:
                raise error
            skip(error)


def check_of(uses_trees: bool) -> TreeCheck:
    """What must hold of the heads of sentences, if their trees are used or not."""
    return TreeCheck.shape if uses_trees else TreeCheck.nothing


def annotated(batches: Iterable[_core.Batch], steps: Sequence[Step]) -> Generator[_core.Batch, None, None]:
    """The batches after all steps, in order."""
    for batch in batches:
        for step in steps:
            with blaming(_all_sentences(batch)):
                batch = step(batch)
        yield batch


def _all_sentences(batch: _core.Batch) -> Iterator[Sentence]:
    """The sentences of a batch, refused ones too."""
    return (conllu.make_sentence(batch.columns(place)) for place in range(len(batch)))


def to_conllu(batches: Iterable[_core.Batch], *, threads: int = 1) -> Generator[ConlluPiece, None, None]:
    """The batches as CoNLL-U; a refused sentence raises its error when all before it were handed on."""
    for batch in batches:
        sound = batch.sound
        if sound:
            yield ConlluPiece(batch.to_conllu(sound, threads), sound, batch.words(sound))
        if sound < len(batch):
            raise refusal_of(batch)


def to_sentences(batches: Iterable[_core.Batch]) -> Generator[Sentence, None, None]:
    """The sentences of the batches, new ones; a refused sentence raises its error in its place.

    >>> [sentence.forms for sentence in to_sentences([make_batch([Sentence(["Dogs", "bark"])])])]
    [['Dogs', 'bark']]
    """
    for batch in batches:
        yield from sentences_of(batch)
        if batch.sound < len(batch):
            raise refusal_of(batch)


def sentences_of(batch: _core.Batch) -> Iterator[Sentence]:
    """The sentences before the first one that was refused, new ones."""
    for columns, findings in batch.to_sentences(batch.sound):
        sentence = conllu.make_sentence(columns)
        sentence.findings = findings
        yield sentence


def without_refused(skip: Skip) -> Step:
    """A step that takes out the sentences for which a component could do nothing; ``skip`` is told why.

    >>> batch = make_batch([Sentence(["Dogs"]), Sentence(["bark"])])
    >>> batch.refuse(0, "there is no tree")
    >>> len(without_refused(print)(batch))
    no tree fits what is given for the sentence 'Dogs': there is no tree
    1
    """

    def take_out(batch: _core.Batch) -> _core.Batch:
        while batch.sound < len(batch):
            skip(refusal_of(batch))
            batch.remove(batch.sound)
        return batch

    return take_out


def refusal_of(batch: _core.Batch) -> ArboraError:
    """Why the first sentence that a component refused was refused, by its code; with the line of its word."""
    code, reason, word = batch.refusal or ("unknown", "", 0)
    sentence = conllu.make_sentence(batch.columns(batch.sound))
    line, number, has_word_lines = batch.place(batch.sound)
    if line and word and has_word_lines:
        line = line_of(sentence, line, str(word))
    name = sentence.sent_id or f"#{number}"
    if code == "infeasible":
        if line:
            return InfeasibleSentenceError(f"no tree fits what is given: {reason}", line=line, sentence=name)
        return no_tree(sentence, reason, word)
    if code == "too-long":
        if line:
            return TooLongSentenceError(f"it is too long: {reason}", line=line, sentence=name)
        return TooLongError(f"{named(sentence)} is too long: {reason}")
    if line:
        return FileError(reason, line=line, sentence=name)
    return ArboraError(f"nothing can be done for {named(sentence)}: {reason}")


def forbidden_arcs(sentence: Sentence) -> list[tuple[int, int]]:
    """The arcs that no tree of the sentence may have, as MISC says: (head, modifier).

    >>> forbidden_arcs(Sentence(["Dogs", "bark"], misc=["ForbiddenHeads=0", "_"]))
    [(0, 1)]
    """
    if not any(FORBIDDEN_HEADS in misc for misc in sentence.misc):
        return []
    batch = make_batch([sentence])
    batch.read_forbidden()
    if batch.is_refused(0):
        raise refusal_of(batch)
    return batch.forbidden(0)


def in_file(error: ArboraError, file: str) -> ArboraError:
    """The error of a sentence, with the name of the file that it comes from.

    >>> print(in_file(FileError("an empty column", line=3), "en.conllu"))
    en.conllu:3: an empty column
    """
    if isinstance(error, FileError):
        error.file = file
        return error
    kinds = {InfeasibleTreeError: InfeasibleSentenceError, TooLongError: TooLongSentenceError}
    kind = kinds.get(type(error))
    return error if kind is None else kind(str(error), file=file)


def no_tree(sentence: Sentence, reason: str, word: int = 0) -> InfeasibleTreeError:
    """The error that names the sentence, and the reason why it has no tree; the word, if it is one."""
    error = InfeasibleTreeError(f"no tree fits what is given for {named(sentence)}: {reason}")
    error.reason, error.word = reason, word
    return error


def ahead(items: Iterator[Item]) -> Generator[Item, None, None]:
    """The same items, each made while the one before is being used; for what never waits for others.

    Whoever ends early, such as by Ctrl-C, ends the core's work on the next one too.

    >>> list(ahead(iter(range(3))))
    [0, 1, 2]
    """
    stop = _core.Stop()
    with ThreadPoolExecutor(1, initializer=stop.obey) as worker:
        try:
            coming = worker.submit(next, items, None)
            while (item := coming.result()) is not None:
                coming = worker.submit(next, items, None)
                yield item
        finally:
            stop.ask()


def _columns(sentence: Sentence) -> tuple[Any, ...]:
    columns = {name: getattr(sentence, name) for name in COLUMNS}
    columns["multiwords"] = [(row.first, row.last, *fields_of(row)) for row in sentence.multiwords]
    columns["empty_nodes"] = [
        (node.after, node.index, *fields_of(node), node.inside) for node in sentence.empty_nodes
    ]
    return tuple(columns.values())
