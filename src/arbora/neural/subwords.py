"""Text in sub-words, as the tokenizer of an encoder's folder cuts it.

What `tokenizer.json` says goes into the model, and the core does the cutting: parsing needs no other package.
The ids equal those of the `tokenizers` library.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbora import _core
from arbora.errors import ArboraError, FileError
from arbora.models.checking import a_flag, a_list, a_mapping, a_row, a_text, a_whole
from arbora.neural.subword_files import ROLES, read_parts

Tensors = Mapping[str, NDArray[Any]]


class Subwords:
    """Cuts lines and words into sub-words; immutable, and may be used by many threads.

    Attributes: ``kind`` (``wordpiece``, ``byte-pairs`` or ``unigram``), ``vocabulary`` (ids are below it),
    and the ids ``cls``, ``sep``, ``pad`` and ``unknown``. ``core`` is the object of the core.

    >>> header, tensors = _example()
    >>> subwords = Subwords.from_parts(header, tensors)
    >>> ids, ends = subwords.cut(["a cab", ""])
    >>> ids.tolist(), ends.tolist()
    ([1, 2, 3], [3, 3])
    >>> ids, word_ends, sentence_ends = subwords.cut_words([["a", "cab"], ["xy"]])
    >>> ids.tolist(), word_ends.tolist(), sentence_ends.tolist()
    ([1, 2, 3, 0], [1, 3, 4], [2, 3])
    """

    def __init__(self, header: Mapping[str, Any], tensors: Tensors) -> None:
        self._header, self._tensors = dict(header), dict(tensors)
        self.kind = a_text(header["kind"], "kind")
        self.vocabulary = a_whole(header["vocabulary"], "vocabulary", 1)
        roles = {role: a_whole(header[role], role, most=self.vocabulary - 1) for role in ROLES}
        self.cls, self.sep, self.pad, self.unknown = (
            roles[role] for role in ("cls", "sep", "pad", "unknown")
        )
        self.core = _core.Subwords(
            _normalizer(header, tensors),
            _splitter(header, tensors),
            _model(self.kind, a_mapping(header["model"], "model"), tensors),
            [_added(row) for row in a_list(header["added"], "added")],
            self.vocabulary,
            self.unknown,
        )

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], tensors: Tensors) -> Subwords:
        """Sub-words of what `to_parts` gave; KeyError or ValueError, in one line, if that was changed."""
        return cls(header, tensors)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Plain data for a header, and arrays: what `from_parts` needs."""
        return dict(self._header), dict(self._tensors)

    def cut(self, texts: list[str], *, threads: int = 1) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The ids of lines as they stand, without special tokens; and for each line where its ids end.

        ids: (n,), ends: (len(texts),). A line that nothing is left of has none.
        """
        try:
            return self.core.cut(texts, threads)
        except UnicodeEncodeError:
            raise _half_a_character() from None

    def cut_words(
        self, sentences: list[list[str]], *, threads: int = 1
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """The ids of words, where those of each word end, and the words before the end of each sentence.

        ids: (n,), word_ends: (words,), sentence_ends: (len(sentences),). A word has at least one id: what
        nothing is left of is unknown. Byte-level models see a space before every word.
        """
        try:
            return self.core.cut_words(sentences, threads)
        except UnicodeEncodeError:
            raise _half_a_character() from None


def read_subwords(folder: Path | str) -> Subwords:
    """Sub-words as the `tokenizer.json` of an encoder's folder says.

    Truncation and padding, if it has them, are left to the caller.

    >>> read_subwords("no/such/folder")
    Traceback (most recent call last):
    arbora.errors.FileError: no/such/folder/tokenizer.json: there is no such file
    """
    header, tensors = read_parts(folder)
    try:
        return Subwords(header, tensors)
    except ValueError as error:
        raise FileError(str(error), file=str(Path(folder) / "tokenizer.json")) from None


def _half_a_character() -> ArboraError:
    return ArboraError("a text has half of a surrogate pair, which is no character")


def _steps(header: Mapping[str, Any], tensors: Tensors, name: str) -> list[tuple[str, dict[str, Any], str]]:
    """The name, the options, and the beginning of the names of the tables, of each step."""
    rows = [a_mapping(row, "a step") for row in a_list(header[name], name)]
    return [(a_text(row["step"], "a step"), row, f"{name}.{place}.") for place, row in enumerate(rows)]


def _normalizer(header: Mapping[str, Any], tensors: Tensors) -> _core.SubwordNormalizer:
    normalizer = _core.SubwordNormalizer()
    for step, own, at in _steps(header, tensors, "normalizing"):

        def row(name: str, at: str = at) -> NDArray[np.int32]:
            return a_row(tensors, at + name, np.int32)

        if step == "map":
            normalizer.add_map(row("ranges"), row("ends"), row("values"))
        elif step == "decomposition":
            normalizer.add_decomposition(row("ranges"), row("ends"), row("values"), row("combining"))
        elif step == "composition":
            normalizer.add_composition(row("pairs"), row("combining"))
        elif step == "charsmap":
            normalizer.add_charsmap(a_row(tensors, at + "charsmap", np.uint8), row("clusters"))
        elif step == "replacement":
            found, other = (a_text(own[name], name) for name in ("found", "other"))
            normalizer.add_replacement(found, other, a_flag(own["runs"], "runs"))
        elif step == "strip":
            normalizer.add_strip(a_flag(own["left"], "left"), a_flag(own["right"], "right"))
        elif step == "prefix":
            normalizer.add_prefix(a_text(own["prefix"], "prefix"))
        else:
            raise ValueError(f"there is no step {step!r} of normalising")
    return normalizer


def _splitter(header: Mapping[str, Any], tensors: Tensors) -> _core.SubwordSplitter:
    splitter = _core.SubwordSplitter()
    for step, own, at in _steps(header, tensors, "splitting"):
        if step == "spaces":
            splitter.add_spaces()
        elif step == "words":
            splitter.add_words(a_row(tensors, f"{at}punctuation", np.int32))
        elif step == "bytes":
            flags = (a_flag(own[name], name) for name in ("prefix", "runs"))
            splitter.add_bytes(a_row(tensors, f"{at}letters", np.int32), *flags)
        elif step == "marks":
            mark, prefix = (a_text(own[name], name) for name in ("mark", "prefix"))
            splitter.add_marks(mark, prefix, a_flag(own["split"], "split"))
        else:
            raise ValueError(f"there is no step {step!r} of splitting")
    return splitter


def _model(kind: str, own: Mapping[str, Any], tensors: Tensors) -> _core.SubwordModel:
    words = a_row(tensors, "vocabulary", np.uint8), a_row(tensors, "ends", np.int32)
    unknown = a_whole(own["unknown"], "unknown", -1)
    if kind == "wordpiece":
        prefix, longest = a_text(own["prefix"], "prefix"), a_whole(own["longest"], "longest")
        return _core.wordpiece_model(*words, unknown, prefix, longest)
    if kind == "byte-pairs":
        flags = (a_flag(own[name], name) for name in ("fuse_unknown", "byte_fallback", "whole_words_first"))
        return _core.byte_pair_model(*words, a_row(tensors, "merges", np.int32), unknown, *flags)
    if kind == "unigram":
        scores = a_row(tensors, "scores", np.float64)
        return _core.unigram_model(*words, scores, unknown, a_flag(own["byte_fallback"], "byte_fallback"))
    raise ValueError(f"there are no sub-words of kind {kind!r}")


def _added(row: Any) -> tuple[str, int, bool, bool, bool]:
    text, number, *flags = a_list(row, "an added token", 5)
    left, right, normalized = (a_flag(flag, "what an added token does") for flag in flags)
    return (
        a_text(text, "an added token"),
        a_whole(number, "the id of an added token"),
        left,
        right,
        normalized,
    )


def _example() -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A small WordPiece model: [UNK], a, ca, ##b."""
    header = {
        "kind": "wordpiece", "vocabulary": 4, "cls": 0, "sep": 0, "pad": 0, "unknown": 0, "added": [],
        "model": {"unknown": 0, "prefix": "##", "longest": 100},
        "normalizing": [], "splitting": [{"step": "spaces"}],
    }  # fmt: skip
    words = np.frombuffer(b"[UNK]aca##b", np.uint8)
    return header, {"vocabulary": words, "ends": np.array([5, 6, 8, 11], np.int32)}
