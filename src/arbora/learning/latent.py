"""What a partly observed assignment costs: what nobody observed is summed out.

Paper: Smith & Eisner 2008, "Dependency Parsing by Belief Propagation", section 3.1 (tags and roles of links
as variables) and footnote 27 (training where their values are not given).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Any

from arbora.constraints import Floats
from arbora.errors import ArboraError
from arbora.factors import VariableArray
from arbora.graphs import FactorGraph
from arbora.inference import Solution, find_solver

__all__ = ["LatentLoss", "latent_loss"]


@dataclass(frozen=True, slots=True)
class LatentLoss:
    """A loss, and its gradient: what the graph believes minus what it believes given the observations.

    ``loss[array]`` is the gradient with respect to the scores of an array of variables, in the shape of those
    scores; ``parts`` has, for each group of factors in the order of adding, that of its part scores.
    ``free`` and ``given`` are the two solutions that it is made of: see whether they `converged`.
    """

    value: float
    free: Solution
    given: Solution

    def __getitem__(self, variables: VariableArray) -> Floats:
        """The gradient with respect to the scores of these variables."""
        return self.free[variables] - self.given[variables]

    @property
    def parts(self) -> list[Floats]:
        """The gradient with respect to the part scores of every group; hard factors have none."""
        return [free - given for free, given in zip(self.free.parts, self.given.parts, strict=True)]


def latent_loss(
    graph: FactorGraph,
    observed: Iterable[tuple[VariableArray, Any]],
    solver: str = "bp",
    **options: Any,
) -> LatentLoss:
    """Minus the log-probability of what was observed: log Z(graph) - log Z(graph, observations clamped).

    ``observed`` has pairs of variables and their values, as `FactorGraph.clamp` takes them. Everything else,
    binary or with many values, is summed out. What the graph has clamped already is known to both sums, so
    the probability is conditional on it. ``solver`` must give probabilities; ``options`` are its own. By
    ``bp`` all is exact where the graph has no cycles. Where it has, both sums are Bethe's, whose difference
    may be below 0, and the gradient is that of the difference if both came to rest. By ``enumerate`` all is
    exact. ArboraError if the observations are impossible.

    Two words of one tag each that nobody saw, and a factor that they share:

    >>> import numpy as np, arbora
    >>> from arbora.learning import latent_loss
    >>> graph = arbora.FactorGraph()
    >>> tags = graph.categorical(np.zeros((2, 2)), name="tags")
    >>> graph.add(arbora.factors.Table([tags[:1], tags[1:]], np.log([[1.0, 2.0], [3.0, 4.0]])))
    >>> loss = latent_loss(graph, [(tags[1], 0)])
    >>> print(f"{loss.value:.4f}")  # -log (1 + 3) / (1 + 2 + 3 + 4)
    0.9163
    >>> loss[tags].round(2), loss.parts[0].round(2)
    (array([[ 0.05, -0.05],
           [-0.6 ,  0.6 ]]), array([-0.15,  0.2 , -0.45,  0.4 ]))
    """
    known = find_solver(solver)
    if not {"marginals", "log_partition"} <= known.gives:
        raise ArboraError(f"{solver} gives no probabilities and log-partition, which a loss is made of")
    if any(option.name == "assignment" for option in known.options):
        options = {"assignment": False, **options}
    free = graph.solve(solver, **options)
    if free.log_partition == -inf:
        raise ArboraError("the graph has no loss: no assignment satisfies all factors")
    given = graph.solve(solver, given=observed, **options)
    if given.log_partition == -inf:
        raise ArboraError("the observations are impossible: no assignment with them satisfies all factors")
    return LatentLoss(free.log_partition - given.log_partition, free, given)
