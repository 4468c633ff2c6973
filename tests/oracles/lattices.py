"""Rows of candidates, enumerated: best, k best, sums, losses. Nothing here asks the core."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass
class Lattice:
    """Candidates of places by their number; triples[i][s, u, v], with one candidate before the first."""

    local: list[np.ndarray]
    triples: list[np.ndarray] | None

    @property
    def sizes(self) -> list[int]:
        return [len(scores) for scores in self.local]

    def flat(self) -> tuple[list[int], np.ndarray, np.ndarray]:
        """As the core takes it: s runs fastest, then v, then u."""
        triples = [table.transpose(1, 2, 0).ravel() for table in self.triples or []]
        return self.sizes, np.concatenate([[], *self.local]), np.concatenate([[], *triples])

    def parts(self, row: tuple[int, ...]) -> Iterator[tuple[int, int, int, int]]:
        """Place and candidates (s, u, v) of every triple of a row."""
        for i, v in enumerate(row):
            yield i, row[i - 2] if i > 1 else 0, row[i - 1] if i else 0, v

    def score(self, row: tuple[int, ...]) -> float:
        total = sum(self.local[i][v] for i, v in enumerate(row))
        if self.triples is not None:
            total += sum(self.triples[i][s, u, v] for i, s, u, v in self.parts(row))
        return float(total)

    def rows(self) -> list[tuple[tuple[int, ...], float]]:
        """Every possible row with its score."""
        every = itertools.product(*map(range, self.sizes))
        scored = [(row, self.score(row)) for row in every]
        return [(row, score) for row, score in scored if score > -math.inf]

    def sum(self) -> tuple[float, np.ndarray, np.ndarray]:
        """The log-partition, and the probabilities of candidates and triples as the core lays them out."""
        rows = self.rows()
        local = [np.zeros(size) for size in self.sizes]
        triples = [np.zeros(table.shape) for table in self.triples or []]
        total = -math.inf
        if rows:
            top = max(score for _, score in rows)
            total = top + math.log(math.fsum(math.exp(score - top) for _, score in rows))
        for row, score in rows:
            for i, s, u, v in self.parts(row):
                local[i][v] += math.exp(score - total)
                if triples:
                    triples[i][s, u, v] += math.exp(score - total)
        return total, *Lattice(local, triples).flat()[1:]

    def loss(self, gold: tuple[int, ...], beta: float, gamma: float) -> float:
        """1/beta log sum over rows of exp(beta (score - gold's score + gamma cost))."""
        margins = [
            score - self.score(gold) + gamma * sum(a != b for a, b in zip(row, gold, strict=True))
            for row, score in self.rows()
        ]
        top = max(margins)
        if math.isinf(beta):
            return top
        return top + math.log(math.fsum(math.exp(beta * (margin - top)) for margin in margins)) / beta


KINDS = ("random", "tied", "shifted", "negative", "impossible", "large", "all impossible")


def draw(kind: str, rng: np.random.Generator, *, chain: bool, places: int) -> Lattice:
    sizes = [1, *(int(size) for size in rng.integers(1, 4, places))]

    def scores(shape: tuple[int, ...]) -> np.ndarray:
        values = rng.normal(size=shape)
        if kind == "tied":
            values = rng.integers(0, 2, shape).astype(float)
        elif kind == "shifted":
            values += 1000
        elif kind == "negative":
            values = -np.abs(values) * 50
        elif kind == "large":
            values *= 1e4
        elif kind == "impossible":
            values[rng.random(shape) < 0.2] = -np.inf
        elif kind == "all impossible":
            values[...] = -np.inf
        return values

    local = [scores((size,)) for size in sizes[1:]]
    if not chain:
        return Lattice(local, None)
    padded = [1, 1, *sizes[1:]]
    return Lattice(local, [scores(tuple(padded[i : i + 3])) for i in range(places)])
