"""Batches of the core: sentences get there and back unchanged; what is refused has a code and a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbora import _core
from arbora.errors import ArboraError, FileError, InfeasibleTreeError
from arbora.treebank import EmptyNode, Multiword, Sentence, read
from arbora.treebank.batches import (
    annotated,
    make_batch,
    make_batches,
    read_batches,
    refusal_of,
    to_conllu,
    to_sentences,
)

TREEBANKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "treebank").glob("*.conllu"))
ODD = [
    Sentence(),
    Sentence(comments=["# no words"]),
    Sentence(["a"], heads=[0], deprels=["root"], newline="\r\n"),
    Sentence(
        ["do", "n't", "\u0395\u0301", "\U0001f600"],
        heads=[None, 1, 4, 0],
        misc=["_", "A=1||B", "|", "SpaceAfter=No"],
        multiwords=[Multiword(1, 2, "don't", misc="X=y")],
        empty_nodes=[EmptyNode(0, 1, "e", inside=True), EmptyNode(4, 1, "f")],
        comments=["# sent_id = s1", "#", "# text = x"],
        closing="\n",
    ),
]


@pytest.mark.parametrize("path", TREEBANKS, ids=lambda path: path.name)
@pytest.mark.parametrize("words", [1, 7, 10_000])
def test_sentences_come_back_as_they_were(path, words):
    sentences = [*read(str(path)), *ODD]
    assert list(to_sentences(make_batches(sentences, words))) == sentences


@pytest.mark.parametrize("path", TREEBANKS, ids=lambda path: path.name)
@pytest.mark.parametrize(("size", "threads"), [(100, 1), (5000, 2), (1 << 20, 3)])
def test_bytes_come_back_as_they_were(path, size, threads):
    data = path.read_bytes()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    found = list(to_conllu(read_batches(pieces, threads=threads), threads=threads))
    assert b"".join(piece.data for piece in found) == data
    sentences = list(read(str(path)))
    assert sum(piece.sentences for piece in found) == len(sentences)
    assert sum(piece.words for piece in found) == sum(map(len, sentences))


def test_sentences_are_new_ones():
    sentence = Sentence(["a", "b"], misc=["_", "x"], multiwords=[Multiword(1, 2, "ab")])
    twin = next(to_sentences([make_batch([sentence])]))
    twin.misc[0], twin.multiwords[0].form = "changed", "changed"
    assert (sentence.misc[0], sentence.multiwords[0].form) == ("_", "ab")


def test_what_is_refused_is_told_after_all_before_it():
    data = "".join(sentence.to_conllu() for sentence in read(str(TREEBANKS[0])))
    good = list(read(str(TREEBANKS[0])))[:3]

    def refuse(batch: _core.Batch) -> _core.Batch:
        batch.refuse(2, "of a reason")
        return batch

    handed_on = []
    with pytest.raises(
        InfeasibleTreeError, match=r"no tree fits what is given for the sentence .*: of a reason"
    ):
        handed_on.extend(to_sentences(annotated([make_batch(good)], [refuse])))
    with pytest.raises(InfeasibleTreeError, match="of a reason"):
        handed_on.extend(to_conllu(annotated(read_batches([data.encode()]), [refuse])))
    assert handed_on[-1].sentences == 2
    batch = refuse(make_batch(good))
    assert (batch.sound, batch.refusal) == (2, ("infeasible", "of a reason", 0))
    assert isinstance(refusal_of(batch), InfeasibleTreeError)
    assert make_batch(good).refusal is None


def test_what_breaks_the_format_is_told_with_its_line():
    good = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    found = []
    with pytest.raises(FileError, match=r"3: sentence #2"):
        found.extend(read_batches([(good + "1\ta\n\n" + good).encode()]))
    assert [len(batch) for batch in found] == [1]


def test_what_makes_no_batch():
    with pytest.raises(ArboraError, match="no Unicode text"):
        make_batch([Sentence(["\ud800"])])
    uneven = Sentence(["a"])
    uneven.upos.clear()
    with pytest.raises(ValueError, match="upos has 0 values for 1 forms"):
        make_batch([uneven])
    nameless = Sentence(["a"])
    nameless.forms[0] = None  # type: ignore[call-overload]
    with pytest.raises(ArboraError, match="forms: word 1 needs a text, not None"):
        make_batch([nameless])
    batch = make_batch([Sentence(["a"])])
    with pytest.raises(IndexError):
        batch.set_tree(1, [0], ["root"])
    with pytest.raises(ValueError, match="heads: 0 numbers, where 1 are needed"):
        batch.set_tree(0, [], [])


def test_trees_and_gaps_of_others():
    batch = make_batch([Sentence(["a", "b"], comments=["# certificate = none", "# c"])])
    batch.set_tree(0, [2, 0], ["x", "root"])
    for gap, text in ((0.0, "proved"), (float("inf"), "none"), (0.25, "gap 0.250000")):
        batch.set_gap(0, gap)
        found = next(to_sentences([batch]))
        assert found.comments == ["# c", f"# certificate = {text}"]
        assert found.findings == {"certificate": gap}
    assert (found.heads, found.deprels) == ([2, 0], ["x", "root"])


def test_a_batch_takes_over_another():
    first, second = make_batch([Sentence(["a"])]), make_batch([Sentence(["b", "c"])])
    first.append(second)
    assert (len(first), first.words(), first.words(1), len(second)) == (2, 3, 1, 0)
    assert [s.forms for s in to_sentences([first])] == [["a"], ["b", "c"]]
