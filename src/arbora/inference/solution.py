"""What a solver found, to be asked by the arrays of variables that the graph gave out."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple, NoReturn, Protocol, TypeAlias, TypedDict, runtime_checkable

import numpy as np
import numpy.typing as npt

from arbora import _core, factors, trees
from arbora.errors import ArboraError
from arbora.factors import VariableArray

Floats: TypeAlias = npt.NDArray[np.float64]

CERTIFICATE_TOLERANCE = 1e-9
"""A value this close to its bound (relatively) counts as equal to it."""
INTEGRAL_TOLERANCE = 1e-6
"""A value this close to 0 or 1 counts as decided."""

GIVES = {
    "marginals": "probabilities",
    "log_partition": "a log-partition",
    "entropies": "entropies",
    "assignment": "an assignment",
    "upper_bound": "an upper bound",
    "ranking": "a ranking of the best assignments",
}
"""What a solver may be able to tell, and what that is called in messages."""


class Found(TypedDict, total=False):
    """What a solver hands over; the fields are those of ``Outcome`` in the core, none is required."""

    beliefs: Floats
    parts: list[Floats]
    assignment: npt.NDArray[np.uint8] | None
    value: float
    ranked: list[npt.NDArray[np.uint8]]
    ranked_values: Floats
    upper_bound: float
    log_partition: float
    variable_entropies: Floats
    factor_entropies: list[Floats]
    converged: bool
    infeasible: bool
    iterations: int
    residuals: Floats
    values: Floats
    seconds: Floats
    calls: npt.NDArray[np.int64]
    skipped: npt.NDArray[np.int64]


class History(NamedTuple):
    """One entry an iteration: how far the parts were from agreement, and the value the solver goes by."""

    residuals: Floats
    values: Floats


@runtime_checkable
class ArcsOfSentence(Protocol):
    """A row of arcs, and the words that they go from and to."""

    @property
    def arcs(self) -> VariableArray:
        """The arcs."""

    @property
    def heads(self) -> npt.NDArray[np.int32]:
        """Their heads."""

    @property
    def modifiers(self) -> npt.NDArray[np.int32]:
        """Their modifiers."""


class Solution:
    """Beliefs, the best assignment found, and how sure the solver is of it.

    ``solution[array]`` gives the beliefs of an array of variables in its shape (categories with a last axis
    for their values): probabilities from `bp`, `projective-chart` and `enumerate`, max-marginals scaled to
    sum to one from `max-product`, values of the relaxation, perhaps fractions, from those that solve one. A
    negated variable gives one minus its belief.

    >>> import arbora
    >>> graph = arbora.FactorGraph()
    >>> x, tag = graph.binary([0.0, 2.0]), graph.categorical([[0.0, 1.0, 0.0]])
    >>> solution = graph.solve("enumerate")
    >>> solution[x].round(3), solution[~x].round(3), solution[tag].round(3)
    (array([0.5  , 0.881]), array([0.5  , 0.119]), array([[0.212, 0.576, 0.212]]))
    >>> solution.assignment_of(tag), solution.converged
    (array([1]), True)
    """

    def __init__(
        self,
        graph: _core.FactorGraph,
        solver: str,
        gives: frozenset[str],
        found: Found,
        owner: object | None = None,
        off: frozenset[str] = frozenset(),
    ) -> None:
        """What `solver`, which can tell what `gives` names, found; `owner` is whose variables index it.

        What `off` names was not asked for.
        """
        self.solver = solver
        """The name of the solver."""
        self._gives, self._found, self._owner, self._off = gives, found, owner, off
        self._first, self._sizes = graph.layout()
        self._groups = _names([graph.group(index)[0] for index in range(graph.groups)])
        self._slots = graph.slots

        self.converged = bool(found.get("converged", False))
        """Whether it came to rest before its cap."""
        self.infeasible = bool(found.get("infeasible", False))
        """True if it is proved that no assignment satisfies all hard factors and the evidence."""
        self.iterations = int(found.get("iterations", 0))
        self.history = History(
            *(np.asarray(found.get(key, ()), np.float64) for key in ("residuals", "values"))
        )
        """Residuals, and values where the solver keeps them, one an iteration."""
        self.seconds = self._by_group("seconds")
        """Time spent in the oracles of each group, by its kind."""
        self.calls = self._by_group("calls")
        """How many calls of oracles each group answered."""
        self.skipped = self._by_group("skipped")
        """How many calls were saved because nothing had changed for that factor."""

    def __getitem__(self, variables: VariableArray) -> Floats:
        """The beliefs of these variables, in their shape."""
        slots, negated = self._slots_of(variables)
        beliefs = self.beliefs[slots]
        return np.where(negated, 1 - beliefs, beliefs) if not variables.values else beliefs

    def assignment_of(self, variables: VariableArray, rank: int = 0) -> npt.NDArray[Any]:
        """What the assignment says: true or false for binary variables, a value's number for others.

        Of a solver that ranks several, ``rank`` counts from the best, 0, to the last of `ranked_values`.
        """
        slots, negated = self._slots_of(variables)
        assignment = self.assignment if rank == 0 else self._ranked(rank)
        if assignment is None:
            why = "there is none" if self.infeasible else f"{self.solver} found none"
            raise ArboraError(f"no assignment satisfies all factors as far as is known: {why}")
        chosen = assignment[slots]
        return np.asarray(chosen.argmax(axis=-1) if variables.values else (chosen != 0) != negated)

    def tree(
        self,
        arcs: VariableArray | ArcsOfSentence,
        *,
        heads: npt.ArrayLike | None = None,
        modifiers: npt.ArrayLike | None = None,
        projective: bool = False,
        single_root: bool = True,
    ) -> npt.NDArray[np.int32]:
        """Heads of the tree with the most right arcs in expectation (minimum Bayes risk).

        ``arcs[head, modifier]`` has shape (n+1, n+1) as everywhere; index 0 is the root, whose head is -1. Or
        they are a row of arcs with their ``heads`` and ``modifiers``, as for `factors.Tree`, or what has all
        three: the graph of a sentence (`arbora.dependency.DependencyParser.graph`). Where a relaxation found
        fractions, this is how they are rounded (Martins et al. 2009).

        >>> import numpy as np, arbora
        >>> graph = arbora.FactorGraph()
        >>> arcs = graph.binary(np.array([[0, 0, 3], [0, 0, 0], [0, 1, 0.0]]))
        >>> graph.solve("enumerate").tree(arcs)
        array([-1,  2,  0], dtype=int32)
        >>> graph.solve("enumerate").tree(arcs.ravel()[[2, 7]], heads=[0, 2], modifiers=[2, 1])
        array([-1,  2,  0], dtype=int32)
        """
        row: Any = arcs
        if isinstance(arcs, ArcsOfSentence):
            row, heads, modifiers = arcs.arcs, arcs.heads, arcs.modifiers
        candidates, above, below = factors.Tree(row, heads=heads, modifiers=modifiers).candidates()
        if self.infeasible:
            raise ArboraError("no assignment satisfies all factors: there is no tree to read out")
        table = np.full((int(max(above.max(), below.max())) + 1,) * 2, -inf)
        table[above, below] = self[candidates]
        return trees.mst(table, projective=projective, single_root=single_root).heads

    @property
    def beliefs(self) -> Floats:
        """The belief of every slot; indexing with an array of variables is the usual way to them."""
        return self._found.get("beliefs", np.zeros(self._slots))

    @property
    def parts(self) -> list[Floats]:
        """For every group of factors, in the order of adding, its parts' beliefs; hard ones have none."""
        if "parts" in self._off:
            self._need("parts")
        return self._found.get("parts", [])

    @property
    def assignment(self) -> npt.NDArray[np.uint8] | None:
        """The best assignment found, 0 or 1 for every slot; None if none satisfies all factors."""
        self._need("assignment")
        assignment = self._found.get("assignment")
        return None if assignment is None or len(assignment) != self._slots else assignment

    @property
    def value(self) -> float:
        """The score of the best assignment found; -inf if there is none."""
        self._need("assignment")
        return float(self._found.get("value", -inf))

    @property
    def ranked_values(self) -> Floats:
        """The values of the best assignments in order, as many as the solver was asked to rank or there are.

        >>> import numpy as np, arbora
        >>> graph = arbora.FactorGraph()
        >>> arcs = graph.binary(np.array([[0, 1.0, 3], [0, 0, 0.5], [0, 2, 0]]))
        >>> graph.add(arbora.factors.ProjectiveTree(arcs))
        >>> solution = graph.solve("projective-chart", k=5)
        >>> solution.ranked_values
        array([5. , 1.5])
        >>> solution.assignment_of(arcs[0], rank=1)
        array([False,  True, False])
        """
        self._need("ranking")
        return self._found.get("ranked_values", np.zeros(0))

    @property
    def upper_bound(self) -> float:
        """No assignment has a higher score."""
        self._need("upper_bound")
        return -inf if self.infeasible else float(self._found.get("upper_bound", inf))

    @property
    def gap(self) -> float:
        """How much better an assignment than this could be at most."""
        bound = self.upper_bound
        return 0.0 if bound == self.value else max(0.0, bound - self.value)

    @property
    def is_certified(self) -> bool:
        """Whether the assignment is proved to be the best, or, if there is none, that none is possible."""
        bound = self.upper_bound
        if bound in (-inf, inf):
            return bound == -inf
        return self.value >= bound - CERTIFICATE_TOLERANCE * (1 + abs(bound))

    @property
    def is_integral(self) -> bool:
        """Whether every belief is 0 or 1: for a relaxation, that its solution is an assignment."""
        beliefs = self.beliefs
        return bool((np.minimum(np.abs(beliefs), np.abs(1 - beliefs)) <= INTEGRAL_TOLERANCE).all())

    @property
    def log_partition(self) -> float:
        """Log of the sum over all assignments; by `bp` the Bethe approximation, exact on acyclic graphs."""
        self._need("log_partition")
        return float(self._found.get("log_partition", -inf))

    @property
    def variable_entropies(self) -> Floats:
        """The entropy of every variable's belief, by its number."""
        self._need("entropies")
        return self._found.get("variable_entropies", np.zeros(0))

    @property
    def factor_entropies(self) -> list[Floats]:
        """The entropy of every factor's belief over its configurations, by group."""
        self._need("entropies")
        return self._found.get("factor_entropies", [])

    def __repr__(self) -> str:
        """The solver and what came out, in one line."""
        state = "infeasible" if self.infeasible else "converged" if self.converged else "not converged"
        told = [self.solver, state, f"{self.iterations} iterations"]
        if "assignment" in self._gives - self._off:
            told.append(f"value {self.value:.6g}")
        if "upper_bound" in self._gives:
            told.append("certified" if self.is_certified else f"gap {self.gap:.3g}")
        if "log_partition" in self._gives - self._off:
            told.append(f"log-partition {self.log_partition:.6g}")
        return f"<Solution: {', '.join(told)}>"

    def _slots_of(self, variables: VariableArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """The slot of each variable (for categories: of each value, in a last axis), and what is negated."""
        if not isinstance(variables, VariableArray):
            raise ArboraError(
                f"a solution is indexed by variables of a graph, not {type(variables).__name__}"
            )
        if self._owner is not None and variables.graph is not self._owner:
            raise ArboraError("the variables belong to another graph")
        negated = variables.numbers < 0
        numbers = np.where(negated, ~variables.numbers, variables.numbers)
        if numbers.size and int(numbers.max()) >= len(self._first):
            raise ArboraError("the variables were added after the graph was solved")
        slots = self._first[numbers].astype(np.int64)
        if variables.values:
            slots = slots[..., None] + np.arange(variables.values)
        return slots, negated

    def _ranked(self, rank: int) -> npt.NDArray[np.uint8]:
        count = len(self.ranked_values)
        if not 0 <= rank < count:
            raise ArboraError(f"{self.solver} ranked {count} assignments; there is none of rank {rank}")
        return self._found["ranked"][rank]

    def _need(self, what: str) -> None:
        if what in self._off:
            raise ArboraError(f"{self.solver} was not asked for this: solve with {what}=True")
        if what not in self._gives:
            self._cannot(what)

    def _cannot(self, what: str) -> NoReturn:
        from arbora.inference.solvers import SOLVERS  # which makes solutions, so not above

        others = ", ".join(name for name, solver in SOLVERS.items() if what in solver.gives)
        raise ArboraError(
            f"{self.solver} does not give {GIVES[what]}; these solvers do: {others or 'none yet'}"
        )

    def _by_group(self, key: str) -> dict[str, Any]:
        values = np.asarray(self._found.get(key, ())).tolist()
        return dict(zip(self._groups, values, strict=False))


def _names(kinds: list[str]) -> list[str]:
    """The kinds, with a number where one occurs again."""
    seen: dict[str, int] = {}
    names = []
    for kind in kinds:
        seen[kind] = seen.get(kind, 0) + 1
        names.append(kind if seen[kind] == 1 else f"{kind} {seen[kind]}")
    return names
