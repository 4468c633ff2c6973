"""Slow twins of sigmoid belief networks over left-corner derivations: by definition, and by enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from arbora import _core
from arbora.treebank import Constituent

SHIFT, PROJECT, ATTACH, END = range(4)


@dataclass
class Network:
    """A network with weights by name, and its flat form for the core."""

    inference: str
    width: int
    labels: int
    words_of_tags: list[int]
    states: list[str]
    inputs: list[tuple[str, str]]
    longest_chain: int = 3
    root_takes_many: bool = True
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def core(self) -> Any:
        return _core.IsbnNetwork(
            self.inference,
            self.width,
            self.labels,
            self.words_of_tags,
            self.longest_chain,
            self.root_takes_many,
            self.states,
            self.inputs,
        )

    @property
    def tags(self) -> int:
        return len(self.words_of_tags)

    def values(self, attribute: str) -> int:
        if attribute == "label":
            return 1 + self.labels + self.tags + 1
        return 1 + (4 + self.labels if attribute == "decision" else sum(self.words_of_tags))

    def parts(self) -> dict[str, Any]:
        """The weights, taken apart."""
        n, at = self.width, 0

        def take(*shape: int) -> np.ndarray:
            nonlocal at
            count = int(np.prod(shape))
            at += count
            return self.weights[at - count : at].reshape(shape)

        decisions = 4 + self.labels + self.tags + sum(self.words_of_tags)
        return {
            "bias": take(n),
            "states": [take(n, n) for _ in self.states],  # from, to
            "inputs": [take(self.values(attribute), n) for _, attribute in self.inputs],
            "rows": take(decisions, n),
            "biases": take(decisions),
        }

    def choices(
        self, decision: tuple[int, int, int, int], legal: Sequence[int]
    ) -> list[tuple[list[int], int]]:
        """For each elementary decision the rows that may be chosen, and the one that is."""
        action, label, tag, word = decision
        first_tag, first_word = 4 + self.labels, 4 + self.labels + self.tags
        found = [(list(legal), action)]
        if action == PROJECT:
            found.append((list(range(4, first_tag)), 4 + label))
        if action == SHIFT:
            begin = first_word + sum(self.words_of_tags[:tag])
            found.append((list(range(first_tag, first_word)), first_tag + tag))
            found.append((list(range(begin, begin + self.words_of_tags[tag])), first_word + word))
        return found


class Node:
    """A constituent of a derivation: its children as they are now."""

    def __init__(self, symbol: int, word: int = -1) -> None:
        self.symbol, self.word = symbol, word
        self.children: list[Node] = []

    def leaves(self) -> list[int]:
        return [self.word] if self.word >= 0 else [w for child in self.children for w in child.leaves()]

    def chain(self) -> int:
        return self.children[0].chain() + 1 if len(self.children) == 1 else 0


def walk(network: Network, decisions: Sequence[tuple[int, int, int, int]]) -> Iterator[dict[str, Any]]:
    """For every decision: the legal actions, the linked states, the visible values."""
    root = Node(network.labels + network.tags)
    stack, tops, last = [root], [], 0
    for action, label, tag, word in decisions:
        top = stack[-1]
        below, second = (stack[-2] if len(stack) > 1 else None), (stack[-3] if len(stack) > 2 else None)

        def child(node: Node | None, which: int) -> Node | None:
            return node.children[which] if node is not None and node.children else None

        places = {
            "top": top,
            "below": below,
            "second-below": second,
            "leftmost": child(top, 0),
            "last": child(top, -1),
            "below-leftmost": child(below, 0),
            "below-last": child(below, -1),
        }

        def state_of(node: Node | None, tops: list[Node] = tops) -> int:
            return max((t for t, other in enumerate(tops) if other is node), default=-1)

        def value(place: str, attribute: str, places: Any = places, last: int = last) -> int:
            node = places[place]
            if attribute == "decision":
                return last
            if node is None:
                return 0
            if attribute == "label":
                return 1 + node.symbol
            if attribute == "word":
                return 1 + node.word
            ends = node.leaves()
            return 1 + ends[0 if attribute == "first-word" else -1] if ends else 0

        if top is root:
            many = [SHIFT] if network.root_takes_many or not root.children else []
            legal = many + ([END] if root.children else [])
        else:
            is_too_long = top.chain() > network.longest_chain  # unless it gets another child
            legal = ([] if is_too_long else [ATTACH, PROJECT]) + ([SHIFT] if top.word < 0 else [])
        yield {
            "legal": sorted(legal),
            "states": [state_of(places[place]) for place in network.states],
            "inputs": [value(place, attribute) for place, attribute in network.inputs],
        }
        tops.append(top)
        last = 1 + (4 + label if action == PROJECT else action)
        if action == SHIFT:
            stack.append(Node(network.labels + tag, word))
        elif action == PROJECT:
            parent = Node(label)
            parent.children.append(top)
            stack[-1] = parent
        elif action == ATTACH:
            stack.pop()
            stack[-1].children.append(top)


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def mean_field(eta: np.ndarray, choices: list[tuple[np.ndarray, np.ndarray, int]]) -> np.ndarray:
    """The means that maximise equation 7, by damped Newton steps on logits with dense matrices."""
    x = eta.copy()

    def force(x: np.ndarray) -> np.ndarray:
        m = 1 / (1 + np.exp(-x))
        return eta - x + sum(rows[d] - softmax(rows @ m + b) @ rows for rows, b, d in choices)

    for _ in range(500):
        m, f = 1 / (1 + np.exp(-x)), force(x)
        if np.abs(f).max() < 1e-13:
            break
        jacobian = np.eye(len(x))
        for rows, b, _ in choices:
            p = softmax(rows @ m + b)
            jacobian += rows.T @ (np.diag(p) - np.outer(p, p)) @ rows * (m * (1 - m))
        step = np.linalg.solve(jacobian, f)
        length = 1.0
        while length > 1e-6 and np.abs(force(x + length * step)).max() > np.abs(f).max():
            length /= 2
        x = x + length * step
    return 1 / (1 + np.exp(-x))


def log_probability(network: Network, decisions: Sequence[tuple[int, int, int, int]]) -> float:
    """Of a derivation, by the network's own inference."""
    parts, total, means = network.parts(), 0.0, []
    for decision, seen in zip(decisions, walk(network, decisions), strict=True):
        eta = parts["bias"].copy()
        for matrix, state in zip(parts["states"], seen["states"], strict=True):
            eta += means[state] @ matrix if state >= 0 else 0
        for rows, number in zip(parts["inputs"], seen["inputs"], strict=True):
            eta += rows[number]
        done: list[tuple[np.ndarray, np.ndarray, int]] = []
        for rows, chosen in network.choices(decision, seen["legal"]):
            if chosen not in rows:
                return -np.inf
            is_optimised = network.inference == "mean-field" and done
            own = mean_field(eta, done) if is_optimised else 1 / (1 + np.exp(-eta))
            total += np.log(softmax(parts["rows"][rows] @ own + parts["biases"][rows])[rows.index(chosen)])
            done.append((parts["rows"][rows], parts["biases"][rows], rows.index(chosen)))
        final = mean_field(eta, done) if network.inference == "mean-field" else 1 / (1 + np.exp(-eta))
        means.append(final)
    return float(total)


