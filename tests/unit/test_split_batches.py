"""Batches that are cut apart, and sentences that end where lines do."""

from __future__ import annotations

import pytest

import arbora
from arbora.dependency import ParseOptions
from arbora.treebank import Sentence
from arbora.treebank.batches import make_batch, sentences_of, to_sentences

SENTENCES = [Sentence([f"w{i}é"] * i, comments=[f"# sent_id = {i}"]) for i in range(6)]


@pytest.mark.parametrize("counts", [[6], [0, 6], [1, 2, 3], [2, 0, 4, 0], [1] * 6])
def test_a_batch_is_cut_apart_and_joined_again(counts):
    batch = make_batch(SENTENCES)
    assert batch.lengths == list(range(6))
    assert batch.characters == sum(len(form) for sentence in SENTENCES for form in sentence.forms)
    batch.refuse(3, "so it is")
    parts = batch.split(counts)
    assert [len(part) for part in parts] == counts
    assert len(batch) == 0
    for part in parts:
        batch.append(part)
    assert batch.refusal == ("infeasible", "so it is", 0)
    assert [s.to_conllu() for s in sentences_of(batch)] == [s.to_conllu() for s in SENTENCES[:3]]
    batch.remove(3)
    assert [s.sent_id for s in to_sentences([batch])] == ["0", "1", "2", "4", "5"]


@pytest.mark.parametrize("counts", [[], [5], [7], [3, 4], [2**63, 2**63, 6]])
def test_all_sentences_have_to_go_somewhere(counts):
    batch = make_batch(SENTENCES)
    with pytest.raises(ValueError, match="counts"):
        batch.split(counts)
    assert len(batch) == 6


def test_parts_outlive_the_batch_that_they_come_from():
    parts = make_batch(SENTENCES).split([3, 3])
    assert parts[1].to_conllu().decode() == "".join(s.to_conllu() for s in SENTENCES[3:])


@pytest.mark.parametrize(
    "text",
    [
        "Dogs bark. Cats meow.\nThe dog\nbarks\n\nNew York\r\nis big.\r\n  \n(etc. etc.",
        "one\n" * 400,
        "word " * 600 + "\nend",
        "",
        "\n\n",
    ],
)
def test_lines_are_sentences_with_the_tokens_that_the_text_has(text):
    """The slow twin: the tokens of the whole text, gathered by the lines that they stand in."""
    tokenizer = arbora.load().tokenizer
    found = list(to_sentences(tokenizer.batches([text.encode()], ranges=True, lines=True)))
    lines: dict[int, list[str]] = {}
    for sentence in tokenizer.spans(text):
        for start, end in sentence:
            lines.setdefault(text.count("\n", 0, start), []).append(text[start:end])
    assert [sentence.forms for sentence in found] == list(lines.values())
    places = [item for s in found for misc in s.misc for item in misc.split("|") if "TokenRange" in item]
    flat = [span for sentence in tokenizer.spans(text) for span in sentence]
    assert places == [f"TokenRange={start}:{end}" for start, end in flat]


@pytest.mark.parametrize(
    ("heads", "labels"),
    [
        ([None, None, None], ["_", "_", "_"]),
        ([3, None, None], ["_", "obj", "_"]),
        ([None] * 3, ["root", "_", "x"]),
    ],
)
def test_probabilities_under_constraints_are_shares_of_all_trees(parser, heads, labels):
    """The slow twin: all labelled trees that go with what is given, each by its probability."""
    sentence = Sentence(["Dogs", "bark", "now"], upos=["NOUN", "VERB", "ADV"], heads=heads, deprels=labels)
    options = ParseOptions(constraints=True)
    found, _ = parser.probabilities(sentence, constraints=True)
    trees = next(parser.kbest([sentence], 100_000, options))
    shares = [[0.0] * 4 for _ in range(4)]
    total = sum(2.718281828459045**tree.log_probability for tree in trees)
    for tree in trees:
        for word, head in enumerate(tree.heads, 1):
            shares[head][word] += 2.718281828459045**tree.log_probability / total
    for head in range(4):
        for word in range(1, 4):
            assert found[head, word] == pytest.approx(shares[head][word], abs=1e-9)
