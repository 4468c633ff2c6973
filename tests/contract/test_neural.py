"""Neural parsers: scores agree with slow twins, inference with enumeration, gradients with differences."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.neural import SlowHeads, shape_of
from oracles.trees import all_trees
from small_neural import OPTIONS, SHAPE, encoder_folder, states_of
from small_training import treebank

import arbora
from arbora import _core
from arbora.dependency import ArrayParser, ArrayScores, ParseOptions
from arbora.errors import InfeasibleTreeError
from arbora.models import below
from arbora.neural import NeuralOptions, NeuralParser, read_subwords, train_neural
from arbora.treebank import Sentence
from arbora.treebank.batches import annotated, make_batches, to_sentences

TREEBANK = treebank()


def trained(**changes) -> NeuralParser:
    options = NeuralOptions(**{**OPTIONS.as_dict(), **changes})
    return train_neural(TREEBANK, TREEBANK[:8], options, encoder=encoder_folder())


@pytest.fixture(scope="module", params=["int8", "float32"])
def parser(request) -> NeuralParser:
    return trained(precision=request.param)


@pytest.fixture(scope="module", params=[False, True], ids=["last layer", "mix"])
def floats(request) -> NeuralParser:
    return trained(precision="float32", epochs=1, mix=request.param)


def short(sentences: list[Sentence], most: int = 8) -> list[Sentence]:
    """Beginnings of sentences."""
    return [Sentence(own.forms[:most]) for own in sentences[:8]]


def test_scores_agree_with_the_slow_twin(floats):
    slow_heads = below(floats.tensors, "heads/")
    for sentence in [*short(TREEBANK), Sentence(["Go"])]:
        slow = SlowHeads(states_of(floats, sentence), slow_heads, OPTIONS.arc_size, OPTIONS.label_size)
        scale = floats.header["tree_scale"]
        assert floats.arc_scores(sentence) == pytest.approx(scale * slow.arcs(), abs=1e-4)
        heads = [2 % (len(sentence) + 1)] + [1] * (len(sentence) - 1)
        if len(sentence) > 1:
            given = Sentence(sentence.forms, heads=[0, *[1] * (len(sentence) - 1)])
            table = floats.probabilities(given, given_heads=True)[1]
            for word, head in enumerate(given.heads, 1):
                scores = floats.header["label_scale"] * slow.labels(head, word)
                is_root = np.array([label == "root" for label in floats.labels])
                scores[~is_root if head == 0 else is_root] = -np.inf
                expected = np.exp(scores - np.logaddexp.reduce(scores))
                assert table[word] == pytest.approx(expected, abs=1e-4), heads


def test_tags_are_the_best_row_of_the_treebank(floats):
    tags = floats.inventory
    for sentence in short(TREEBANK):
        slow = SlowHeads(states_of(floats, sentence), below(floats.tensors, "heads/"), 8, 6).tags()
        first_xpos, first_feats = len(tags.upos), len(tags.upos) + len(tags.xpos)
        rows = np.stack(
            [slow[:, u] + slow[:, first_xpos + x] + slow[:, first_feats + f] for u, x, f in tags.rows], 1
        )
        best = [tags.rows[row] for row in rows.argmax(1)]
        (found,) = to_sentences(
            annotated(make_batches([Sentence(sentence.forms)], 99), [floats.tagging_step()])
        )
        assert found.upos == [tags.upos[u] for u, _, _ in best]
        assert found.xpos == [tags.xpos[x] for _, x, _ in best]
        assert found.feats == [tags.feats[f] for _, _, f in best]


def test_given_tags_stay_and_bind(parser):
    tags = parser.inventory
    u, x, _ = tags.rows[-1]
    given = Sentence(
        ["a", "b", "c", "d"], upos=[tags.upos[u], "_", "STRANGE", "_"], xpos=["_", tags.xpos[x], "_", "_"]
    )
    step = parser.tagging_step(keep_tags=True)
    (found,) = to_sentences(annotated(make_batches([given], 99), [step]))
    assert found.upos[0] == given.upos[0]
    assert (found.upos[0], found.xpos[0], found.feats[0]) in {
        (tags.upos[a], tags.xpos[b], tags.feats[c]) for a, b, c in tags.rows
    }
    assert found.xpos[1] == given.xpos[1]
    assert found.upos[2] == "STRANGE"
    assert "_" not in found.upos


def test_scores_of_another_model_make_no_tags(parser):
    other = trained(epochs=1)
    (batch,) = make_batches([Sentence(["a", "b"])], 99)
    own = parser._core.read(batch, 1)
    parser._core.tag(own, batch, False, 1)
    with pytest.raises(ValueError, match="of another model"):
        other._core.tag(own, batch, False, 1)


def test_whoever_parses_gets_tags_too(parser):
    """As the command gives them; words keep those that they have."""
    plain = [Sentence(sentence.forms) for sentence in TREEBANK[:6]]
    options = ParseOptions()

    def done(step) -> list[Sentence]:
        return list(to_sentences(annotated(make_batches(plain, 99), [step])))

    expected = [found.to_conllu() for found in done(parser.step(options, {}))]
    assert all("_" not in found.upos for found in parser.parse(plain))
    assert [found.to_conllu() for found in parser.parse(plain)] == expected
    pieces = parser.parse_conllu(["".join(sentence.to_conllu() for sentence in plain).encode()])
    assert b"".join(piece.data for piece in pieces).decode() == "".join(expected)
    assert [sentence.upos for sentence in plain] == [["_"] * len(sentence) for sentence in plain]
    given = Sentence(plain[0].forms, upos=["STRANGE", *["_"] * (len(plain[0]) - 1)])
    found = next(parser.parse([given])).upos
    assert (found[0], "_" in found) == ("STRANGE", False)
    for sentence, ranked in zip(plain, done(parser.ranker(1, options)), strict=True):
        assert ranked.upos == next(parser.parse([sentence])).upos


class CountingCore:
    """What a parser has in the core, and how often its encoder has read a batch."""

    def __init__(self, core: _core.NeuralModel) -> None:
        self.core, self.reads = core, 0

    def read(self, *arguments):
        self.reads += 1
        return self.core.read(*arguments)

    def tag(self, *arguments):
        return self.core.tag(*arguments)


@pytest.mark.parametrize("solver", [None, "ilp"])
def test_the_encoder_reads_a_batch_once(floats, monkeypatch, solver):
    counting = CountingCore(floats._core)
    monkeypatch.setattr(floats, "_core", counting)
    options = ParseOptions(solver=solver, certificates=True)
    found = list(floats.parse([Sentence(sentence.forms) for sentence in TREEBANK[:3]], options))
    assert counting.reads == 1
    assert all(sentence.heads.count(0) == 1 and "_" not in sentence.upos for sentence in found)


def test_the_best_tree_and_all_sums_are_those_of_enumeration(parser):
    for sentence in short(TREEBANK, 5):
        arcs = parser.arc_scores(sentence)
        trees = [heads for heads in all_trees(len(sentence)) if list(heads[1:]).count(0) == 1]
        scores = np.array([sum(arcs[heads[m], m] for m in range(1, len(heads))) for heads in trees])
        found = next(parser.parse([sentence], ParseOptions(probabilities=True)))
        best = trees[int(scores.argmax())]
        assert found.heads == list(best[1:])
        weights = np.exp(scores - np.logaddexp.reduce(scores))
        table = parser.probabilities(sentence)[0]
        for m in range(1, len(sentence) + 1):
            for h in range(len(sentence) + 1):
                expected = sum(w for w, heads in zip(weights, trees, strict=True) if heads[m] == h)
                assert table[h, m] == pytest.approx(expected, abs=1e-9)


def test_the_k_best_labelled_trees_are_those_of_enumeration(parser):
    for sentence in short(TREEBANK, 3):
        arcs = parser.arc_scores(sentence)
        trees = [heads for heads in all_trees(len(sentence)) if list(heads[1:]).count(0) == 1]
        scores = np.array([sum(arcs[heads[m], m] for m in range(1, len(heads))) for heads in trees])
        logs = scores - np.logaddexp.reduce(scores)
        for place, heads in enumerate(trees):
            given = Sentence(sentence.forms, heads=heads[1:].tolist())
            logs[place] += np.log(parser.probabilities(given, given_heads=True)[1][1:].max(axis=1)).sum()
        best = next(parser.kbest([sentence], 1))[0]
        assert best.log_probability == pytest.approx(logs.max(), abs=1e-9)
        assert best.heads == trees[int(logs.argmax())][1:].tolist()


def test_constraints_bind(parser):
    sentence = next(own for own in TREEBANK if len(own) > 6)
    free = next(parser.parse([sentence]))
    other = 1 if free.heads[2] != 1 else 2
    given = Sentence(sentence.forms, heads=[None, None, other, *[None] * (len(sentence) - 3)])
    given.deprels = ["_", "_", "obl", *["_"] * (len(sentence) - 3)]
    found = next(parser.parse([given], ParseOptions(constraints=True)))
    assert (found.heads[2], found.deprels[2]) == (other, "obl")
    trees = ArrayParser().parse(
        ArrayScores([parser.arc_scores(sentence)]),
        given_heads=[np.array([-1, *(-1 if h is None else h for h in given.heads)], np.int32)],
    )
    assert found.heads == trees[0].heads[1:].tolist()
    looped = Sentence(["a", "b"], heads=[2, 1])
    with pytest.raises(InfeasibleTreeError):
        list(parser.parse([looped], ParseOptions(constraints=True)))


@pytest.mark.parametrize("solver", [None, "ilp", "ad3"])
@pytest.mark.parametrize("projective", [False, True])
def test_certificates_hold_and_forbidden_arcs_stay_out(parser, solver, projective):
    rng = np.random.default_rng(7)
    options = ParseOptions(projective=projective, constraints=True, certificates=True, solver=solver)
    for sentence in short(TREEBANK, 5):
        forbidden = rng.integers(0, len(sentence) + 1, len(sentence)).tolist()
        misc = [f"ForbiddenHeads={head}" if head != m else "_" for m, head in enumerate(forbidden, 1)]
        trees = [
            heads
            for heads in all_trees(len(sentence), True, projective)
            if all(head == m or heads[m] != head for m, head in enumerate(forbidden, 1))
        ]
        arcs = parser.arc_scores(sentence)
        values = {tuple(heads[1:]): sum(arcs[heads[m], m] for m in range(1, len(heads))) for heads in trees}
        asked = Sentence(sentence.forms, misc=misc)
        if not values:
            with pytest.raises(InfeasibleTreeError):
                next(parser.parse([asked], options))
            continue
        found = next(parser.parse([asked], options))
        best, gap = max(values.values()), found.metadata("certificate")
        assert gap is not None
        slack = 0 if gap == "proved" else float(gap.rpartition("gap ")[2])
        assert values[tuple(found.heads)] >= best - slack - 1e-6


def test_bytes_depend_on_the_sentence_alone(parser):
    options = ParseOptions(probabilities=True)
    alone = [next(parser.parse([sentence], options)).to_conllu() for sentence in TREEBANK]
    for batch, threads in ((1, 1), (40, 2), (8192, 3)):
        found = parser.parse(TREEBANK, ParseOptions(probabilities=True, batch=batch, threads=threads))
        assert [sentence.to_conllu() for sentence in found] == alone


LENGTHS = [SHAPE.longest - 2 + more for more in (-1, 0, 1)] + [2 * SHAPE.longest, 5 * SHAPE.longest + 3]


def long_sentence(words: int) -> Sentence:
    """Of words of one sub-word each."""
    return Sentence(["a", "b", "the"] * (words // 3) + ["a"] * (words % 3))


@pytest.mark.parametrize("words", LENGTHS)
def test_sentences_longer_than_the_encoder_have_trees(parser, words):
    found = next(parser.parse([long_sentence(words)], ParseOptions(probabilities=True)))
    assert found.heads.count(0) == 1


@pytest.mark.parametrize("words", LENGTHS)
def test_sentences_longer_than_the_encoder_are_read_in_windows(floats, words):
    sentence = long_sentence(words)
    slow = SlowHeads(
        windowed(floats, sentence), below(floats.tensors, "heads/"), OPTIONS.arc_size, OPTIONS.label_size
    )
    own = floats.arc_scores(sentence) / floats.header["tree_scale"]
    assert own == pytest.approx(slow.arcs(), abs=1e-4)


def windowed(parser: NeuralParser, sentence: Sentence) -> np.ndarray:
    """States of words of one sub-word each: of the window in which a word is farthest from its ends."""
    own, room, n = parser.subwords, SHAPE.longest - 2, len(sentence)
    ids, shapes, _, _ = _core.neural_sequences(own.core, own.cls, own.sep, [list(sentence.forms)], 1)
    assert len(ids) == n + 2
    starts = [0]
    while starts[-1] + room < n:
        starts.append(starts[-1] + room // 2)
    best: dict[int, tuple[float, np.ndarray]] = {}
    for start in starts:
        end = min(start + room, n)
        places = [0, *range(start + 1, end + 1), n + 1]
        rows = parser.encoder.encode(ids[places], np.array([len(places)], np.int64), shapes=shapes[places])
        if start == 0:
            best[0] = (0, rows[0])
        for word in range(start, end):
            left = np.inf if start == 0 else word - start
            right = np.inf if end == n else end - 1 - word
            depth = min(left, right)
            if word + 1 not in best or depth > best[word + 1][0]:
                best[word + 1] = (depth, rows[word - start + 1])
    return np.array([best[place][1] for place in range(n + 1)])


def test_odd_sentences(parser):
    odd = [[], ["\u200b"], ["x" * 5000], ["ΟΔΟΣ", "İçin", "e\u0301té"], ["\x00", "a"], ["漢字", "🙂"]]
    for forms in odd:
        found = next(parser.parse([Sentence(forms)]))
        assert found.forms == forms
        assert found.heads.count(0) == min(1, len(forms))


def test_what_words_look_like():
    forms = [
        "the",
        "The",
        "THE",
        "T",
        "iPhone",
        "McDonald",
        "1984",
        "A1",
        "3rd",
        "...",
        "é",
        "É",
        "ΟΔΟΣ",
        "東京",
        "٣",
    ]
    own = read_subwords(encoder_folder())
    _, shapes, _, firsts = _core.neural_sequences(own.core, own.cls, own.sep, [forms], 1)
    assert shapes[firsts[1:]].tolist() == [shape_of(form) for form in forms]


def test_a_model_file_says_the_same(parser, tmp_path):
    parser.save(tmp_path / "m")
    again = arbora.load(tmp_path / "m")
    options = ParseOptions(probabilities=True)
    assert [s.to_conllu() for s in again.parse(TREEBANK, options)] == [
        s.to_conllu() for s in parser.parse(TREEBANK, options)
    ]