def exact_log_probability(network: Network, decisions: Sequence[tuple[int, int, int, int]]) -> float:
    """Of a derivation in the graphical model itself: the sum over all values of all latent variables."""
    parts, steps = network.parts(), list(walk(network, decisions))
    vectors = np.array(list(product((0.0, 1.0), repeat=network.width)))
    # scores[state values of steps so far], grown by an axis for each step.
    scores = np.zeros(())
    for t, (decision, seen) in enumerate(zip(decisions, steps, strict=True)):
        eta = parts["bias"] + sum(rows[k] for rows, k in zip(parts["inputs"], seen["inputs"], strict=True))
        etas = np.broadcast_to(eta, (*scores.shape, network.width)).copy()
        for matrix, state in zip(parts["states"], seen["states"], strict=True):
            if state >= 0:
                shape = [1] * t + [network.width]
                shape[state] = len(vectors)
                etas += (vectors @ matrix).reshape(shape)
        etas = etas[..., None, :]
        logs = -np.logaddexp(0, np.where(vectors == 1, -etas, etas)).sum(-1)
        for rows, chosen in network.choices(decision, seen["legal"]):
            fits = vectors @ parts["rows"][rows].T + parts["biases"][rows]
            logs = logs + fits[:, rows.index(chosen)] - np.logaddexp.reduce(fits, axis=1)
        scores = scores[..., None] + logs
    return float(np.logaddexp.reduce(scores, axis=None))


def sample(network: Network, rng: np.random.Generator, most: int) -> list[tuple[int, int, int, int]] | None:
    """A derivation drawn from the graphical model; None if it is longer than so many decisions."""
    parts = network.parts()
    decisions: list[tuple[int, int, int, int]] = []
    drawn: list[np.ndarray] = []
    while len(decisions) < most:
        seen = list(walk(network, [*decisions, (END, -1, -1, -1)]))[-1]
        eta = parts["bias"] + sum(rows[k] for rows, k in zip(parts["inputs"], seen["inputs"], strict=True))
        for matrix, state in zip(parts["states"], seen["states"], strict=True):
            eta = eta + (drawn[state] @ matrix if state >= 0 else 0)
        drawn.append((rng.random(network.width) < 1 / (1 + np.exp(-eta))).astype(float))

        def draw(rows: Sequence[int], state: np.ndarray = drawn[-1]) -> int:
            rows = list(rows)
            return int(rng.choice(rows, p=softmax(parts["rows"][rows] @ state + parts["biases"][rows])))

        action, label, tag, word = draw(seen["legal"]), -1, -1, -1
        if action == PROJECT:
            label = draw(range(4, 4 + network.labels)) - 4
        if action == SHIFT:
            first = 4 + network.labels
            tag = draw(range(first, first + network.tags)) - first
            begin = first + network.tags + sum(network.words_of_tags[:tag])
            word = draw(range(begin, begin + network.words_of_tags[tag])) - first - network.tags
        decisions.append((action, label, tag, word))
        if action == END:
            return decisions
    return None


def left_corner(tree: Constituent) -> list[str]:
    """The actions that make a tree below the root, by definition: leftmost child, itself, other children."""
    if tree.is_preterminal:
        return [f"shift {tree.label} {tree.children[0]}"]
    first, *others = tree.children
    assert isinstance(first, Constituent)
    found = [*left_corner(first), f"project {tree.label}"]
    for child in others:
        assert isinstance(child, Constituent)
        found += [*left_corner(child), "attach"]
    return found
