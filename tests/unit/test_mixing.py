"""Parameter mixing: the same bytes whoever learns from the shards, and one shard is training as usual."""

from __future__ import annotations

import numpy as np
import pytest
from command import run_here
from elsewhere import Elsewhere
from small_training import EXAMPLES, changed, treebank

from arbora.dependency import train
from arbora.errors import ArboraError
from arbora.executors import Crashed, LostClusterError, executor_at
from arbora.executors.local import LocalExecutor
from arbora.learning import LEARNERS
from arbora.learning.mixing import mixed
from arbora.learning.states import learner_parts, restore_learner

DATA = treebank()


class Broken(Elsewhere):
    def _run(self, function, tasks, on_start, files):
        yield Crashed(2, "its worker ended by signal 9, 3 times")


def file_of(folder, *, executor=None, dev=DATA[:5], **options) -> bytes:
    own = {name: options.pop(name) for name in ("checkpoint", "resume", "progress") if name in options}
    train(DATA, dev, changed(**options), executor=executor, **own).save(folder / "model")
    return (folder / "model").read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"learner": "adagrad"},
        {"pruning": 0.0},
        {"features": "supported", "loss": "crf"},
        {"loss": "crf", "labels": "second-stage", "latent_roles": 2},
    ],
    ids=str,
)
def test_one_shard_is_training_as_usual(tmp_path, options):
    usual = file_of(tmp_path, **options)
    elsewhere = Elsewhere()
    assert file_of(tmp_path, executor=elsewhere, **options) == usual
    assert elsewhere.begun == [1, 1]


@pytest.mark.parametrize("options", [{}, {"learner": "adagrad", "labels": "both"}], ids=str)
def test_shards_give_the_same_bytes_whoever_learns(tmp_path, options):
    here = file_of(tmp_path, shards=3, **options)
    for contents in (False, True):
        elsewhere = Elsewhere(contents)
        assert file_of(tmp_path, shards=3, executor=elsewhere, **options) == here
        assert elsewhere.begun == [3, 2, 1] * 2
    assert file_of(tmp_path, shards=2, **options) != here
    assert file_of(tmp_path, shards=3, seed=2, **options) != here


def test_processes_give_the_same_bytes(tmp_path):
    with LocalExecutor(2) as executor:
        found = file_of(tmp_path, shards=3, executor=executor)
    assert found == file_of(tmp_path, shards=3)


def test_a_run_that_was_killed_goes_on_to_the_same_bytes(tmp_path):
    def kill(report):
        if report.epoch == 1:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        file_of(tmp_path, shards=3, checkpoint=tmp_path / "c", progress=kill, executor=Elsewhere())
    again = file_of(tmp_path, shards=3, checkpoint=tmp_path / "c", resume=True)
    assert again == file_of(tmp_path, shards=3)
    with pytest.raises(InterruptedError):
        file_of(tmp_path, shards=3, checkpoint=tmp_path / "c", progress=kill)
    with pytest.raises(ArboraError, match=r"another shards \(3, now 2\)"):
        file_of(tmp_path, shards=2, checkpoint=tmp_path / "c", resume=True)


def test_every_sentence_is_learned_from_once_an_epoch(tmp_path):
    seen = []

    class Watching(Elsewhere):
        def _run(self, function, tasks, on_start, files):
            tasks = list(tasks)
            seen.append([task.order for task in tasks])
            return super()._run(function, iter(tasks), on_start, files)

    file_of(tmp_path, shards=3, executor=Watching())
    first, second = seen
    for epoch in seen:
        assert sorted(number for own in epoch for number in own) == list(range(len(DATA)))
        assert max(map(len, epoch)) - min(map(len, epoch)) <= 1
    assert [sorted(own) for own in first] == [sorted(own) for own in second]
    assert first != second


def test_what_cannot_be_done_is_told(tmp_path):
    with pytest.raises(ArboraError, match=f"{len(DATA)} sentences cannot be cut into 1000 shards"):
        file_of(tmp_path, shards=1000)
    with pytest.raises(ArboraError, match="shards must be at least 1"):
        changed(shards=0).check()
    with pytest.raises(ArboraError, match=r"shard 2 of 3 could not be learned from: its worker ended"):
        file_of(tmp_path, shards=3, executor=Broken())


