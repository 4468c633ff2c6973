"""Learning generative models: what EM and counting promise on real text, and what they refuse."""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np
import pytest
from generative_cases import STRANGE, english, options_of, trained

from arbora.errors import ArboraError, FileError
from arbora.generative.data import read_corpus
from arbora.generative.decisions import BUCKETS, Estimate
from arbora.generative.estimation import _events, count_trees
from arbora.generative.options import GenerativeOptions
from arbora.generative.parser import GenerativeParser
from arbora.generative.task import GenerativeTask
from arbora.generative.units import Units, signature
from arbora.models import read_model, write_model
from arbora.treebank import Sentence, read

KINDS = {
    "bigram": {"model": "bigram"},
    "projective": {"model": "bigram", "projective": True, "distance": True},
    "many-roots": {"model": "bigram", "single_root": False},
    "valence": {"model": "valence"},
    "words": {"model": "valence", "units": "tags-and-words", "single_root": False},
}
kinds = pytest.mark.parametrize("name", KINDS)
interpolated = pytest.mark.parametrize(
    "changes", [{"smoothing": "interpolated"}, {"addend": 0.01}], ids=["interpolated", "additive"]
)
WAYS = {
    "soft": {},
    "hard": {"expectations": "best"},
    "annealed": {"temperature": 0.5, "cooling": 1.3},
    "no addend": {"addend": 0.0},
}


def objectives(parser: GenerativeParser) -> list[tuple[float, float]]:
    return [(row["exponent"], row["objective"]) for row in parser.header["report"]["epochs"]]


def assert_rises(values: list[float]) -> None:
    for before, after in pairwise(values):
        assert after >= before - 1e-9 * abs(before)


def assert_em_rises(found: list[tuple[float, float]]) -> None:
    assert_rises([value for exponent, value in found if exponent == 1])


@kinds
@pytest.mark.parametrize("start", ["uniform", "harmonic", "random", "supervised"])
@pytest.mark.parametrize("way", WAYS)
def test_em_rises(name, start, way):
    data = english()
    trees = data[:9] if start == "supervised" else []
    if start == "supervised" and way == "no addend":
        trees = data  # what is in none of these would be impossible
    options = options_of(**KINDS[name], start=start, iterations=15, tolerance=0.0, **WAYS[way])
    found = objectives(trained([] if trees is data else data, options, trees=trees))
    assert len(found) > 2
    assert_em_rises(found)
    if len(trees) < len(data):  # where all is given, there is nothing to find
        assert found[-1][1] > found[0][1] or found[0][0] < 1


@pytest.mark.parametrize("name", ["bigram", "valence"])
@pytest.mark.parametrize("exponent", [0.1, 0.6])
def test_one_exponent_rises(name, exponent):
    options = options_of(**KINDS[name], iterations=1, temperature=exponent)
    task = GenerativeTask(english(), options=options)
    task.begin(task.stages[0])
    values = []
    for _ in range(15):
        prior = task.expected.log_prior()
        counts, value = task.expected.expect(exponent)
        values.append(value + prior)
        task.expected.set_counts(counts)
    assert_rises(values)
    assert values[-1] > values[0]


@pytest.mark.treebanks
@pytest.mark.parametrize("name", ["bigram", "projective", "valence"])
@pytest.mark.parametrize(("longest", "way"), [(10, "soft"), (10, "hard"), (40, "soft")])
def test_em_rises_on_a_large_treebank(treebank_folder, longest, name, way):
    """All short sentences; of the long ones, which take a hundred times as long, every tenth."""
    step = 1 if longest < 20 else 10
    with read(treebank_folder / "en_ewt-ud-train.conllu") as reader:
        data = list(islice(reader, 0, None, step))
    options = options_of(
        **KINDS[name], iterations=5, tolerance=0.0, longest=longest, punctuation=False, **WAYS[way]
    )
    parser = trained(data, options, threads=2)
    assert parser.header["trained_on"]["sentences"] > (4000 if step == 1 else 1000)
    found = objectives(parser)
    assert len(found) == 5
    assert_em_rises(found)
    assert found[-1][1] > found[0][1]


