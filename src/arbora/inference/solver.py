"""What a solver is: a function on a graph, its options, and what it can tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from arbora import _core
from arbora.errors import ArboraError
from arbora.inference.solution import Found, Solution
from arbora.models.options import check_like


class Option(NamedTuple):
    """An option of a solver, with what it is if nobody says, and one line about it."""

    name: str
    default: Any
    help: str


@dataclass(frozen=True)
class Solver:
    """An algorithm by name. ``function(core_graph, **options)`` gets all options, defaults filled in."""

    name: str
    summary: str
    function: Callable[..., Found]
    gives: frozenset[str]
    """Which of `arbora.inference.solution.GIVES` it can tell; asked for others, a solution says who can."""
    options: tuple[Option, ...]
    is_exact: bool = False
    """Whether what it tells is exact on every graph that it takes."""
    takes: str = ""
    """Which graphs it takes, in words; empty if it takes all."""

    def solve(self, graph: _core.FactorGraph, owner: object | None = None, /, **options: Any) -> Solution:
        """Run it. `FactorGraph.solve` is the usual way."""
        known = {option.name: option.default for option in self.options}
        for name in options:
            if name not in known:
                raise ArboraError(f"{self.name} has no option {name!r}; it has: {', '.join(known) or 'none'}")
        try:
            found = self.function(graph, **(known | options))
        except (TypeError, ValueError, OverflowError) as error:
            check_like(options, known)
            reason = str(error).split("\n", 1)[0]  # the core lists all that it would have taken
            raise ArboraError(f"{self.name}: {reason}") from error
        off = frozenset(name for name, value in (known | options).items() if value is False)
        return Solution(graph, self.name, self.gives, found, owner, off)
