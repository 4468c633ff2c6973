"""Sentences that carry constituents: in comments, in batches of the core, in documents, in drawings."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import pytest

from arbora.draw import DrawingError, constituency_svg, constituency_text, svg, text
from arbora.errors import ArboraError
from arbora.pipeline import ParsedConstituents, ParsedSentence
from arbora.treebank import Constituent, Sentence
from arbora.treebank.batches import make_batch, read_batches, sentences_of, to_conllu
from arbora.treebank.phrases import escaped, sentence_of_tree, tag_of

DOGS = Constituent.from_string("(S (NP (NNS Dogs)) (VP (VBP bark)))")


def random_spans(rng: random.Random, start: int, end: int) -> list[tuple[str, int, int]]:
    """A tree's constituents, with unary chains, empty labels, and words beside phrases."""
    found = [(rng.choice(["S", "NP", "VP-X=1", ""]), start, end) for _ in range(rng.randint(1, 3))]
    at = start
    while at < end:
        size = rng.randint(1, end - at)
        if size < end - start and rng.random() < 0.6:
            found += random_spans(rng, at, at + size)
        at += size
    return found


def test_the_core_writes_what_trees_write():
    """One tree by `Constituent` and by the core's renderer, and back from the comment."""
    rng = random.Random(5)
    for _ in range(200):
        n = rng.randint(1, 9)
        forms = [rng.choice(["a", "(", ")", "10 000", ":-)", "é", "_"]) for _ in range(n)]
        xpos = [rng.choice(["NN", "$(", "_"]) for _ in range(n)]
        sentence = Sentence(forms, upos=["X"] * n, xpos=xpos)
        spans = random_spans(rng, 0, n)
        odds = [rng.random() for _ in spans] if rng.random() < 0.5 else None
        batch = make_batch([sentence])
        batch.set_constituents(0, spans, odds)
        assert [tuple(row[:3]) for row in batch.constituents(0)] == spans
        (found,) = sentences_of(batch)
        tags = [escaped(tag_of(tag, "X")) for tag in xpos]
        tree = Constituent.from_spans(spans, [escaped(form) for form in forms], tags)
        assert tree.spans() == spans
        assert found.comments[0] == f"# constituents = {tree}"
        assert found.constituents == tree
        assert found.constituent_probabilities == odds
        data = b"".join(piece.data for piece in to_conllu([batch]))
        assert data.decode() == found.to_conllu()
        (again,) = [one for batch in read_batches([data]) for one in sentences_of(batch)]
        assert again == found
        assert again.constituents == tree
        twin = sentence.copy()
        twin.constituents = tree
        assert twin.comments == found.comments[:1]
        assert ParsedSentence.from_dict(ParsedSentence(found).to_dict()).constituents == tree


@pytest.mark.parametrize(
    ("spans", "reason"),
    [
        ([], "must hold all words"),
        ([("S", 0, 2)], "must hold all words"),
        ([("S", 0, 3), ("A", 0, 2), ("B", 1, 3)], "cross"),
        ([("S", 0, 3), ("A", 2, 3), ("B", 0, 1)], "order|cross"),
        ([("S", 0, 3), ("A", 1, 1)], "hold a word|cross"),
        ([("S", 0, 3), ("A", 1, 4)], "cross"),
    ],
)
def test_what_makes_no_tree(spans, reason):
    batch = make_batch([Sentence(["a", "b", "c"])])
    with pytest.raises(ValueError, match=reason):
        batch.set_constituents(0, spans)
    with pytest.raises(ArboraError, match=reason):
        Constituent.from_spans(spans, ["a", "b", "c"], ["X"] * 3)
    assert batch.constituents(0) == []


def test_what_the_core_cannot_take():
    batch = make_batch([Sentence(["a"])])
    with pytest.raises(ValueError, match="label holds a space or bracket"):
        batch.set_constituents(0, [("S (", 0, 1)])
    with pytest.raises(ValueError, match="probabilities: 0 numbers, where 1 are needed"):
        batch.set_constituents(0, [("S", 0, 1)], [])
    with pytest.raises(IndexError):
        batch.set_constituents(1, [("S", 0, 1)])


def test_a_sentence_gets_and_loses_its_tree():
    sentence = Sentence(["Dogs", "bark"], comments=["# sent_id = s1", "# constituent_probabilities = 1 1 1"])
    assert sentence.constituents is None
    sentence.constituents = DOGS
    assert sentence.comments == ["# sent_id = s1", f"# constituents = {DOGS}"]
    assert Sentence.from_conllu(sentence.to_conllu()).constituents == DOGS
    assert sentence.copy().constituents == DOGS
    assert sentence.constituent_probabilities is None
    sentence.constituents = None
    assert sentence.comments == ["# sent_id = s1"]
    with pytest.raises(ArboraError, match="the tree has 2 words, the sentence 1"):
        Sentence(["Dogs"]).constituents = DOGS


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        ("(S (NN Dogs)", "the comment constituents holds no tree: the tree that begins here is not closed"),
        ("", "holds no tree: one tree is needed, this text has 0"),
        ("(S (NN Dogs) (VB sing))", "word 2 is 'sing' in the tree and 'bark' in the sentence"),
        ("(S (NN Dogs))", "the tree has 1 words, the sentence 2"),
    ],
)
def test_a_comment_that_holds_no_tree_of_the_words(comment, reason):
    sentence = Sentence(["Dogs", "bark"], comments=[f"# constituents = {comment}"])
    with pytest.raises(ArboraError, match=reason):
        _ = sentence.constituents
    assert sentence.to_conllu()  # but it goes through


def test_words_of_trees():
    tree = Constituent.from_string("(S (-LRB- -LRB-) (NP (-NONE- *)) (NN a))")
    sentence = sentence_of_tree(tree)
    assert (sentence.forms, sentence.xpos) == (["(", "a"], ["-LRB-", "NN"])
    assert sentence_of_tree(Constituent.from_string("(S (-NONE- *))")) is None


def test_drawings_with_probabilities():
    odds = [1.0, 0.5, 0.25]
    assert constituency_text(DOGS, odds).splitlines() == [
        "S  1.00",
        "├─ NP  0.50",
        "│  └─ NNS Dogs",
        "└─ VP  0.25",
        "   └─ VBP bark",
    ]
    picture = constituency_svg(DOGS, odds)
    ElementTree.fromstring(picture)
    assert "NP 0.50" in picture
    assert picture.count('opacity="0.65"') == 2  # the phrase, and the line to it
    outer = Constituent("", [DOGS])
    assert constituency_text(outer, [1.0, *odds]) == constituency_text(DOGS, odds)
    with pytest.raises(DrawingError, match="3 constituents need 3 probabilities, not 1"):
        constituency_text(DOGS, [1.0])


def test_a_sentence_without_heads_is_drawn_by_its_constituents():
    sentence = Sentence(["Dogs", "bark"])
    sentence.constituents = DOGS
    assert text(sentence).startswith("S\n")
    assert "phrase" in svg(sentence)
    sentence.heads = [2, 0]
    assert "▶ Dogs" in text(sentence)
    parsed = ParsedSentence(sentence)
    assert isinstance(parsed.constituents, ParsedConstituents)
    assert parsed.constituents.to_text().startswith("S\n")
    assert len(list(parsed.drawings())) == 2
    parsed.constituents = None
    assert len(list(parsed.drawings())) == 1
