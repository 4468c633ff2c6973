"""Sigmoid belief networks: every fast way agrees with its slow twin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from oracles.isbn import (
    ATTACH,
    END,
    PROJECT,
    SHIFT,
    Network,
    exact_log_probability,
    log_probability,
    mean_field,
    sample,
    walk,
)

from arbora import _core

INFERENCES = ("feed-forward", "mean-field")
PLACES = ("top", "below", "second-below", "leftmost", "last", "below-leftmost", "below-last")
ATTRIBUTES = ("label", "word", "first-word", "last-word", "decision")
Decisions = list[tuple[int, int, int, int]]


def random_network(
    inference: str, rng: np.random.Generator, *, width: int = 4, scale: float = 1.0, **own
) -> Network:
    states = list(rng.permutation(PLACES)[: int(rng.integers(0, 6))])
    pairs = list(itertools.product(PLACES, ATTRIBUTES))
    inputs = [pairs[i] for i in rng.permutation(len(pairs))[: int(rng.integers(0, 9))]]
    words = rng.integers(1, 4, int(rng.integers(1, 4))).tolist()
    settings = {"labels": int(rng.integers(1, 4)), "words_of_tags": words, "states": states, "inputs": inputs}
    network = Network(inference, width, **{**settings, **own})
    network.weights = rng.normal(size=network.core.weight_count) * scale
    return network


def random_derivation(network: Network, rng: np.random.Generator, words: int) -> Decisions:
    """Legal decisions by chance, with so many words."""
    decisions: Decisions = []
    shifted = 0
    while True:
        legal = list(walk(network, [*decisions, (END, -1, -1, -1)]))[-1]["legal"]
        if END in legal and (shifted == words or SHIFT not in legal):
            return [*decisions, (END, -1, -1, -1)]
        legal = [a for a in legal if a != END and (a != SHIFT or shifted < words)]
        if not legal:  # a chain that no word is left for
            return random_derivation(network, rng, words)
        action, label, tag, word = int(rng.choice(legal)), -1, -1, -1
        if action == PROJECT:
            label = int(rng.integers(network.labels))
        if action == SHIFT:
            tag = int(rng.integers(network.tags))
            word = sum(network.words_of_tags[:tag]) + int(rng.integers(network.words_of_tags[tag]))
            shifted += 1
        decisions.append((action, label, tag, word))


def corpus_of(network: Network, *derivations: Decisions) -> _core.IsbnCorpus:
    corpus = _core.IsbnCorpus()
    for decisions in derivations:
        corpus.add(network.core, decisions)
    return corpus


@pytest.mark.parametrize("inference", INFERENCES)
@pytest.mark.parametrize("seed", range(12))
def test_probabilities_are_those_of_the_slow_twin(inference, seed):
    rng = np.random.default_rng(seed)
    network = random_network(inference, rng, scale=(0.3, 1, 3)[seed % 3], root_takes_many=bool(seed % 2))
    derivations = [random_derivation(network, rng, words) for words in (1, 1, 2, 3, 6)]
    found = network.core.log_probabilities(network.weights, corpus_of(network, *derivations), 2)
    expected = [log_probability(network, decisions) for decisions in derivations]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("inference", INFERENCES)
@pytest.mark.parametrize("seed", range(6))
def test_gradients(inference, seed):
    rng = np.random.default_rng(100 + seed)
    network = random_network(inference, rng, width=3, labels=2, words_of_tags=[2, 1])
    core, corpus = network.core, corpus_of(network, random_derivation(network, rng, 1 + seed % 4))
    value, gradient = core.gradient(network.weights, corpus, 0)
    assert value == core.log_probabilities(network.weights, corpus, 1)[0]
    step = 1e-5
    for place in range(core.weight_count):
        around = [network.weights.copy() for _ in range(2)]
        around[0][place] += step
        around[1][place] -= step
        above, below = (core.log_probabilities(weights, corpus, 1)[0] for weights in around)
        assert gradient[place] == pytest.approx((above - below) / (2 * step), rel=1e-6, abs=1e-6), place


@pytest.mark.parametrize("seed", range(20))
def test_means_by_newton_by_coordinates_and_by_dense_matrices(seed):
    rng = np.random.default_rng(seed)
    width, scale = int(rng.integers(1, 12)), (0.1, 1, 4, 20)[seed % 4]
    counts = rng.integers(1, 9, int(rng.integers(1, 4))).tolist()
    choices = [
        (rng.normal(size=(count, width)) * scale, rng.normal(size=count), int(rng.integers(count)))
        for count in counts
    ]
    eta = rng.normal(size=width) * scale
    newton, bound, steps = _core.isbn_means(choices, eta, by_coordinates=False)
    slow, slow_bound, _ = _core.isbn_means(choices, eta, by_coordinates=True)
    np.testing.assert_allclose(newton, slow, rtol=0, atol=1e-8)
    np.testing.assert_allclose(newton, mean_field(eta, choices), rtol=0, atol=1e-8)
    assert bound == pytest.approx(slow_bound, rel=1e-9)
    assert steps < (30 if scale < 20 else 200)
    for _ in range(20):  # nothing near it is better
        other = np.clip(newton + rng.normal(size=width) * 1e-3, 1e-12, 1 - 1e-12)
        assert lower_bound(eta, choices, other) <= bound + 1e-12


def lower_bound(eta, choices, means) -> float:
    entropy = -means * np.log(means) - (1 - means) * np.log1p(-means)
    fits = [(rows @ means + biases, chosen) for rows, biases, chosen in choices]
    return float((entropy + means * eta).sum() + sum(f[d] - np.logaddexp.reduce(f) for f, d in fits))


@pytest.mark.parametrize(
    ("width", "longest", "scale"), [(2, 8, 0.5), (2, 8, 2), (3, 6, 0.5), (3, 6, 1), (4, 5, 1)]
)
def test_mean_field_is_closer_to_the_truth_than_feed_forward(width, longest, scale):
    """Data drawn from small known networks; the truth is a sum over all values of the latent variables."""
    errors: dict[str, list[float]] = {inference: [] for inference in INFERENCES}
    rng = np.random.default_rng(5)
    for _ in range(15):
        network = random_network(
            "mean-field",
            rng,
            width=width,
            scale=scale,
            labels=2,
            words_of_tags=[2, 2],
            states=["top", "below", "leftmost", "last"],
            inputs=[("top", "label"), ("top", "decision"), ("below", "label")],
        )
        drawn = [decisions for _ in range(40) if (decisions := sample(network, rng, longest))]
        truth = {own: exact_log_probability(network, own) for own in set(map(tuple, drawn))}  # many are alike
        exact = np.array([truth[tuple(decisions)] for decisions in drawn])
        for inference in INFERENCES:
            network.inference = inference
            found = network.core.log_probabilities(network.weights, corpus_of(network, *drawn), 2)
            errors[inference] += np.abs(np.asarray(found) - exact).tolist()
    assert len(errors["mean-field"]) > 100
    assert np.mean(errors["mean-field"]) < 0.95 * np.mean(errors["feed-forward"])


def all_derivations(network: Network, tags_and_words: list[tuple[int, int]]) -> list[Decisions]:
    """Every derivation of these words."""
    found: list[Decisions] = []
    pending: list[Decisions] = [[]]
    while pending:
        decisions = pending.pop()
        if decisions and decisions[-1][0] == END:
            found.append(decisions)
            continue
        legal = list(walk(network, [*decisions, (END, -1, -1, -1)]))[-1]["legal"]
        shifted = sum(action == SHIFT for action, *_ in decisions)
        for action in legal:
            if action == PROJECT:
                pending += [[*decisions, (PROJECT, label, -1, -1)] for label in range(network.labels)]
            elif action == SHIFT and shifted < len(tags_and_words):
                pending.append([*decisions, (SHIFT, -1, *tags_and_words[shifted])])
            elif action == ATTACH or (action == END and shifted == len(tags_and_words)):
                pending.append([*decisions, (action, -1, -1, -1)])
    return found


@pytest.mark.parametrize("inference", INFERENCES)
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("words", [1, 2, 3])
def test_a_wide_beam_finds_the_best_of_all_derivations(inference, many, words):
    rng = np.random.default_rng(words)
    labels, chain = {1: (3, 2), 2: (2, 2), 3: (1, 1)}[words]
    network = random_network(
        inference, rng, labels=labels, words_of_tags=[2, 2], root_takes_many=many, longest_chain=chain
    )
    tags = rng.integers(0, 2, words).tolist()
    numbers = [2 * tag + int(rng.integers(2)) for tag in tags]
    every = all_derivations(network, list(zip(tags, numbers, strict=True)))
    if not many:  # whoever attaches to the root too early gets nowhere
        every = [d for d in every if sum(action == SHIFT for action, *_ in d) == words]
    scores = network.core.log_probabilities(network.weights, corpus_of(network, *every), 1)
    best = sorted(zip(scores.tolist(), every, strict=True), reverse=True)
    k = min(5, len(best))
    (found,) = network.core.parse(network.weights, [tags], [numbers], 10**6, 9, 10**6, 10**7, 1)
    assert len(found) == len(best)
    for (score, decisions), (derivation, log_probability_) in zip(best[:k], found[:k], strict=True):
        assert log_probability_ == pytest.approx(score, rel=1e-9, abs=1e-9)
        assert log_probability(network, derivation) == pytest.approx(
            log_probability(network, decisions), abs=1e-9
        )


def test_what_is_not_legal_is_refused_and_all_else_is_a_tree():
    network = random_network(
        "feed-forward", np.random.default_rng(1), labels=1, words_of_tags=[1], longest_chain=1
    )
    plain = {SHIFT: (SHIFT, -1, 0, 0), PROJECT: (PROJECT, 0, -1, -1)}
    sound = {tuple(d) for n in (1, 2) for d in all_derivations(network, [(0, 0)] * n)}
    for length in range(1, 8):
        for actions in itertools.product(range(4), repeat=length):
            decisions = [plain.get(action, (action, -1, -1, -1)) for action in actions]
            if tuple(decisions) in sound:
                assert len(_core.isbn_spans(decisions)) == actions.count(PROJECT)
                assert np.isfinite(
                    network.core.log_probabilities(network.weights, corpus_of(network, decisions), 1)
                ).all()
            elif actions.count(SHIFT) <= 2 and actions[-1] == END and END not in actions[:-1]:
                with pytest.raises(ValueError, match="not legal"):
                    network.core.log_probabilities(network.weights, corpus_of(network, decisions), 1)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_learning_is_the_same_whatever_the_threads(threads):
    rng = np.random.default_rng(3)
    network = random_network("mean-field", rng, labels=2, words_of_tags=[2, 2])
    corpus = corpus_of(network, *[random_derivation(network, rng, 1 + i % 5) for i in range(11)])
    learner = _core.IsbnLearner(network.core, 7, 0.1)
    before = network.core.log_probabilities(learner.weights, corpus, 1).sum()
    for _ in range(8):
        learner.train(network.core, corpus, list(range(11)), 0.02, 0.01, 4, threads)
    assert network.core.log_probabilities(learner.weights, corpus, 1).sum() > before
    alone = _core.IsbnLearner(network.core, 7, 0.1)
    for _ in range(8):
        alone.train(network.core, corpus, list(range(11)), 0.02, 0.01, 4, 1)
    assert alone.weights.tobytes() == learner.weights.tobytes()
