"""A small factor graph as a picture: circles are variables, squares are factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from arbora.errors import ArboraError

MOST_NODES = 200
"""More than this is a smear, not a picture."""
STEP, ROW, MARGIN, RADIUS = 64, 110, 48, 15
COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#9c755f", "#edc948")


@dataclass(frozen=True)
class VariableNode:
    """A variable: its name, and its value where evidence gives one."""

    name: str
    known: str | None = None


@dataclass(frozen=True)
class FactorNode:
    """A factor: its kind, its group, the variables it sees, and which of them negated."""

    kind: str
    group: int
    variables: tuple[int, ...]
    negated: tuple[bool, ...]


def draw(variables: Sequence[VariableNode], factors: Sequence[FactorNode]) -> str:
    """The picture as SVG: variables in a row, factors above and below it near what they see."""
    if len(variables) + len(factors) > MOST_NODES:
        raise ArboraError(
            f"{len(variables)} variables and {len(factors)} factors are too many for a picture "
            f"(at most {MOST_NODES} together)"
        )
    places = [MARGIN + STEP * (index + 0.5) for index in range(len(variables))]
    # Those that see few variables go above, global ones below, where their long lines cross less.
    sizes = [len(factor.variables) for factor in factors]
    middle = float(np.median(sizes)) if sizes else 0.0
    below = [size > middle or size > 3 for size in sizes]
    spots: dict[int, tuple[float, float]] = {}
    wide = float(max(MARGIN * 2 + STEP * len(variables), 240))
    for side, row in ((False, MARGIN), (True, MARGIN + 2 * ROW)):
        mine = [index for index in range(len(factors)) if below[index] == side]
        wanted = {
            index: float(np.mean([places[v] for v in factors[index].variables] or [wide / 2]))
            for index in mine
        }
        x = MARGIN - STEP / 2
        for index in sorted(mine, key=lambda index: (wanted[index], index)):
            x = max(x + STEP, wanted[index])
            spots[index] = (x, row)
            wide = max(wide, x + MARGIN + STEP / 2)
    lines = [_edges(factor, spots[index], places) for index, factor in enumerate(factors)]
    nodes = [_variable(node, x) for node, x in zip(variables, places, strict=True)]
    squares = [_factor(factor, spots[index]) for index, factor in enumerate(factors)]
    high = 2 * MARGIN + 2 * ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{high}" '
        f'viewBox="0 0 {wide:.0f} {high}" font-family="sans-serif" font-size="11">\n'
        + "\n".join([*lines, *nodes, *squares])
        + "\n</svg>\n"
    )


def _edges(factor: FactorNode, spot: tuple[float, float], places: Sequence[float]) -> str:
    x, y = spot
    colour = COLOURS[factor.group % len(COLOURS)]
    return "\n".join(
        f'<line x1="{x:.1f}" y1="{y}" x2="{places[v]:.1f}" y2="{MARGIN + ROW}" stroke="{colour}" '
        f'stroke-opacity="0.6"{_dashes(negated)}/>'
        for v, negated in zip(factor.variables, factor.negated, strict=True)
    )


def _dashes(negated: bool) -> str:
    return ' stroke-dasharray="3 3"' if negated else ""


def _variable(node: VariableNode, x: float) -> str:
    y = MARGIN + ROW
    fill = "white" if node.known is None else "#d0d0d0"
    title = node.name if node.known is None else f"{node.name} = {node.known}"
    return (
        f'<g><title>{escape(title)}</title><circle cx="{x:.1f}" cy="{y}" r="{RADIUS}" fill="{fill}" '
        f'stroke="#333"/><text x="{x:.1f}" y="{y + RADIUS + 13}" text-anchor="middle">{escape(node.name)}'
        "</text></g>"
    )


def _factor(factor: FactorNode, spot: tuple[float, float]) -> str:
    x, y = spot
    colour = COLOURS[factor.group % len(COLOURS)]
    return (
        f'<g><title>{escape(factor.kind)}</title><rect x="{x - 9:.1f}" y="{y - 9}" width="18" height="18" '
        f'fill="{colour}"/><text x="{x:.1f}" y="{y - 14 if y == MARGIN else y + 24}" text-anchor="middle">'
        f"{escape(factor.kind)}</text></g>"
    )