@pytest.mark.parametrize("model", ["bigram", "valence"])
def test_trees_that_are_given_and_those_that_fit_none(model):
    """Of four sentences one has a cycle; the heads of another are in all trees that count."""
    pair = {"forms": ["a", "b", "c"], "upos": ["X", "Y", "Z"]}
    data = [
        Sentence(**pair, heads=[2, 3, None]),
        Sentence(**pair, heads=[2, 1, None]),
        Sentence(**pair),
        Sentence(["a", "b"], upos=["X", "Y"], heads=[0, 0]),
    ]
    options = options_of(model=model, iterations=2, constraints=True)
    parser = trained(data, options)
    assert parser.header["trained_on"]["left_out"] == {"empty": 0, "longer": 0, "no tree": 2}
    assert parser.header["trained_on"]["sentences"] == 2
    task = GenerativeTask(data, options=options)
    task.begin(task.stages[0])
    assert [item.heads.tolist() for item in task.items] == [[-1, 2, 3, -1], [-1, -1, -1, -1]]
    free = GenerativeTask(data, options=options_of(model=model, iterations=2))
    assert len(free.items) == 4
    beside = GenerativeTask(data[2:3], options=options_of(model=model, iterations=2), trees=data[:1])
    assert [item.heads.tolist() for item in beside.items] == [[-1, -1, -1, -1], [-1, 2, 3, -1]]


def test_lengths_and_punctuation():
    data = [*english(), Sentence([])]
    short = GenerativeTask(data, options=options_of(longest=9, iterations=1))
    assert all(item.length <= 9 for item in short.items)
    assert short.left_out == {"empty": 1, "longer": sum(len(own) > 9 for own in data), "no tree": 0}
    bare = GenerativeTask(data, options=options_of(longest=99, iterations=1, punctuation=False))
    words = sum(sum(tag != "PUNCT" for tag in sentence.upos) for sentence in data)
    assert sum(item.length for item in bare.items) == words
    assert "PUNCT" not in bare.units.tags


@kinds
@interpolated
@pytest.mark.parametrize("labels", [False, True], ids=["plain", "labels"])
def test_estimates_are_distributions(name, changes, labels):
    """Of contexts that were seen, and of those that were not: they share out 1, and all get some."""
    options = options_of(**KINDS[name], labels=labels, **changes)
    model = trained(english(), options).model
    rng = np.random.default_rng(1)
    for decision in model.kind.decisions:
        features = {feature: rng.integers(size, size=300) for feature, size in decision.sizes.items()}
        seen = model.estimates[decision.name].tables[0].keys[:200] // decision.outcomes
        for feature in reversed(decision.orders[0]):
            features[feature][: len(seen)] = seen % decision.sizes[feature]
            seen = seen // decision.sizes[feature]
        known = (
            model.estimates[decision.name]
            .tables[0]
            .totals(decision.keys({**features, decision.outcome: np.zeros(300, np.int64)}))
        )
        assert (known[: len(seen)] > 0).all()
        total = np.zeros(300)
        for outcome in range(decision.outcomes):
            own = np.full(300, outcome)
            found = model.estimates[decision.name].log_probabilities({**features, decision.outcome: own})
            assert np.isfinite(found).all()
            total += np.exp(found)
        assert total == pytest.approx(np.ones(300), abs=1e-12 * decision.outcomes)


