"""Inference in factor graphs: the algorithms by name, their options, and what they find.

`FactorGraph.solve(name, **options)` runs them; ``SOLVERS`` lists them.

>>> import arbora
>>> graph = arbora.FactorGraph()
>>> x = graph.binary([1.0, -1.0])
>>> graph.solve("bp", iterations=5)[x].round(2)
array([0.73, 0.27])
"""

from arbora.inference.solution import Solution
from arbora.inference.solver import Option, Solver
from arbora.inference.solvers import SOLVERS, find_solver

__all__ = ["SOLVERS", "Option", "Solution", "Solver", "find_solver"]
