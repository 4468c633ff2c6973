"""Batches: sentences in the core, on their way through components; how they get there, and back.

A component works on a whole batch: it reads columns and adds to them. So it does not matter where sentences
come from (CoNLL-U, raw text, objects of Python) and what becomes of them (CoNLL-U, objects): it is one way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeAlias, TypeVar

from arbora import _core
from arbora.errors import ArboraError, InfeasibleTreeError, TooLongError, WrongTypeError
from arbora.treebank import conllu
from arbora.treebank.sentence import COLUMNS, Sentence, fields_of

Item = TypeVar("Item")
Step: TypeAlias = Callable[[_core.Batch], _core.Batch]
"""What a component does with a batch: it gives back the same one, or another in its place."""


class ConlluPiece(NamedTuple):
    """Some sentences as CoNLL-U, in bytes, and how much that is."""

    data: bytes
    sentences: int
    words: int


def make_batch(sentences: Sequence[Sentence]) -> _core.Batch:
    """The sentences in the core; they themselves stay as they are.

    >>> len(make_batch([Sentence(["Dogs", "bark"])]))
    1
    """
    try:
        return _core.make_batch([_columns(sentence) for sentence in sentences])
    except UnicodeEncodeError as error:
        raise ArboraError(f"{error.object!r} is no Unicode text that a file could hold") from None


def make_batches(sentences: Iterable[Sentence], words: int) -> Iterator[_core.Batch]:
    """Batches of so many words each, or a few more; the input may be endless.

    >>> [len(batch) for batch in make_batches([Sentence(["a", "b"])] * 5, 3)]
    [2, 2, 1]
    """
    waiting: list[Sentence] = []
    taken = 0
    for sentence in sentences:
        if not isinstance(sentence, Sentence):
            raise WrongTypeError(f"an arbora.treebank.Sentence is needed, this is {sentence!r}")
        waiting.append(sentence)
        taken += max(len(sentence.forms), 1)  # endlessly many empty sentences make batches too
        if taken >= words:
            yield make_batch(waiting)
            waiting, taken = [], 0
    if waiting:
        yield make_batch(waiting)


def read_batches(pieces: Iterable[bytes], *, threads: int = 1) -> Generator[_core.Batch, None, None]:
    """The sentences of CoNLL-U that comes in pieces, a batch for each piece that ends some.

    A sentence that breaks the format raises the FileError when all before it were handed on.
    """
    skipped, pieces = conllu.begun(pieces)
    line, sentences = 1 + skipped, 0

    def take(data: bytes, final: bool) -> tuple[int, tuple[_core.Batch, ArboraError | None]]:
        nonlocal line, sentences
        batch, used, lines, is_broken = _core.read_batch(data, final, threads)
        line += lines
        sentences += len(batch)
        return used, (
            batch,
            conllu.first_problem(data[used:], final, line, sentences + 1) if is_broken else None,
        )

    for batch, error in conllu.in_sentences(pieces, take, lambda: line):
        if len(batch):
            yield batch
        if error is not None:
            raise error


def annotated(batches: Iterable[_core.Batch], steps: Sequence[Step]) -> Generator[_core.Batch, None, None]:
    """The batches after all steps, in order."""
    for batch in batches:
        for step in steps:
            batch = step(batch)
        yield batch


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


def refusal_of(batch: _core.Batch) -> ArboraError:
    """Why the first sentence that a component refused was refused, by its code."""
    code, reason = batch.refusal or ("unknown", "")
    sentence = conllu.make_sentence(batch.columns(batch.sound))
    if code == "infeasible":
        return no_tree(sentence, reason)
    if code == "too-long":
        return TooLongError(f"{named(sentence)} is too long: {reason}")
    return ArboraError(f"nothing can be done for {named(sentence)}: {reason}")


def no_tree(sentence: Sentence, reason: str) -> InfeasibleTreeError:
    """The error that names the sentence, and the reason why it has no tree."""
    error = InfeasibleTreeError(f"no tree fits what is given for {named(sentence)}: {reason}")
    error.reason = reason
    return error


def named(sentence: Sentence) -> str:
    """The sentence, for messages.

    >>> named(Sentence(["Dogs", "bark"], comments=["# sent_id = s1"]))
    "the sentence 'Dogs bark' (sent_id = s1)"
    """
    name = next((c for c in sentence.comments if c.startswith("# sent_id")), None)
    text = f" ({name.removeprefix('# ')})" if name else ""
    return f"the sentence {' '.join(sentence.forms[:6])!r}{text}"


def ahead(items: Iterator[Item]) -> Generator[Item, None, None]:
    """The same items, each made while the one before is being used; for what never waits for others.

    >>> list(ahead(iter(range(3))))
    [0, 1, 2]
    """
    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = worker.submit(next, items, None)
            yield item


def _columns(sentence: Sentence) -> tuple[Any, ...]:
    columns = {name: getattr(sentence, name) for name in COLUMNS}
    columns["multiwords"] = [(row.first, row.last, *fields_of(row)) for row in sentence.multiwords]
    columns["empty_nodes"] = [
        (node.after, node.index, *fields_of(node), node.inside) for node in sentence.empty_nodes
    ]
    return tuple(columns.values())