@kinds
@pytest.mark.parametrize("labels", [False, True], ids=["plain", "labels"])
def test_fitted_weights_are_better_than_half(name, labels):
    data = english()
    task = GenerativeTask(
        data, data[1::3], options_of(**KINDS[name], labels=labels, smoothing="interpolated")
    )
    rest = task.items[::3]
    found = count_trees(task.model, rest, task.dev)
    judged = _events(task.model, task.dev)
    gained = 0.0
    for decision in task.model.decisions:
        own = found[decision.name]
        plain = Estimate(decision, own.tables, 0.0, np.full((len(own.tables), BUCKETS), 0.5))
        features, counts = judged[decision.name]
        gain = counts @ (own.log_probabilities(features) - plain.log_probabilities(features))
        assert gain > -1e-5 * counts.sum()
        gained += gain
    assert gained > 1


@pytest.mark.parametrize("iterations", [0, 3])
@pytest.mark.parametrize("labels", [False, True], ids=["plain", "labels"])
def test_perplexity_on_dev(iterations, labels):
    """That of words alone, all trees and labels summed out, however the model was learned."""
    data = english()
    options = options_of(iterations=iterations, labels=labels, constraints=labels, longest=999)
    parser = trained(data[:8], options, dev=data[8:])
    words = sum(map(len, data[8:]))
    wanted = np.exp(-parser.log_probabilities(data[8:]).sum() / words)
    row = parser.header["report"]["epochs"][-1]
    assert row["dev_perplexity"] == pytest.approx(wanted, rel=1e-9)


@kinds
@interpolated
@pytest.mark.parametrize("iterations", [0, 2])
def test_nothing_is_impossible(name, changes, iterations):
    if iterations and "smoothing" in changes:
        return
    parser = trained(english(), options_of(**KINDS[name], iterations=iterations, **changes))
    strange = Sentence(["Zyx", "the", "№", "old"], upos=[STRANGE, "DET", "SYM", "DET"])
    assert np.isfinite(parser.log_probabilities([strange, *english()])).all()
    assert len(next(parser.parse([strange])).heads) == 4


@pytest.mark.parametrize("model", ["bigram", "valence"])
def test_a_sentence_without_a_chance(model):
    """A tag that never was a root: the others keep their probabilities."""
    data = [Sentence(["a", "b"], upos=["X", "Y"], heads=[0, 1])]
    parser = trained(data, options_of(model=model, addend=0.0))
    found = parser.log_probabilities([*data, Sentence(["b"], upos=["Y"])])
    assert np.isfinite(found[0])
    assert found[1] == -np.inf


def test_signatures():
    assert signature("Walking") == signature("Talking") == "<Aa-ing>"
    assert len({signature(word) for word in ("Walking", "walking", "walked", "WALKING", "walk-ing")}) == 5
    assert signature("1984") == signature("7")
    assert signature("Walking", 2) == signature("Dong", 2)
    assert signature("Walking", 0) == signature("Dog", 0) == "<Aa>"
    sentences = [Sentence(["walk", "walk", "Talking", "7"])]
    units = Units.of(sentences, options_of(units="words"))
    assert units.words == ("walk", "<0>", "<Aa-ing>")
    numbers = units.encode(Sentence(["Walk", "Talking", "Singing", "1984", "singing"]))[1]
    assert numbers.tolist() == [0, 2, 4, 4, 3, 1]


WHOLE = Sentence(["a", "b"], upos=["X", "Y"], heads=[0, 1], deprels=["k", "l"])
NO_TREE = "no sentence has a whole tree of this kind, and counting needs some"


