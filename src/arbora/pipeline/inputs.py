"""What pipelines are given: texts, and sentences that are tokenized already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arbora.errors import WrongTypeError, shown
from arbora.treebank import Sentence, Token
from arbora.treebank.given import many_sentences

_OTHERWISE = "nlp.pipe takes many texts, nlp.annotate sentences that are tokenized already, as lists of words"


def check_text(text: Any) -> None:
    """WrongTypeError if this is no text.

    >>> check_text(["Dogs", "bark"])
    Traceback (most recent call last):
    arbora.errors.WrongTypeError: one text is needed, a str, not a list: nlp.pipe takes many texts, ...
    """
    if isinstance(text, (bytes, bytearray)):
        raise WrongTypeError("one text is needed, a str, not bytes: decode them first")
    if not isinstance(text, str):
        kind = "None" if text is None else f"a {type(text).__name__}"
        raise WrongTypeError(f"one text is needed, a str, not {kind}: {_OTHERWISE}")


def check_texts(texts: Any) -> Iterable[str]:
    """Many texts, as they are; WrongTypeError if this is one text alone, or nothing to go through."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        kind = "None" if texts is None else f"one of the type {type(texts).__name__}"
        raise WrongTypeError(f"many texts are needed, in a list or the like, not {kind}: nlp(text) takes one")
    return texts


def as_sentences(sentences: Iterable[Sentence | Sequence[str]]) -> Iterator[Sentence]:
    """The sentences; lists of words are made such.

    >>> [sentence.forms for sentence in as_sentences([Sentence(["Go"]), ["Dogs", "bark"]])]
    [['Go'], ['Dogs', 'bark']]
    """
    return map(_as_sentence, many_sentences(sentences, "; nlp(text) takes text"))


def _as_sentence(one: Any) -> Sentence:
    if isinstance(one, Sentence):
        return one
    if isinstance(one, (list, tuple)) and all(isinstance(word, str) for word in one):
        return Sentence(one)
    kind = f"the word {one.form!r}" if isinstance(one, Token) else shown(one)
    raise WrongTypeError(
        f"a sentence is needed, an arbora.treebank.Sentence or a list of words, not {kind}: nlp(text) "
        "takes a text"
    )
