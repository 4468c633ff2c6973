"""The learners: lengths of steps, averages, against their formulas written out with dense vectors."""

from __future__ import annotations

import numpy as np
import pytest

from arbora import _core
from arbora.learning import LEARNERS, Learner, find_learner

SIZE = 8
learners = pytest.mark.parametrize("learner", LEARNERS.values(), ids=list(LEARNERS))


def sparse(gradient):
    return [(index, value) for index, value in enumerate(gradient.tolist()) if value]


def draw_steps(count=40, seed=0):
    """Gradients of shape (count, SIZE) in single precision, many entries 0; and losses."""
    rng = np.random.default_rng(seed)
    gradients = np.where(rng.random((count, SIZE)) < 0.5, 0.0, rng.normal(size=(count, SIZE)))
    return gradients.astype(np.float32).astype(float), rng.uniform(0, 2, count)


def weights_by_formula(learner, gradients, losses):
    """All weight vectors, before the first step and after every one."""
    weights, squares = np.zeros(SIZE), np.zeros(SIZE)
    found = [weights]
    for gradient, loss in zip(gradients, losses, strict=True):
        squares = squares + gradient**2
        norm = (gradient**2).sum()
        step = {
            "aggressive": min(learner.rate, loss / norm) if norm else 0.0,
            "sgd": learner.rate,
            "adagrad": learner.rate / (np.sqrt(squares) + 1e-6),
        }[learner.rule]
        weights = weights - step * gradient
        found.append(weights)
    return found


@learners
@pytest.mark.parametrize("rate", [None, 0.003, 1e6])
def test_weights_and_averages(learner, rate):
    """The average is over the weights before each of the T steps, the zeros before the first among them."""
    learner = find_learner(learner.name, rate)
    gradients, losses = draw_steps()
    core = learner.start(bits=3)
    expected = weights_by_formula(learner, gradients, losses)
    for number, (gradient, loss) in enumerate(zip(gradients, losses, strict=True), 1):
        core.step(sparse(gradient), loss)
        assert core.steps == number
        size = np.abs(expected[: number + 1]).max()
        np.testing.assert_allclose(core.weights, expected[number], rtol=1e-5, atol=1e-5 * size)
        average = np.empty(SIZE, np.float32)
        core.average(average)
        np.testing.assert_allclose(average, np.mean(expected[:number], axis=0), rtol=1e-5, atol=1e-5 * size)


def smallest_change(gradient, loss, rate):
    """Minimise 1/2 |change|^2 + rate * slack, where slack >= 0 and slack >= loss + change . gradient.

    That is eq. 23 with its constraint linearised, by Newton's method with two logarithmic barriers; it knows
    nothing of a closed form. Barriers of height b leave the objective at most 2b above its minimum, hence the
    change at most 2 sqrt(b) from its optimum: 6.4e-6 at the last.
    """
    rows = np.array([[*-gradient, 1.0], [*np.zeros_like(gradient), 1.0]])  # rows @ point >= offsets
    offsets, curvature = np.array([loss, 0.0]), np.diag([*np.ones_like(gradient), 0.0])
    cost = np.array([*np.zeros_like(gradient), rate])
    point = np.array([*np.zeros_like(gradient), loss + 1.0])

    def objective(point, barrier):
        room = rows @ point - offsets
        if (room <= 0).any():
            return np.inf
        return point @ curvature @ point / 2 + cost @ point - barrier * np.log(room).sum()

    for barrier in 10.0 ** -np.arange(12):
        for _ in range(50):
            room = rows @ point - offsets
            slope = curvature @ point + cost - barrier * rows.T @ (1 / room)
            bend = curvature + barrier * rows.T @ np.diag(room**-2.0) @ rows
            direction, length = -np.linalg.solve(bend, slope), 1.0
            while length > 1e-12 and objective(point + length * direction, barrier) > objective(
                point, barrier
            ):
                length /= 2
            point = point + length * direction if length > 1e-12 else point
    return point[:-1]


@pytest.mark.parametrize("rate", [0.01, 0.3, 100.0])
@pytest.mark.parametrize("loss", [0.0, 0.5, 20.0])
def test_aggressive_steps_solve_their_problem(rate, loss):
    rng = np.random.default_rng(1)
    gradient = rng.normal(size=3).astype(np.float32).astype(float)
    core = Learner("test", "aggressive", rate).start(bits=3)
    old = rng.normal(size=3).astype(np.float32).astype(float)
    core.weights[:3] = old
    step = core.step(sparse(gradient), loss)
    assert step == pytest.approx(min(rate, loss / (gradient @ gradient)))
    change = core.weights[:3] - old
    np.testing.assert_allclose(change, smallest_change(gradient, loss, rate), rtol=0, atol=1e-5)
    if step < rate:  # not capped: the linearised loss is gone
        assert loss + change @ gradient == pytest.approx(0, abs=1e-5)


