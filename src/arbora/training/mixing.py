"""Epochs by shards: iterative parameter mixing (McDonald, Hall & Mann 2010).

The treebank is cut into shards. In every epoch each shard is learned from by itself, from the same weights,
here or by the workers of an executor; then the weights are mixed. Nothing depends on who did the work.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Protocol

import numpy as np

from arbora import _core
from arbora.errors import ArboraError
from arbora.executors import Crashed, Executor, Refused, answered
from arbora.learning.mixing import mixed
from arbora.learning.states import learner_parts, restore_learner
from arbora.models import Parts

__all__ = ["Mixing", "OnBatch", "Shared"]

OnBatch = Callable[[int, int], None]
"""Told how many sentences are done, and how many there are."""


class Shared(Protocol):
    """A task whose epochs can be shared among others like it."""

    learner: _core.OnlineLearner

    def learn(self, order: Sequence[int], on_batch: OnBatch) -> float:
        """Learn from these sentences in this order; the sum of their losses."""

    def replica(self) -> Callable[[], Shared]:
        """What makes the same task, ready to learn, in another process: it can be pickled."""


@dataclass(frozen=True, slots=True)
class ShardOrder:
    """What a worker is told to learn from: the sentences of a shard in the order of the epoch."""

    number: int
    order: list[int]


@dataclass(frozen=True, slots=True)
class Learned:
    """What came of a shard: the sum of losses, and the state of the learner."""

    number: int
    loss: float
    parts: Parts


class Mixing:
    """Does the epochs of a task by shards; the learner of the task has the mixed weights after each."""

    def __init__(
        self, task: Shared, sentences: int, shards: int, seed: int, executor: Executor | None
    ) -> None:
        if shards > sentences:
            raise ArboraError(f"{sentences} sentences cannot be cut into {shards} shards: give fewer shards")
        self.task, self.shards, self.executor = task, shards, executor
        # Which sentences are whose stays: it depends on the seed alone.
        drawn = np.random.default_rng([seed, shards]).permutation(sentences)
        self._shard_of = np.empty(sentences, np.int64)
        for number, own in enumerate(np.array_split(drawn, shards)):
            self._shard_of[own] = number
        self._folder: TemporaryDirectory[str] | None = None
        self._replica = self._digest = ""

    def learn(self, order: Sequence[int], on_batch: OnBatch) -> float:
        """One epoch in this order; the sum of losses."""
        of_shard = self._shard_of[np.array(order)]
        orders = [
            ShardOrder(number + 1, np.array(order)[of_shard == number].tolist())
            for number in range(self.shards)
        ]
        before = _copied(learner_parts(self.task.learner))
        learn = self._learn_here if self.executor is None else partial(self._learn_there, self.executor)
        learned = learn(orders, before, on_batch)
        restore_learner(self.task.learner, mixed(before, [one.parts for one in learned]))
        return sum(one.loss for one in learned)

    def _learn_here(self, orders: list[ShardOrder], before: Parts, on_batch: OnBatch) -> list[Learned]:
        learned: list[Learned] = []
        done, total = 0, sum(len(own.order) for own in orders)

        def on_own(now: int, _: int) -> None:
            on_batch(done + now, total)

        for own in orders:
            learned.append(_learn(self.task, own, before, on_own))
            done += len(own.order)
        return learned

    def _learn_there(
        self, executor: Executor, orders: list[ShardOrder], before: Parts, on_batch: OnBatch
    ) -> list[Learned]:
        replica, state = self._write(before)
        function = partial(answered, learn_shard, self._digest, replica, state)
        found: dict[int, Learned] = {}
        done, total = 0, sum(len(own.order) for own in orders)
        with closing(executor.run(function, iter(orders), files=[replica, state])) as answers:
            for answer in answers:
                if isinstance(answer, Refused):
                    raise ArboraError(answer.reason)
                if isinstance(answer, Crashed):
                    raise ArboraError(
                        f"shard {answer.number} of {self.shards} could not be learned from: {answer.reason}"
                    )
                found[answer.number] = answer
                done += len(orders[answer.number - 1].order)
                on_batch(done, total)
        return [found[own.number] for own in orders]  # not in the order in which they came

    def _write(self, state: Parts) -> tuple[str, str]:
        """Put what workers need into files: how to make the task, and the learner's state."""
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="arbora-")
            data = pickle.dumps(self.task.replica())
            self._digest = hashlib.sha256(data).hexdigest()
            self._replica = os.path.join(self._folder.name, "task")
            _write(self._replica, data)
        path = os.path.join(self._folder.name, "state")
        _write(path, pickle.dumps(state))
        return self._replica, path


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as stream:
        stream.write(data)


def _learn(task: Shared, own: ShardOrder, before: Parts, on_batch: OnBatch) -> Learned:
    restore_learner(task.learner, before)
    loss = task.learn(own.order, on_batch)
    return Learned(own.number, loss, _copied(learner_parts(task.learner)))


def _copied(parts: Parts) -> Parts:
    """A learner goes on with its own arrays; these stay."""
    return parts[0], {name: tensor.copy() for name, tensor in parts[1].items()}


def learn_shard(
    digest: str, replica: str, state: str, own: ShardOrder, data: bytes | None, before: bytes | None
) -> Learned:
    """What a worker does: learn from a shard, from the state that all begin with."""
    with _ALONE:
        if digest not in _TASKS:
            _TASKS.clear()  # memory is for one
            _TASKS[digest] = _unpickled(replica, data)()
        return _learn(_TASKS[digest], own, _unpickled(state, before), lambda done, total: None)


def _unpickled(path: str, data: bytes | None) -> Any:
    if data is not None:
        return pickle.loads(data)
    with open(path, "rb") as stream:
        return pickle.load(stream)


_TASKS: dict[str, Shared] = {}
"""The task of this worker, by the digest of what made it."""
_ALONE = Lock()
"""A worker of Dask may have threads: they take turns with the one task."""
