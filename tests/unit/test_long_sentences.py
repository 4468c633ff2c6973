"""Sentences that are too long to be parsed at once: in pieces, with valid trees, and in little memory."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles.trees import is_tree
from small_training import changed, treebank

import arbora
from arbora.dependency import DependencyParser, ParseOptions, Rules, parse_with_rules, train
from arbora.dependency.output import PARSED_IN_PIECES
from arbora.dependency.presets import PRESETS
from arbora.errors import ArboraError, InfeasibleTreeError, TooLongError
from arbora.treebank import Sentence
from arbora.treebank.batches import annotated, make_batches, to_sentences

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SHORT = 20
"""What is parsed at once here; pieces have up to eight words then."""
# The joint preset wants candidates of a tagger, which pipelines have.
NAMES = [name for name in PRESETS if name != "joint"]
LIMITED = ParseOptions(exact_length=SHORT, probabilities=True)


def parser_of(preset: str = "second-order", *, projective: bool = False, **options) -> DependencyParser:
    return train(treebank(), None, changed(preset=preset, projective=projective, epochs=1, **options))


@pytest.fixture(scope="module")
def parsers() -> dict[bool, DependencyParser]:
    """A parser of the second order, by whether its trees are projective."""
    return {projective: parser_of(projective=projective) for projective in (False, True)}


def long_sentence(words: int, **columns) -> Sentence:
    """The treebank's words, one after the other, without trees."""
    every = [word for each in treebank() for word in zip(each.forms, each.upos, strict=True)]
    chosen = (every * (words // len(every) + 1))[:words]
    return Sentence([form for form, _ in chosen], upos=[tag for _, tag in chosen], **columns)


def check_tree(sentence: Sentence, *, projective: bool) -> None:
    """One root, no cycle, and no crossing arcs if there must be none."""
    heads = np.array([-1, *sentence.heads])
    assert is_tree(heads, single_root=True, projective=projective)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("preset", NAMES)
def test_trees_of_every_preset(preset, projective):
    parser = parser_of(preset, projective=projective)
    sentence = long_sentence(95)
    for options in (ParseOptions(exact_length=SHORT), LIMITED, ParseOptions("mbr", exact_length=SHORT)):
        found = next(parser.parse([sentence.copy()], options))
        check_tree(found, projective=projective)
        assert found.findings[PARSED_IN_PIECES] >= 95 / SHORT
        assert f"# parsed_in_pieces = {found.findings[PARSED_IN_PIECES]}" in found.comments
        assert all(label in parser.labels for label in found.deprels)
        assert [label == "root" for label in found.deprels] == [head == 0 for head in found.heads]


def test_sentences_up_to_the_length_are_as_ever(parsers):
    for sentence in treebank():
        own = ParseOptions(exact_length=max(len(sentence), 10), probabilities=True)
        every = ParseOptions(exact_length=10_000, probabilities=True)
        found, expected = (next(parsers[False].parse([sentence.copy()], each)) for each in (own, every))
        assert found.to_conllu() == expected.to_conllu()
        assert PARSED_IN_PIECES not in found.findings


def test_one_word_more_than_the_length_is_in_pieces(parsers):
    options = ParseOptions()
    assert options.exact_length == 300
    found = list(parsers[False].parse([long_sentence(300), long_sentence(301)], options))
    assert [PARSED_IN_PIECES in (each.findings or {}) for each in found] == [False, True]


@pytest.mark.parametrize("projective", [False, True])
def test_pieces_are_sentences_joined_by_their_tops(projective):
    """The slow twin: the same pieces, and the sentence of their tops, parsed one by one."""
    parser = parser_of("first-order", projective=projective, pruning=0.0, most_heads=1000)
    options = ParseOptions(exact_length=40, probabilities=True)
    sentence, words = long_sentence(52), 52
    whole = next(parser.parse([sentence.copy()], options))
    table, _ = parser.probabilities(sentence, options)
    pieces = _pieces(table)
    heads, labels, chances, tops = [0] * words, [""] * words, np.zeros(words), []
    for piece in pieces:
        own = next(parser.parse([_excerpt(sentence, piece)], options))
        for place, word in enumerate(piece):
            heads[word] = piece[own.heads[place] - 1] + 1 if own.heads[place] else 0
            labels[word] = own.deprels[place]
            chances[word] = own.findings["HeadProbability"][place]
        tops += [word for word in piece if not heads[word]]
    joined = next(parser.parse([_excerpt(sentence, tops)], options))
    for place, top in enumerate(tops):
        heads[top] = tops[joined.heads[place] - 1] + 1 if joined.heads[place] else 0
        labels[top] = joined.deprels[place]
        chances[top] *= joined.findings["HeadProbability"][place]
    assert len(pieces) == len(tops) == whole.findings[PARSED_IN_PIECES] > 3
    assert (whole.heads, whole.deprels) == (heads, labels)
    assert whole.findings["HeadProbability"] == pytest.approx(chances, abs=1e-9)
    assert [table[head, word] for word, head in enumerate(heads, 1)] == pytest.approx(chances, abs=1e-9)


def _excerpt(sentence: Sentence, words: list[int]) -> Sentence:
    return Sentence([sentence.forms[w] for w in words], upos=[sentence.upos[w] for w in words])


def _pieces(table: np.ndarray) -> list[list[int]]:
    """The words of each piece, by which heads are possible: tops everywhere, other words in their piece."""
    possible = (table > 0) | np.eye(len(table), dtype=bool)
    others = possible[1:, 1:] & ~possible[1:, 1:].all(axis=1)[:, None]
    pieces = [[0]]
    for word in range(1, len(others)):
        if (others[:, word] == others[:, word - 1]).all():
            pieces[-1].append(word)
        else:
            pieces.append([word])
    return pieces


@pytest.mark.parametrize("projective", [False, True])
def test_probabilities_of_heads_sum_to_one(parsers, projective):
    heads, labels = parsers[projective].probabilities(long_sentence(120), ParseOptions(exact_length=SHORT))
    assert heads[:, 1:].sum(axis=0) == pytest.approx(np.ones(120), abs=1e-9)
    assert labels[1:].sum(axis=1) == pytest.approx(np.ones(120), abs=1e-9)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_given_heads_and_labels_stay(parsers, projective, share):
    """Of a random tree, whose arcs cross all pieces."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        heads = _random_tree(rng, 90, projective=projective)
        given = [head if rng.random() < share else None for head in heads]
        labels = ["root" if head == 0 else "dep" if head and rng.random() < 0.5 else "_" for head in given]
        sentence = long_sentence(90, heads=given, deprels=labels)
        options = ParseOptions(exact_length=SHORT, constraints=True, probabilities=True)
        found = next(parsers[projective].parse([sentence], options))
        check_tree(found, projective=projective)
        assert all(old in (None, new) for old, new in zip(given, found.heads, strict=True))
        assert all(old in ("_", new) for old, new in zip(labels, found.deprels, strict=True))
        assert [label == "root" for label in found.deprels] == [head == 0 for head in found.heads]
        certain = [
            p for p, old in zip(found.findings["HeadProbability"], given, strict=True) if old is not None
        ]
        assert certain == pytest.approx([1.0] * len(certain), abs=1e-9)


def _random_tree(rng: np.random.Generator, words: int, *, projective: bool) -> list[int]:
    heads = [0] * (words + 1)
    if not projective:
        order = rng.permutation(np.arange(1, words + 1)).tolist()
        for place, word in enumerate(order[1:], 1):
            heads[word] = order[int(rng.integers(place))]
        return heads[1:]

    def grow(begin: int, end: int, head: int) -> None:
        if begin == end:
            return
        word = int(rng.integers(begin, end))
        heads[word] = head
        grow(begin, word, word)
        grow(word + 1, end, word)

    grow(1, words + 1, 0)
    return heads[1:]


def test_a_cycle_that_is_given_is_refused(parsers):
    heads = [None] * 90
    heads[4], heads[79] = 80, 5
    sentence = long_sentence(90, heads=heads, comments=["# sent_id = circle"])
    with pytest.raises(InfeasibleTreeError, match=r"circle.*cycle"):
        list(parsers[False].parse([sentence], ParseOptions(exact_length=SHORT, constraints=True)))


def test_crossing_heads_that_are_given_are_refused_where_trees_are_projective(parsers):
    heads = [None] * 90
    heads[9], heads[59] = 80, 3
    sentence = long_sentence(90, heads=heads, comments=["# sent_id = cross"])
    options = ParseOptions(exact_length=SHORT, constraints=True)
    check_tree(next(parsers[False].parse([sentence.copy()], options)), projective=False)
    with pytest.raises(InfeasibleTreeError, match=r"cross.*leave no projective tree: that of token 60"):
        list(parsers[True].parse([sentence], options))


def test_several_roots_stay_where_they_are_allowed(parsers):
    options = ParseOptions(exact_length=SHORT, single_root=False, probabilities=True)
    found = next(parsers[False].parse([long_sentence(90)], options))
    assert found.heads.count(0) >= found.findings[PARSED_IN_PIECES] > 1
    heads, _ = parsers[False].probabilities(long_sentence(90), options)
    assert heads[:, 1:].sum(axis=0) == pytest.approx(np.ones(90), abs=1e-9)


def test_nothing_is_proved_of_a_sentence_in_pieces(parsers):
    found = next(
        parsers[False].parse([long_sentence(90)], ParseOptions(exact_length=SHORT, certificates=True))
    )
    assert "# certificate = none" in found.comments


def test_any_threads_give_the_same(parsers):
    sentences = [long_sentence(words) for words in (90, 15, 200)]
    threaded = ParseOptions(exact_length=SHORT, probabilities=True, threads=3, batch=1)
    one, many = (
        [each.to_conllu() for each in parsers[False].parse((s.copy() for s in sentences), options)]
        for options in (LIMITED, threaded)
    )
    assert one == many


def test_kbest_of_a_long_sentence_is_one_clear_line(parsers):
    sentence = long_sentence(301, comments=["# sent_id = endless"])
    with pytest.raises(TooLongError, match=r"endless.*it has 301 words.*at most 300 .*\(exact_length"):
        list(parsers[False].kbest([sentence], 2))
    assert len(next(parsers[False].kbest([sentence], 2, ParseOptions(exact_length=301)))) == 2


def test_pieces_spend_nothing_on_certificates():
    """Branch and bound would find better trees than one iteration does."""
    parser = parser_of("turbo")
    plain = ParseOptions(exact_length=100, iterations=1)
    first, certified = (
        next(parser.parse([long_sentence(400)], options))
        for options in (plain, replace(plain, certificates=True))
    )
    assert certified.heads == first.heads
    assert "# certificate = none" in certified.comments


def test_pieces_cannot_be_tiny():
    with pytest.raises(ArboraError, match="exact_length must be at least 10"):
        ParseOptions(exact_length=9).check()


def test_tables_and_graphs_of_long_sentences_are_refused_in_one_line(parsers):
    with pytest.raises(TooLongError, match=r"endless.*too long for tables.*8001 words"):
        parsers[False].probabilities(long_sentence(8001, comments=["# sent_id = endless"]))
    sentences = [treebank()[0], long_sentence(21, comments=["# sent_id = endless"])]
    found = parsers[False].parse(sentences, ParseOptions(solver="lp", exact_length=SHORT))
    assert len(next(found)) == len(sentences[0])
    with pytest.raises(TooLongError, match=r"endless.*too long: it has 21 words, and the solver lp takes"):
        next(found)


@pytest.mark.parametrize(("name", "most"), [("span-parser", 1000), ("isbn-parser", 5000)])
def test_too_long_sentences_get_no_constituents(name, most):
    parser = arbora.load(GOLDEN / f"{name}.v2.arbora")
    short, endless = (
        Sentence(
            ["Dogs", "bark"] * (words // 2),
            xpos=["NNS", "VBP"] * (words // 2),
            comments=[f"# sent_id = {name}"],
        )
        for name, words in (("short", 2), ("endless", most + 2))
    )
    found = to_sentences(annotated(make_batches([short, endless], 10_000), [parser.step(ParseOptions(), {})]))
    assert next(found).forms == short.forms
    with pytest.raises(TooLongError, match=rf"endless.*{most + 2} words.*at most {most}"):
        next(found)


def test_too_long_sentences_for_generative_models_are_named():
    parser = arbora.load(GOLDEN / "generative-parser-of-trees.v2.arbora")
    words = parser.most_words + 1
    endless = long_sentence(words, comments=["# sent_id = endless"])
    found = parser.parse([treebank()[0], endless, treebank()[1]], ParseOptions(batch=10_000))
    check_tree(next(found), projective=False)
    with pytest.raises(TooLongError, match=rf"endless.*{words} words.*at most {words - 1}"):
        next(found)
    with pytest.raises(TooLongError, match=rf"of up to {words - 1} words.*endless.*has {words}"):
        parser.probabilities(endless)


def test_no_rules_for_long_sentences(parsers):
    """A tree that breaks none stays; another one is not looked for."""
    endless = long_sentence(21, comments=["# sent_id = endless"])
    options = ParseOptions(exact_length=SHORT)
    (plain,) = parsers[False].parse([endless], options)
    (found,) = parse_with_rules(parsers[False], [endless], Rules.parse("root is upos!=X"), options)
    assert found.heads == plain.heads
    with pytest.raises(
        TooLongError, match=r"endless.*breaks a rule.*at most 20 words \(exact_length\), not 21"
    ):
        next(parse_with_rules(parsers[False], [endless], Rules.parse("root is upos=X"), options))


LONG = """
import re
import arbora
from arbora.dependency import ParseOptions
from arbora.treebank import Sentence
nlp = arbora.load()
sentence = Sentence("The old man saw the boats and went down to the harbour , and".split() * 358)
assert len(sentence) > 5000
for probabilities in (False, True):
    found = next(nlp.annotate([sentence.copy()], ParseOptions(probabilities=probabilities)))
    assert found.heads.count(0) == 1 and any("parsed_in_pieces" in line for line in found.comments)
status = open("/proc/self/status").read()  # ru_maxrss would count the program that began this one, too
print(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells it elsewhere")
def test_five_thousand_words_in_a_gigabyte():
    run = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 2**20  # kilobytes


@pytest.mark.parametrize("projective", [False, True])
def test_what_is_forbidden_binds_in_pieces(parsers, projective):
    """Within pieces, between them and at the root; where pieces have no tree, at once."""
    parser, sentence = parsers[projective], long_sentence(60)
    best = next(parser.parse([sentence], LIMITED))
    options = replace(LIMITED, constraints=True)
    forbidden = [{head} for head in best.heads]
    for _ in range(3):  # what was found instead is forbidden too
        sentence.misc = [f"ForbiddenHeads={','.join(map(str, sorted(heads)))}" for heads in forbidden]
        found = next(parser.parse([sentence], options))
        check_tree(found, projective=projective)
        assert not any(head in heads for head, heads in zip(found.heads, forbidden, strict=True))
        heads, _ = parser.probabilities(sentence, options)
        for word, own in enumerate(forbidden, 1):
            assert all(heads[head, word] == 0 for head in own)
        np.testing.assert_allclose(heads[:, 1:].sum(axis=0), 1, atol=1e-9)
        for head, own in zip(found.heads, forbidden, strict=True):
            own.add(head)


def test_a_word_that_must_leave_its_piece_does(parsers):
    """The only head that is not forbidden is far away and no top of a piece."""
    parser, sentence = parsers[False], long_sentence(60)
    tops = next(parser.parse([sentence], LIMITED)).heads
    far = next(word for word in range(60, 50, -1) if abs(tops[word - 1] - word) == 1)
    sentence.misc[2] = "ForbiddenHeads=" + ",".join(str(h) for h in range(61) if h not in (far, 3))
    found = next(parser.parse([sentence], replace(LIMITED, constraints=True)))
    assert found.heads[2] == far
    check_tree(found, projective=False)
