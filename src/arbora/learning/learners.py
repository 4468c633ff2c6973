"""Online learners: how long a step against the gradient of one sentence's loss is.

All of them keep the average of the weights, the mean over all steps of the weights before the step, which is
what a parser is made of in the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from arbora import _core

__all__ = ["LEARNERS", "Learner", "find_learner"]

RULES = ("aggressive", "sgd", "adagrad")


@dataclass(frozen=True, slots=True)
class Learner:
    """weights <- weights - step * gradient, with the ``step`` of a rule.

    ``rule`` is one of

    - ``aggressive``: min(rate, loss / norm(gradient)^2), the smallest change that would bring a loss of this
      slope to zero, but at most ``rate`` = 1 / (lambda m) (Martins et al. 2010, algorithm 1);
    - ``sgd``: rate;
    - ``adagrad``: rate / (sqrt(sum of the squared gradients so far) + 1e-6), for each weight its own.

    >>> learner = Learner("careful", "aggressive", rate=0.01).start(bits=3)
    >>> learner.step([(0, 1.0), (5, -1.0)], loss=4.0)
    0.01
    >>> print(learner.weights[5])
    0.01
    """

    name: str
    rule: str
    rate: float
    about: str = ""

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"there is no rule {self.rule!r}; there are {', '.join(RULES)}")
        if not 0 < self.rate < math.inf:
            raise ValueError(f"rate must be a positive number, not {self.rate}")

    def start(self, bits: int, extra: int = 0) -> _core.OnlineLearner:
        """The core's learner with ``2**bits + extra`` weights, all 0.

        Its ``step(gradient, loss)`` takes a list of (index, value), which may name an index more than once,
        and returns the length of the step. Training goes past this method, in batches within the core.

        >>> LEARNERS["sgd"].start(bits=4, extra=2).weights.shape
        (18,)
        """
        if not 3 <= bits <= 30:
            raise ValueError(f"bits must be from 3 to 30, not {bits}")
        if extra < 0:
            raise ValueError(f"extra must not be negative, not {extra}")
        return _core.OnlineLearner(bits, extra, self.rule, self.rate)


LEARNERS: dict[str, Learner] = {
    learner.name: learner
    for learner in (
        Learner("aggressive", "aggressive", 0.02, "as far as the loss asks for; hardly needs a rate"),
        Learner("sgd", "sgd", 0.02, "steps of one length"),
        Learner("adagrad", "adagrad", 0.05, "shorter steps for weights that have moved much"),
        Learner("perceptron", "sgd", 1.0, "with the perceptron loss, the averaged perceptron"),
    )
}


def find_learner(name: str, rate: float | None = None) -> Learner:
    """The learner of this name, with another rate if one is given.

    >>> find_learner("adagrad", rate=0.2)
    Learner(name='adagrad', rule='adagrad', rate=0.2, about='shorter steps for weights that have moved much')
    """
    if name not in LEARNERS:
        raise ValueError(f"there is no learner {name!r}; there are {', '.join(LEARNERS)}")
    found = LEARNERS[name]
    return found if rate is None else Learner(found.name, found.rule, rate, found.about)
