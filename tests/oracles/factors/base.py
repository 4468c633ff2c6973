"""What a twin is, and every oracle by enumeration of its configurations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

import arbora


@dataclass
class Configuration:
    """One way to satisfy a factor: active ports, inner score, parts that it has (with repetitions).

    Each part counts `amount`, which is not 1 only for factors whose one part is their whole score.
    """

    active: tuple[int, ...]
    score: float
    parts: tuple[int, ...] = ()
    amount: float = 1.0


@dataclass
class Case:
    """A graph with one group of factors, and what one of its factors can be."""

    graph: arbora.FactorGraph
    configurations: list[Configuration]
    factor: int = 0

    @property
    def core(self):
        return self.graph._core

    @cached_property
    def ports(self) -> list[tuple[int, int]]:
        """For each input of the factor: its first port, and its number of values (0: binary)."""
        slots, _, begins, _ = self.core.ports(0)
        first_slots, sizes = self.core.layout()
        owner = {}
        for first, size in zip(first_slots.tolist(), sizes.tolist(), strict=True):
            owner[first] = size
        result, port = [], int(begins[self.factor])
        while port < begins[self.factor + 1]:
            size = owner[int(slots[port])]
            result.append((port - int(begins[self.factor]), size))
            port += size or 1
        return result

    @cached_property
    def port_count(self) -> int:
        begins = self.core.ports(0)[2]
        return int(begins[self.factor + 1] - begins[self.factor])

    @property
    def part_count(self) -> int:
        parts = self.core.ports(0)[3]
        return int(parts[self.factor + 1] - parts[self.factor])

    def totals(self, given: np.ndarray) -> np.ndarray:
        """The score of each configuration, `given` included; -inf where it is impossible."""
        always = {port for port, size in self.ports if not size and given[port] == inf}
        totals = np.empty(len(self.configurations))
        for index, one in enumerate(self.configurations):
            outside = [given[port] for port in one.active if given[port] != inf]
            fits = always <= set(one.active)
            totals[index] = one.score + sum(outside) if fits else -inf
        return totals

    def active(self) -> np.ndarray:
        """Configurations by ports, 0 and 1."""
        table = np.zeros((len(self.configurations), self.port_count))
        for index, one in enumerate(self.configurations):
            table[index, list(one.active)] = 1
        return table


def log_sum(values: np.ndarray) -> float:
    highest = values.max(initial=-inf)
    return highest if highest == -inf else float(highest + np.log(np.exp(values - highest).sum()))


def sum_oracle(case: Case, given: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Log-partition, beliefs of ports, probabilities of parts."""
    return _oracle(case, given, log_sum)


def max_oracle(case: Case, given: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Best score, max-marginals of ports."""
    return _oracle(case, given, lambda values: float(values.max(initial=-inf)))


def _oracle(case, given, combine) -> tuple[float, np.ndarray, np.ndarray]:
    totals, active = case.totals(given), case.active().astype(bool)
    value = combine(totals)
    beliefs, parts = np.zeros(case.port_count), np.zeros(case.part_count)
    if value == -inf:
        return value, beliefs, parts
    for port, size in case.ports:
        if size:
            for one in range(port, port + size):
                beliefs[one] = combine(totals[active[:, one]]) - value
        else:
            beliefs[port] = combine(totals[active[:, port]]) - combine(totals[~active[:, port]])
    for total, one in zip(totals, case.configurations, strict=True):
        for part in one.parts:
            parts[part] += one.amount * np.exp(total - value)
    return value, beliefs, parts


def projection(case: Case, a: np.ndarray, penalty: float) -> np.ndarray | None:
    """The projection of `a` under a penalty, by the weights of all configurations; None if there are none.

    Wolfe's method on the written-out list. The result is checked by its optimality conditions, so that it
    does not matter how it was found.
    """
    fixed = np.isinf(a)
    active = case.active()
    fits = np.array([(active[c][fixed] == (a[fixed] > 0)).all() for c in range(len(active))], bool)
    fits &= np.array([one.score > -inf for one in case.configurations], bool)
    if not fits.any():
        return None
    points = active[fits][:, ~fixed]
    inner = np.array([one.score for one in case.configurations])[fits] / penalty
    target = a[~fixed]
    weights = np.zeros(len(points))
    weights[np.argmax(inner - 0.5 * ((points - target) ** 2).sum(axis=1))] = 1
    for _ in range(10000):
        z = weights @ points
        gains = inner + points @ (target - z)
        entering = int(np.argmax(gains))
        if gains[entering] - weights @ gains < 1e-13 * (1 + abs(inner).max()):
            break
        weights, support = _entered(points, weights, entering)
        weights = _minor_steps(points, inner, target, weights, support)
    z = weights @ points
    gains = inner + points @ (target - z)
    assert gains.max() - weights @ gains < 1e-11 * (1 + abs(inner).max()), (
        "the twin's projection is not optimal"
    )
    result = np.zeros(case.port_count)
    result[~fixed] = z
    result[fixed] = a[fixed] > 0
    return result


def _entered(points, weights, entering):
    """The weights, and the configurations that may have some, the new one among them, affinely independent.

    If the new one depends on the others, weight can be moved to it and the point stays where it is; that
    gains something at a constant rate, so one of the others must go.
    """
    support = np.unique(np.append(np.flatnonzero(weights), entering))
    rows = np.column_stack([points[support], np.ones(len(support))])
    if np.linalg.matrix_rank(rows, tol=1e-9) == len(support):
        return weights, support
    direction = np.zeros_like(weights)
    direction[support] = np.linalg.svd(rows.T)[2][-1]
    direction *= np.sign(direction[entering])
    falling = np.flatnonzero(direction < -1e-12)
    steps = weights[falling] / -direction[falling]
    weights = np.maximum(weights + steps.min() * direction, 0)
    leaving = falling[np.argmin(steps)]
    weights[leaving] = 0
    return weights / weights.sum(), np.setdiff1d(support, [leaving])


def _minor_steps(points, inner, target, weights, support):
    while True:
        rows = points[support]
        size = len(support)
        system = np.zeros((size + 1, size + 1))
        system[:size, :size] = rows @ rows.T
        system[:size, size] = system[size, :size] = 1
        right = np.append(rows @ target + inner[support], 1.0)
        solved = np.linalg.lstsq(system, right, rcond=1e-12)[0][:size]
        new = np.zeros_like(weights)
        new[support] = solved
        if (solved >= -1e-14).all():
            return np.maximum(new, 0) / np.maximum(new, 0).sum()
        old = weights[support]
        falling = solved < 0
        steps = old[falling] / (old[falling] - solved[falling])
        step = max(0.0, steps.min(initial=1.0))
        weights = weights.copy()
        weights[support] = np.maximum(old + step * (solved - old), 0)
        weights[weights < 1e-15] = 0
        if step == 0.0:  # an entering point that cannot enter: it depends on the others
            drop = support[falling][np.argmin(steps)]
            weights[drop] = 0
        weights /= weights.sum()
        support = np.flatnonzero(weights) if step > 0 else np.setdiff1d(support, [drop])