@pytest.mark.parametrize(
    ("sentences", "options", "reason"),
    [
        ([], {}, "there are no sentences with words here"),
        ([Sentence([])], {}, "there are no sentences with words here"),
        ([WHOLE], {"longest": 1}, "no sentence has between 1 and 1 words"),
        ([Sentence(["a"], upos=["X"])] * 2, {"iterations": 1}, "all sentences have one word"),
        ([Sentence(["a", "b"], upos=["X", "_"])], {}, r"#1 \('a b'\): word 2 has no UPOS tag"),
        ([Sentence(["a", "b"], upos=["X", "Y"])], {"tags": "xpos"}, "word 1 has no XPOS tag"),
        ([Sentence(["a", "b"], upos=["X", "Y"])], {}, NO_TREE),
        ([Sentence(["a", "b"], upos=["X", "Y"], heads=[0, 0])], {}, NO_TREE),
        ([Sentence(list("abcd"), upos=list("WXYZ"), heads=[3, 4, 0, 3])], {"model": "valence"}, NO_TREE),
        ([WHOLE], {"iterations": 1, "start": "supervised"}, NO_TREE),
        ([Sentence(["a"], upos=["X"], heads=[0])], {"labels": True}, "no word here has a label"),
        (
            [WHOLE],
            {"expectations": "best", "temperature": 0.5, "iterations": 1},
            "hard EM has no temperature",
        ),
        ([WHOLE], {"smoothing": "interpolated", "iterations": 1}, "EM needs additive smoothing"),
        ([WHOLE], {"model": "trigram"}, "there is no model 'trigram'; there are bigram, valence"),
        ([WHOLE], {"addend": -1.0}, "addend must not be negative"),
        ([WHOLE], {"addend": float("nan")}, "addend must not be negative"),
        ([WHOLE], {"cooling": 1.0}, "cooling must be above 1"),
        ([WHOLE], {"temperature": 0.0}, "temperature must be above 0"),
    ],
)
def test_what_is_refused(sentences, options, reason):
    with pytest.raises(ArboraError, match=reason) as caught:
        GenerativeTask(sentences, options=GenerativeOptions(**{"iterations": 0, **options}))
    assert "\n" not in str(caught.value)


FIRST_ROW = "# sent_id = s1\n1\ta\t_\tX\t_\t_\t2\t_\t_\t_\n"


def test_files_that_are_refused(tmp_path):
    for name, text, reason in (
        ("plain.txt", "a b\nc d e\n", r"1: sentence #1 \('a b'\): word 1 has no UPOS tag"),
        ("t.conllu", FIRST_ROW + "2\tb\t_\t_\t_\t_\t0\t_\t_\t_\n\n", "3: sentence s1 .*: word 2 has no UPOS"),
        ("empty.conllu", "", "there are no sentences"),
        ("trees.mrg", "(S (A a))\n", "brackets have no dependencies"),
    ):
        (tmp_path / name).write_text(text, "utf-8")
        with pytest.raises(FileError, match=f"{name}:.*{reason}"):
            read_corpus(str(tmp_path / name), options_of())
    assert [len(own) for own in read_corpus(str(tmp_path / "plain.txt"), options_of(units="words"))] == [2, 3]


def test_a_valence_model_without_chances_is_no_parser():
    parser = trained([WHOLE], options_of(model="valence", addend=0.0))
    with pytest.raises(ArboraError, match=r"gives some decisions no chance.* smooth it"):
        list(parser.parse([WHOLE]))
    assert np.isfinite(parser.log_probabilities([WHOLE])).all()


MADE = {
    "counted": {"labels": True},
    "interpolated": {"smoothing": "interpolated", "units": "tags-and-words"},
    "em": {"iterations": 3, "model": "valence", "units": "tags-and-words"},
    "random-em": {"iterations": 3, "start": "random"},
    "hard": {"iterations": 3, "expectations": "best", "projective": True, "units": "words"},
}


@pytest.mark.parametrize("name", MADE)
def test_files_and_threads(name, tmp_path):
    data, paths = english(), [tmp_path / "one", tmp_path / "two", tmp_path / "again"]
    one, two = (trained(data, options_of(**MADE[name]), threads=threads) for threads in (1, 2))
    one.save(paths[0])
    two.save(paths[1])
    loaded = GenerativeParser.load(paths[0])
    loaded.save(paths[2])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert {**loaded.header, "report": 0} == {**read_model(paths[2]).header, "report": 0}
    assert loaded.log_probabilities(data).tolist() == one.log_probabilities(data).tolist()
    assert [each.heads for each in loaded.parse(data)] == [each.heads for each in one.parse(data)]
    other = trained(data[:10], options_of(**MADE[name]))
    assert other.log_probabilities(data).tolist() != one.log_probabilities(data).tolist()
    if name == "random-em":
        seeded = trained(data, options_of(**MADE[name], seed=2))
        assert seeded.log_probabilities(data).tolist() != one.log_probabilities(data).tolist()


