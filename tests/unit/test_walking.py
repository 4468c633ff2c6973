"""Ways through trees, partial ones and those with many roots or cycles too; words by number and slice."""

from __future__ import annotations

import itertools

import pytest
from small_pipeline import small_pipeline

import arbora
from arbora import draw
from arbora.errors import ArboraError, WrongTypeError
from arbora.pipeline import ParsedSentence, ParsedToken
from arbora.treebank import Sentence, Token

FORMS = ["a", "b", "c", "d"]
ALL_HEADS = list(itertools.product([None, 0, 1, 2, 3, 4], repeat=4))


def ids(words: list[Token]) -> list[int]:
    return [word.id for word in words]


def reaches(heads: tuple[int | None, ...], word: int) -> list[int]:
    """The words that are met on the way up, until nothing or a word that was met already."""
    met: list[int] = []
    while (head := heads[word - 1]) and head not in met:
        met.append(head)
        word = head
    return met


def test_every_way_ends_on_whatever_heads_there_are():
    for heads in ALL_HEADS:
        sentence = Sentence(FORMS, heads=heads)
        for word in sentence:
            above = [id for id in reaches(heads, word.id) if id != word.id]
            assert ids(word.ancestors) == above
            assert ids(word.children) == [m for m in range(1, 5) if heads[m - 1] == word.id]
            below = [m for m in range(1, 5) if m == word.id or word.id in reaches(heads, m)]
            assert ids(word.subtree) == below
            head = heads[word.id - 1]
            assert word.head_token == (sentence[head] if head else None)


def test_the_root():
    for heads in ALL_HEADS:
        sentence = Sentence(FORMS, heads=heads)
        if heads.count(0) > 1:
            with pytest.raises(ArboraError, match=r"words of this sentence are roots \(\d, \d"):
                _ = sentence.root
        else:
            assert sentence.root == (sentence[heads.index(0) + 1] if 0 in heads else None)
    assert Sentence().root is None


def test_a_deep_tree_is_walked():
    count = 50_000
    sentence = Sentence(["x"] * count, heads=range(count))
    assert len(sentence[count].ancestors) == count - 1
    assert len(sentence[1].subtree) == count


def test_words_of_parsed_sentences_lead_to_such():
    sentence = small_pipeline()("The door is open.")[0]
    assert sentence.root is not None
    assert sentence.root.subtree == list(sentence)
    for word in (sentence.root, *sentence.root.children, *sentence[1].ancestors, *sentence[1:3]):
        assert isinstance(word, ParsedToken)
        assert word.probability > 0


def test_slices_are_lists_of_words_by_their_ids():
    sentence = Sentence(FORMS)
    assert [word.form for word in sentence[1:3]] == ["a", "b"]
    assert ids(sentence[:]) == ids(sentence[0:]) == ids(sentence[:99]) == [1, 2, 3, 4]
    assert ids(sentence[:3]) == [1, 2]
    assert ids(sentence[-2:]) == [3, 4]
    assert ids(sentence[::-1]) == [4, 3, 2, 1]
    assert ids(sentence[1:5:2]) == [1, 3]
    assert sentence[3:3] == sentence[9:] == []
    assert isinstance(sentence[1:3], list)


@pytest.mark.parametrize("key", ["a", 1.0, None, (1, 2), slice("a", 3), slice(1, 3, 0)])
def test_what_is_no_number_of_a_word(key):
    with pytest.raises(WrongTypeError, match=r"^[^\n]+$"):
        Sentence(FORMS)[key]


def test_numbers_beyond_the_words():
    for id in (0, 5, -5):
        with pytest.raises(IndexError):
            Sentence(FORMS)[id]


def test_documents_have_places_and_words():
    document = small_pipeline()("The door is open. Where is the key?\n\nDogs bark.")
    assert document[0] is document.sentences[0]
    assert document[-1] is document.sentences[-1]
    assert document[1:] == document.sentences[1:]
    assert document.words == [word for sentence in document for word in sentence]
    assert [document.text[word.start : word.end] for word in document.words] == [
        w.form for w in document.words
    ]
    with pytest.raises(WrongTypeError, match="place from 0"):
        document["a"]  # type: ignore[call-overload]
    with pytest.raises(IndexError, match="there is no sentence 99 in a document of"):
        document[99]


def test_sentences_of_files_are_drawn_and_show_themselves():
    sentence = next(arbora.treebank.read("examples/treebank/de.conllu"))
    assert sentence.to_svg().startswith("<svg")
    assert sentence._repr_svg_() == sentence.to_svg()
    assert sentence._repr_html_() == f"<div>{sentence.to_svg()}</div>"
    assert str(sentence) == sentence.to_text()
    assert "▶ Danke" in str(sentence)
    assert sentence.to_text("indented").startswith("1 Danke")
    assert "\n" not in repr(sentence)
    with pytest.raises(ArboraError, match="nothing says how probable"):
        sentence.to_svg(probabilities=True)
    sentence.misc = [f"HeadProbability=0.{id}5" for id in range(1, len(sentence) + 1)]
    for shown in (None, True):
        assert "0.15" in sentence.to_svg(probabilities=shown)
        assert "0.15" in sentence.to_text(probabilities=shown)
    assert "0.15" not in sentence.to_svg(probabilities=False) + sentence.to_text(probabilities=False)
    for own in (
        sentence._repr_svg_(),
        sentence._repr_html_(),
        str(sentence),
        draw.text(sentence),
        draw.svg(sentence),
    ):
        assert "0.15" in own
    assert "0.15" in draw.stacked_svg([sentence], ["a"])
    assert "0.15" not in draw.stacked_svg([sentence], ["a"], probabilities=[False])
    assert "0.15" in ParsedSentence(sentence)._repr_svg_()


def test_constituents_of_files_are_shown_too():
    sentence = Sentence(
        ["Go"], comments=["# constituents = (S (VP (VB Go)))", "# constituent_probabilities = 1 0.5"]
    )
    assert sentence.to_text().startswith("S  1.00\n")
    assert sentence.to_text(probabilities=False).startswith("S\n")
    assert "0.50" in sentence.to_svg(probabilities=True)
    assert "0.50" in sentence.to_svg()
    assert "0.50" in draw.text(ParsedSentence(sentence).constituents)
    assert sentence._repr_html_().count("<svg") == 1
    sentence.heads = [0]
    assert sentence._repr_html_().count("<svg") == 2


def test_what_cannot_be_drawn_still_shows_itself():
    for heads in ALL_HEADS:
        sentence = Sentence(FORMS, heads=heads)
        assert str(sentence)
        assert sentence._repr_html_()
    broken = Sentence(["<b>"], comments=["# constituents = (S"])
    assert "&lt;b&gt;" in broken._repr_html_()
    assert str(broken) == repr(broken)