@pytest.mark.parametrize("name", ["sgd", "adagrad"])
def test_the_mixture_is_that_of_weight_vectors(name):
    """Against the weight vectors themselves: for each weight those learners count that have changed it."""
    draw = np.random.default_rng(3)
    learner = LEARNERS[name].start(bits=3)
    sums = np.zeros(8)  # of the weight vectors before each step
    seen = set()

    def steps(count: int) -> tuple[np.ndarray, set[int]]:
        total, met = np.zeros(8), set()
        for _ in range(count):
            total += learner.weights
            index = int(draw.integers(8))
            learner.step([(index, float(draw.normal()))], loss=1.0)
            met.add(index)
        return total, met

    sums += steps(4)[0]
    for lengths in ((3, 5, 2), (4,), (1, 1), (2, 6)):
        before = _copy(learner_parts(learner))
        after, own = [], []
        for length in lengths:
            restore_learner(learner, before)
            own.append(steps(length))
            after.append(_copy(learner_parts(learner)))
        restore_learner(learner, mixed(before, after))
        assert learner.steps == before[0]["steps"] + sum(lengths)
        average = np.empty(learner.size, np.float32)
        learner.average(average)
        for weight in range(8):
            those = [i for i, (_, met) in enumerate(own) if weight in met]
            seen.add(len(those))
            expected = before[1]["weights"][weight]
            if those:
                expected = np.mean([after[i][1]["weights"][weight] for i in those])
                each = sum(own[i][0][weight] for i in those) / sum(lengths[i] for i in those)
            else:
                each = before[1]["weights"][weight]
            assert learner.weights[weight] == pytest.approx(expected, rel=1e-5, abs=1e-7)
            sums[weight] += each * sum(lengths)
            assert average[weight] == pytest.approx(sums[weight] / learner.steps, rel=1e-4, abs=1e-6)
            if name == "adagrad" and those:
                expected = np.mean([after[i][1]["squares"][weight] for i in those])
                assert learner.squares[weight] == pytest.approx(expected, rel=1e-5)
    assert seen >= {0, 1, 2}


def test_one_learner_mixed_with_nothing_is_what_it_was():
    """To the last bit, also where a weight has come back to where it was."""
    learner = LEARNERS["perceptron"].start(bits=3)
    for index, value in ((0, 0.1), (1, 1.0), (1, -1.0)):
        learner.step([(index, value)], loss=1.0)
    before = _copy(learner_parts(learner))
    for index, value in ((2, 0.3), (1, 1.0), (1, -1.0), (0, 1e-9), (2, 0.7)):
        learner.step([(index, value)], loss=1.0)
    after = _copy(learner_parts(learner))
    header, tensors = mixed(before, [after])
    assert header == after[0]
    assert {name: own.tobytes() for name, own in tensors.items()} == {
        name: own.tobytes() for name, own in after[1].items()
    }


def _copy(parts):
    return parts[0], {name: tensor.copy() for name, tensor in parts[1].items()}


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr("arbora.cli.train_parser.executor_at", lambda place: elsewhere)
    elsewhere, model = Elsewhere(), tmp_path / "m"
    common = ["train", "parser", EXAMPLES / "en.conllu", "--dev", EXAMPLES / "de.conllu", "--output", model]
    common += ["--epochs", "1", "--bits", "12"]
    files = []
    for more in ([], ["--workers", "2"]):
        assert run_here(*common, "--shards", "2", *more).returncode == 0
        files.append(model.read_bytes())
    assert files[0] == files[1]
    assert elsewhere.begun == [2, 1]
    failed = run_here(*common, "--workers", "2")
    assert failed.returncode == 2
    assert "say how many with --shards" in failed.stderr


class Losing(Elsewhere):
    """Its cluster is gone after so many epochs."""

    def __init__(self, epochs: int) -> None:
        super().__init__()
        self.epochs = epochs

    def _run(self, function, tasks, on_start, files):
        if not self.epochs:
            raise LostClusterError("the scheduler is gone")
        self.epochs -= 1
        return super()._run(function, tasks, on_start, files)


def test_a_cluster_that_is_lost_is_told_with_the_command_that_goes_on(tmp_path, monkeypatch):
    command = ["train", "parser", str(EXAMPLES / "en.conllu"), "--dev", str(EXAMPLES / "de.conllu")]
    command += ["--output", str(tmp_path / "m"), "--epochs", "2", "--bits", "12", "--shards", "2"]
    monkeypatch.setattr("arbora.cli.train_parser.executor_at", lambda place: Losing(1))
    lost = run_here(*command, "--workers", "2")
    assert lost.returncode == 2
    assert "arbora: the scheduler is gone; what is done is kept in" in lost.stderr
    assert lost.stderr.endswith("--workers 2 --resume\n")
    assert f"kept in {tmp_path}/m.checkpoint, and this goes on: arbora train parser" in lost.stderr
    assert run_here(*command, "--resume").returncode == 0  # here, without a cluster
    again = (tmp_path / "m").read_bytes()
    assert run_here(*command).returncode == 0
    assert (tmp_path / "m").read_bytes() == again


@pytest.mark.parametrize("place", ["two", "0", "-1", "dask://", "tcp://host:1", "ray:2", ""])
def test_workers_that_are_none(place):
    with pytest.raises(ArboraError, match=r"names no workers: say a number, dask://|at least 1"):
        executor_at(place)