def _reversed(array):
    return array[::-1].copy()


def _spoiled(value):
    def spoil(array):
        found = array.copy()
        found.ravel()[0] = value
        return found

    return spoil


@pytest.mark.parametrize(
    ("name", "tensor", "change", "reason"),
    [
        ("counted", "tag.0.keys", _reversed, "not in order"),
        ("counted", "tag.0.keys", _spoiled(-3), "negative"),
        ("counted", "tag.0.counts", _spoiled(np.nan), "has numbers that are none"),
        ("counted", "label.0.counts", _spoiled(-1.0), "must not be negative"),
        ("counted", "tag.0.counts", lambda array: array[1:], "not in order"),
        ("counted", "tag.0.keys", None, "it lacks 'tag.0.keys'"),
        ("counted", "label.0.counts", None, "it lacks 'label.0.counts'"),
        ("em", "stop.0.counts", None, "it lacks 'stop.0.counts'"),
        ("em", "words", None, "it lacks 'words'"),
        ("interpolated", "tag.weights", _spoiled(np.nan), "weights of interpolation are damaged"),
        ("interpolated", "tag.weights", _spoiled(1.5), "weights of interpolation are damaged"),
        ("interpolated", "tag.weights", lambda array: array[:, 1:], "weights of interpolation are damaged"),
        ("interpolated", "word.1.keys", None, "it lacks 'word.1.keys'"),
        ("interpolated", "tag.weights", None, "it lacks 'tag.weights'"),
    ],
)
def test_damaged_files(name, tensor, change, reason, tmp_path):
    header, tensors = trained(english(), options_of(**MADE[name])).to_parts()
    tensors = dict(tensors)
    whole = tensors.pop(tensor)
    if change is not None:
        tensors[tensor] = change(whole)
    write_model(tmp_path / "model", header, tensors)
    with pytest.raises(FileError, match=f"model: this is no generative parser.*{reason}"):
        GenerativeParser.load(tmp_path / "model")


@pytest.mark.parametrize("start", ["uniform", "harmonic"])
@pytest.mark.parametrize("model", ["bigram", "valence"])
def test_starts_count_every_word_once(start, model):
    """What they make up of trees has one arc into every word, and heads stop once on each side."""
    task = GenerativeTask(english(), options=options_of(model=model, iterations=1, start=start))
    task.begin(task.stages[0])
    words = sum(item.length for item in task.items)
    assert task.expected.tables["tag"].counts.sum() == pytest.approx(words, rel=1e-9)
    if model == "valence":
        keys, counts = task.expected.keys["stop"], task.expected.tables["stop"].counts
        assert counts[keys % 2 == 1].sum() == pytest.approx(2 * words, rel=1e-9)
        assert counts[keys % 2 == 0].sum() < words


def test_harmonic_heads_by_hand():
    """Of three words, the middle has both others at 1, the first has 1 and 1/2; the root has their mean."""
    task = GenerativeTask(
        [Sentence(["a", "b", "c"], upos=["A", "B", "C"])], options=options_of(iterations=1, direction=False)
    )
    task.begin(task.stages[0])
    table = task.expected.tables["tag"]
    # Of the root, then of A, B and C.
    wanted = [[1 / 3, 1 / 3, 1 / 3], [1 / 3, 2 / 9], [4 / 9, 4 / 9], [2 / 9, 1 / 3]]
    assert table.counts.tolist() == pytest.approx([each for own in wanted for each in own])
