"""All solvers, by name."""

from __future__ import annotations

from arbora.errors import ArboraError
from arbora.inference.charts import PROJECTIVE_CHART
from arbora.inference.decomposition import AD3, DUAL_DECOMPOSITION
from arbora.inference.enumeration import ENUMERATE
from arbora.inference.linear import ILP, LP
from arbora.inference.propagation import ANNEALING, BP, MAX_PRODUCT
from arbora.inference.solver import Solver

SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        BP,
        MAX_PRODUCT,
        ANNEALING,
        DUAL_DECOMPOSITION,
        AD3,
        LP,
        ILP,
        PROJECTIVE_CHART,
        ENUMERATE,
    )
}
"""Every solver there is; the tests run each on every kind of factor that it takes."""


def find_solver(name: str) -> Solver:
    """The solver of that name.

    >>> find_solver("enumerate").summary
    'every assignment in turn, for small graphs'
    """
    if not isinstance(name, str) or name not in SOLVERS:
        raise ArboraError(f"there is no solver {name!r}; there are: {', '.join(SOLVERS)}")
    return SOLVERS[name]
