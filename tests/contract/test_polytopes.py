"""The rows of every kind of factor describe its convex hull: linear costs find its best configurations."""

from __future__ import annotations

from math import inf, isinf

import highspy
import numpy as np
import pytest

from tests.contract.test_factors import KINDS, STYLES, cases
from tests.oracles.factors import base as slow


def optimum(
    program: dict, costs: np.ndarray, lows: np.ndarray, highs: np.ndarray
) -> tuple[float, np.ndarray]:
    """The optimum over a factor's rows, with costs and bounds for its ports."""
    ports = len(costs)
    highs_solver = highspy.Highs()
    highs_solver.setOptionValue("output_flag", False)
    for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        highs_solver.setOptionValue(tolerance, 1e-9)
    model = highspy.HighsLp()
    model.sense_ = highspy.ObjSense.kMaximize
    model.num_col_, model.num_row_ = len(program["costs"]), len(program["row_lows"])
    model.col_cost_ = np.concatenate([costs, program["costs"][ports:]])
    model.col_lower_ = np.concatenate([lows, program["lows"][ports:]])
    model.col_upper_ = np.concatenate([highs, program["highs"][ports:]])
    model.row_lower_, model.row_upper_ = program["row_lows"], program["row_highs"]
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = program["starts"]
    model.a_matrix_.index_ = program["columns"]
    model.a_matrix_.value_ = program["values"]
    highs_solver.passModel(model)
    highs_solver.run()
    if highs_solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return -inf, np.zeros(ports)
    solution = np.asarray(highs_solver.getSolution().col_value)
    return highs_solver.getInfo().objective_function_value, solution[:ports]


@pytest.mark.parametrize("style", [style for style in STYLES if style != "extreme"])
@pytest.mark.parametrize("kind", KINDS)
def test_polytope(kind: str, style: str) -> None:
    for case, numbers, rng in cases(kind, style):
        program = case.core.polytope(0, case.factor, "multi-commodity")
        finite = np.isfinite(numbers)
        # Random costs beside those of the style: any of them must lead to a vertex.
        costs = np.where(finite, numbers + rng.normal(size=len(numbers)) * 1e-3, 0.0)
        lows, highs = (numbers == inf) * 1.0, (numbers != -inf) * 1.0
        shifted = np.where(finite, costs, numbers)
        wanted = slow.max_oracle(case, shifted)[0]
        value, z = optimum(program, costs, lows, highs)
        if isinf(wanted):
            assert value == wanted
            continue
        assert value == pytest.approx(wanted, abs=1e-6 * (1 + abs(wanted)))
        assert np.minimum(np.abs(z), np.abs(1 - z)).max(initial=0) < 1e-5