@learners
def test_duplicates_are_summed_before_the_norm(learner):
    once, twice = learner.start(bits=3), learner.start(bits=3)
    step = once.step([(2, 3.0), (5, 1.0)], 0.5)
    assert twice.step([(2, 1.0), (5, 1.0), (2, 4.0), (2, -2.0)], 0.5) == step
    assert once.weights.tolist() == twice.weights.tolist()
    cancelled = learner.start(bits=3)
    cancelled.step([(1, 1.0), (1, -1.0)], 0.5)
    assert not cancelled.weights.any()


@learners
def test_many_indices(learner):
    """More than the hash table begins with, in every part of the weights, the extra ones too."""
    core = learner.start(bits=14, extra=100)
    size = 2**14 + 100
    assert core.size == len(core.weights) == size
    order = np.random.default_rng(0).permutation(size)
    core.step([(int(index), 1.0) for index in order], 1e9)
    assert (core.weights == core.weights[0]).all()
    assert core.weights[0] < 0


@learners
def test_nothing_to_learn(learner):
    core = learner.start(bits=3)
    average = np.ones(SIZE, np.float32)
    core.average(average)
    assert not average.any()
    core.step([], 1.0)
    assert not core.weights.any()
    assert core.steps == 1


def test_no_aggressive_step_without_loss():
    core = LEARNERS["aggressive"].start(bits=3)
    assert core.step([(0, 1.0)], 0.0) == 0
    assert core.step([(0, 1.0)], -1e-12) == 0  # rounding can leave this of a loss that is 0
    assert core.step([], 1.0) == 0
    assert not core.weights.any()


def test_perceptron_steps_have_length_one():
    core = LEARNERS["perceptron"].start(bits=3)
    assert core.step([(0, 1.0), (1, -1.0)], 0.25) == 1
    assert core.weights[:2].tolist() == [-1, 1]


@learners
def test_a_checkpoint_goes_on_as_if_nothing_had_happened(learner):
    gradients, losses = draw_steps(20)
    whole, first, second = (learner.start(bits=3) for _ in range(3))
    for number, (gradient, loss) in enumerate(zip(gradients, losses, strict=True)):
        whole.step(sparse(gradient), loss)
        (first if number < 10 else second).step(sparse(gradient), loss)
        if number == 9:
            second.weights[:] = first.weights
            second.weighted_steps[:] = first.weighted_steps
            second.squares[:] = first.squares
            second.steps = first.steps
    averages = np.empty((2, SIZE), np.float32)
    for core, average in zip((whole, second), averages, strict=True):
        core.average(average)
    assert averages[0].tobytes() == averages[1].tobytes()
    assert whole.weights.tobytes() == second.weights.tobytes()


def test_the_rate_can_change():
    core = LEARNERS["sgd"].start(bits=3)
    assert core.rate == LEARNERS["sgd"].rate
    core.rate = 0.5
    assert core.step([(0, 1.0)], 1.0) == 0.5
    assert core.weights[0] == -0.5


@learners
def test_registry(learner):
    assert LEARNERS[learner.name] is find_learner(learner.name) is learner
    assert learner.about
    assert find_learner(learner.name, 0.25) == Learner(learner.name, learner.rule, 0.25, learner.about)


def test_names():
    assert list(LEARNERS) == ["aggressive", "sgd", "adagrad", "perceptron"]
    with pytest.raises(ValueError, match="no learner 'adam'; there are aggressive, sgd"):
        find_learner("adam")


@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan, np.inf])
def test_wrong_rates(rate):
    with pytest.raises(ValueError, match="rate must be"):
        find_learner("sgd", rate)


def test_wrong_settings():
    with pytest.raises(ValueError, match="no rule 'adam'; there are aggressive"):
        Learner("adam", "adam", 0.1)
    for bits, extra in ((2, 0), (31, 0), (3, -1)):
        with pytest.raises(ValueError, match=r"bits must be|extra must"):
            LEARNERS["sgd"].start(bits, extra)
        with pytest.raises(ValueError, match="weights"):
            _core.OnlineLearner(bits, extra, "sgd", 0.1)


def test_wrong_places():
    core = LEARNERS["sgd"].start(bits=3)
    with pytest.raises(IndexError, match="weights: there are 8"):
        core.step([(8, 1.0)], 1.0)
    with pytest.raises(ValueError, match="result: 7 numbers, where 8 are needed"):
        core.average(np.empty(7, np.float32))
