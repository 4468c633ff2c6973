"""What is given: sentences, and which one is to blame for an error, as nobody looks at all words before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from arbora.errors import ArboraError, ColumnError, WrongTypeError, shown
from arbora.treebank.columns import check_columns, columns_of
from arbora.treebank.sentence import Sentence


@contextmanager
def blaming(sentences: Iterable[Sentence]) -> Iterator[None]:
    """Around what takes sentences as they are: its error is one of the first whose columns do not fit.

    If all of them do, the error stays what it is.

    >>> sentence = Sentence(["Dogs", "bark"])
    >>> sentence.heads[1] = "Dogs"
    >>> with blaming([sentence]):
    ...     sum(sentence.heads)
    Traceback (most recent call last):
    arbora.errors.ColumnError: the sentence 'Dogs bark': heads: word 2 has the head 'Dogs', which is not ...
    """
    try:
        yield
    except ArboraError:
        raise
    except Exception:
        for sentence in sentences:
            try:
                check_columns(columns_of(sentence))
            except ColumnError as error:
                raise ColumnError(f"{named(sentence)}: {error}") from None
        raise


def named(sentence: Sentence) -> str:
    """The sentence, for messages.

    >>> named(Sentence(["Dogs", "bark"], comments=["# sent_id = s1"]))
    "the sentence 'Dogs bark' (sent_id = s1)"
    """
    name = next((c for c in map(str, sentence.comments) if c.startswith("# sent_id")), None)
    text = f" ({name.removeprefix('# ')})" if name else ""
    return f"the sentence {' '.join(map(str, sentence.forms[:6]))!r}{text}"


def a_sentence(one: Any) -> Sentence:
    """A sentence; WrongTypeError if this is none.

    >>> a_sentence("Dogs bark")
    Traceback (most recent call last):
    arbora.errors.WrongTypeError: an arbora.treebank.Sentence is needed, this is 'Dogs bark'
    """
    if not isinstance(one, Sentence):
        raise WrongTypeError(f"an arbora.treebank.Sentence is needed, this is {shown(one)}")
    return one


def many_sentences(sentences: Any, hint: str = "") -> Iterable[Any]:
    """What may be sentences, as it is; WrongTypeError if this is one alone, or nothing to go through."""
    if isinstance(sentences, (str, bytes, Sentence)) or not isinstance(sentences, Iterable):
        kind = "None" if sentences is None else f"one of the type {type(sentences).__name__}"
        raise WrongTypeError(f"many sentences are needed, in a list or the like, not {kind}{hint}")
    return sentences


def each_piece(pieces: Any) -> Iterator[bytes]:
    """Bytes in order; WrongTypeError at what is none.

    >>> list(each_piece(["1\\tDogs"]))
    Traceback (most recent call last):
    arbora.errors.WrongTypeError: a file comes in pieces of bytes, and this is '1\\tDogs'
    """
    if isinstance(pieces, (str, bytes)) or not isinstance(pieces, Iterable):
        raise WrongTypeError(f"a file comes in pieces, a list of bytes or the like, not {shown(pieces)}")
    for piece in pieces:
        if not isinstance(piece, bytes):
            raise WrongTypeError(f"a file comes in pieces of bytes, and this is {shown(piece)}")
        yield piece


def each_sentence(sentences: Any) -> Iterator[Sentence]:
    """Sentences in order; WrongTypeError at what is none.

    >>> list(each_sentence(None))
    Traceback (most recent call last):
    arbora.errors.WrongTypeError: many sentences are needed, in a list or the like, not None
    """
    return map(a_sentence, many_sentences(sentences))
