"""Columns that do not fit the words are refused when they are set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arbora.errors import ArboraError, ColumnError
from arbora.treebank import EmptyNode, Multiword, Sentence
from arbora.treebank.columns import COLUMNS

FIELDS = {
    "forms": "form",
    "lemmas": "lemma",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "deprels": "deprel",
    "deps": "deps",
    "misc": "misc",
}
WORDS = tuple(FIELDS)


def five() -> Sentence:
    return Sentence(list("abcde"), heads=[2, 0, 2, 3, 3])


@pytest.mark.parametrize("name", [*WORDS, "heads"])
@pytest.mark.parametrize("count", [0, 2, 4, 6])
def test_a_wrong_length(name, count):
    sentence = five()
    values: list[Any] = [2, 0, 1, 1, 1, 1][:count] if name == "heads" else ["x"] * count
    with pytest.raises(ColumnError, match=f"^{name} has {count} values for 5 forms$"):
        setattr(sentence, name, values)
    assert sentence == five()


@pytest.mark.parametrize("name", [*WORDS, "heads"])
@pytest.mark.parametrize("values", ["abcde", b"abcde", None, 5, 1.5])
def test_what_is_no_list(name, values):
    with pytest.raises(ColumnError, match=f"^{name} needs a list of values, not"):
        setattr(five(), name, values)


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("value", [None, 1, b"x", ["x"]])
def test_what_is_no_text(name, value):
    with pytest.raises(ColumnError, match=f"^{name}: word 3 needs a text, not"):
        setattr(five(), name, ["x", "x", value, "x", "x"])
    with pytest.raises(ColumnError, match=f"^{name}: word 1 needs a text, not"):
        Sentence(**{"forms": ["x"], name: [value]})


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("value", ["", "a\tb", "a\n", "\ra", "\ud800"])
def test_what_no_file_could_hold(name, value):
    sentence = five()
    with pytest.raises(ColumnError, match=rf"^{name}: word 3[^\n]+$"):
        setattr(sentence, name, ["x", "x", value, "x", "x"])
    with pytest.raises(ColumnError, match=rf"^{name}: word 3[^\n]+$"):
        setattr(sentence[3], FIELDS[name], value)
    assert sentence == five()


@pytest.mark.parametrize("value", [" ", "New York", "a\x0bb\x85\u2028", "\0", "ß", "_"])
def test_what_files_hold(value):
    sentence = Sentence(**{name: [value] for name in WORDS}, heads=[0])
    assert Sentence.from_conllu(sentence.to_conllu()) == sentence


@pytest.mark.parametrize("head", [-1, 6, 2.0, "2", True, float("nan"), [1]])
def test_what_is_no_head(head):
    with pytest.raises(ColumnError, match=r"^heads: word 5 has the head .* not in the range 0"):
        five().heads = [2, 0, 2, 3, head]
    with pytest.raises(ColumnError, match="not in the range 0"):
        Sentence(list("abcde"), heads=[2, 0, 2, 3, head])
    with pytest.raises(ColumnError, match=r"^heads: word 5 has the head"):
        five()[5].head = head


def test_fields_of_words_are_checked():
    sentence = five()
    with pytest.raises(ColumnError, match=r"^upos: word 2 needs a text, not None"):
        sentence[2].upos = None  # type: ignore[assignment]
    sentence[2].upos, sentence[2].head = "VERB", None
    assert (sentence.upos[1], sentence.heads[1]) == ("VERB", None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("comments", "# text = a"),
        ("comments", [1]),
        ("comments", ["text = a"]),
        ("comments", ["# a\nb"]),
        ("comments", ["# \ud800"]),
        ("multiwords", [Multiword(1, 6, "x")]),
        ("multiwords", [Multiword(0, 1, "x")]),
        ("multiwords", [Multiword(3, 2, "x")]),
        ("multiwords", [(1, 2, "x")]),
        ("multiwords", [Multiword("1", 2, "x")]),
        ("multiwords", [Multiword(1, 2, "")]),
        ("multiwords", [Multiword(1, 2, "x", misc="a\tb")]),
        ("empty_nodes", [EmptyNode(6, 1)]),
        ("empty_nodes", [EmptyNode(-1, 1)]),
        ("empty_nodes", ["x"]),
        ("empty_nodes", [EmptyNode(1, None)]),
        ("empty_nodes", [EmptyNode(1, 1, lemma=None)]),
        ("newline", "x"),
        ("newline", None),
        ("closing", "x"),
        ("closing", None),
    ],
)
def test_the_frame_is_checked_too(name, value):
    sentence = five()
    with pytest.raises(ColumnError, match=rf"^{name}[^\n]+$"):
        setattr(sentence, name, value)
    assert sentence == five()


def test_every_column_is_checked():
    for name in COLUMNS:
        with pytest.raises(ArboraError):
            setattr(five(), name, 7)


def test_what_fits_is_kept_as_a_list_of_its_own():
    sentence = five()
    heads = np.array([0, 1, 1, 1, 5])
    sentence.heads = heads  # type: ignore[assignment]
    assert sentence.heads == [0, 1, 1, 1, 5]
    assert {type(head) for head in sentence.heads} == {int}
    tags = ["X"] * 5
    sentence.upos = tags
    tags.clear()
    assert sentence.upos == ["X"] * 5
    sentence.deprels = (f"r{id}" for id in range(5))  # type: ignore[assignment]
    assert sentence.deprels[4] == "r4"
