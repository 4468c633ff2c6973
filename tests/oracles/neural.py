"""The slow twin of neural heads: in float64 by definition, from the states of an encoder."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

Arrays = Mapping[str, np.ndarray]


def shape_of(form: str) -> int:
    """What a word's letters look like: the number of a row of a model's table."""
    upper = sum(c.isupper() for c in form)
    others = sum(c.isalpha() and not c.isupper() for c in form)
    digits = sum(c.isdecimal() for c in form)
    if digits and not upper:
        return 6
    if not upper:
        return 1 if others else 0
    if not others:
        return 4 if upper == 1 else 3
    return 2 if upper == 1 and form[0].isupper() else 5


def dense(x: np.ndarray, tensors: Arrays, name: str) -> np.ndarray:
    return x @ tensors[f"{name}.weights"].astype(np.float64).T + tensors[f"{name}.bias"]


class SlowHeads:
    """Scores of one sentence, whose states have n + 1 rows, the root's first."""

    def __init__(self, states: np.ndarray, tensors: Arrays, arc_size: int, label_size: int) -> None:
        self.states, self.tensors = states.astype(np.float64), tensors
        vectors = dense(self.states, tensors, "vectors")
        vectors = np.where(vectors < 0, 0.1 * vectors, vectors)
        ends = np.cumsum([arc_size, arc_size, label_size])
        self.modifiers, self.heads, self.label_modifiers, self.label_heads = np.split(vectors, ends, axis=1)

    def arcs(self) -> np.ndarray:
        """Of all pairs, by head and modifier; what is no arc is -inf."""
        n = len(self.states)
        found = np.full((n, n), -np.inf)
        for head in range(n):
            turned = dense(self.heads[head], self.tensors, "bilinear")
            for modifier in range(1, n):
                if head != modifier:
                    found[head, modifier] = turned[:-1] @ self.modifiers[modifier] + turned[-1]
        return found

    def labels(self, head: int, modifier: int) -> np.ndarray:
        """Of all labels of an arc."""
        a, b = self.label_modifiers[modifier], self.label_heads[head]
        return dense(np.concatenate([a * b, a, b]), self.tensors, "labels")

    def tags(self) -> np.ndarray:
        """Of every column of tags, of the words."""
        return dense(self.states[1:], self.tensors, "tags")
