"""Charts as SVG: lines and bars, enough for the figures of the experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10

COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#9c755f", "#edc948", "#ff9da7")
WIDE, HIGH = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 40, 55


class _Axis:
    """A range of values on a range of pixels, linear or logarithmic."""

    def __init__(
        self, values: Sequence[float], start: float, end: float, *, logarithmic: bool = False
    ) -> None:
        self.logarithmic = logarithmic
        low, high = (min(values), max(values)) if values else (1.0, 10.0)
        if logarithmic:
            low, high = floor(log10(low)), ceil(log10(high))
            high += low == high
        elif low == high:
            low, high = low - 0.5, high + 0.5
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        at = log10(value) if self.logarithmic else value
        return self.start + (at - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """About five round values."""
        if self.logarithmic:
            return [10.0**power for power in range(int(self.low), int(self.high) + 1)]
        step = 10 ** floor(log10((self.high - self.low) / 4))
        step = next(
            step * factor for factor in (1, 2, 5, 10) if (self.high - self.low) / (step * factor) <= 6
        )
        first = ceil(self.low / step - 1e-9)
        return [step * k for k in range(first, floor(self.high / step + 1e-9) + 1)]


def line_chart(
    title: str,
    axes: tuple[str, str],
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    log_x: bool = False,
    log_y: bool = False,
    from_zero: bool = True,
) -> str:
    """Lines through points, one colour a series, with a legend; the axis of values shows 0 ``from_zero``.

    >>> line_chart("Growth", ("n", "seconds"), {"tree": [(1, 2), (2, 4)]}).count("<polyline")
    1
    """
    points = [
        (x, y) for line in series.values() for x, y in line if (x > 0 or not log_x) and (y > 0 or not log_y)
    ]
    across = _Axis([x for x, _ in points], LEFT, WIDE - RIGHT, logarithmic=log_x)
    up = _Axis(
        [y for _, y in points] + ([0.0] if from_zero and not log_y else []),
        HIGH - BOTTOM,
        TOP,
        logarithmic=log_y,
    )
    drawn = [_frame(title, axes, across, up)]
    for index, (name, line) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        kept = [(across(x), up(y)) for x, y in line if (x, y) in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in kept)
        drawn.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        drawn += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in kept]
        drawn.append(_legend(index, name, colour))
    return _svg(drawn)


def bar_chart(title: str, axis: str, labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """Groups of bars, one for each label, in them one for each series.

    >>> bar_chart("Certified", "share", ["ad3"], {"sibling": [0.5]}).count("<rect")
    3
    """
    values = [value for row in series.values() for value in row]
    across = _Axis([0.0, float(max(len(labels), 1))], LEFT, WIDE - RIGHT)
    up = _Axis([0.0, *values], HIGH - BOTTOM, TOP)
    drawn = [_frame(title, ("", axis), None, up)]
    wide = 0.8 / max(len(series), 1)
    for index, (name, row) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        for place, value in enumerate(row):
            x = across(place + 0.1 + index * wide)
            drawn.append(
                f'<rect x="{x:.1f}" y="{up(value):.1f}" width="{across(wide) - across(0):.1f}" '
                f'height="{up(0) - up(value):.1f}" fill="{colour}"/>'
            )
        drawn.append(_legend(index, name, colour))
    for place, label in enumerate(labels):
        drawn.append(
            f'<text x="{across(place + 0.5):.1f}" y="{HIGH - BOTTOM + 18}" text-anchor="middle">'
            f"{escape(label)}</text>"
        )
    return _svg(drawn)


def _frame(title: str, axes: tuple[str, str], across: _Axis | None, up: _Axis) -> str:
    middle, across_middle = (TOP + HIGH - BOTTOM) / 2, (LEFT + WIDE - RIGHT) / 2
    lines = [
        f'<text x="{LEFT}" y="{TOP - 16}" font-size="15">{escape(title)}</text>',
        f'<text x="{across_middle}" y="{HIGH - 12}" text-anchor="middle">{escape(axes[0])}</text>',
        f'<text transform="translate(16,{middle}) rotate(-90)" text-anchor="middle">{escape(axes[1])}</text>',
    ]
    for tick in up.ticks():
        y = up(tick)
        lines.append(f'<line x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for tick in across.ticks() if across else []:
        x = across(tick)  # type: ignore[misc]  # there are ticks only if there is an axis
        lines.append(f'<text x="{x:.1f}" y="{HIGH - BOTTOM + 18}" text-anchor="middle">{tick:g}</text>')
    return "\n".join(lines)


def _legend(index: int, name: str, colour: str) -> str:
    y = TOP + 18 * index
    return (
        f'<rect x="{WIDE - RIGHT + 14}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
        f'<text x="{WIDE - RIGHT + 30}" y="{y}">{escape(name)}</text>'
    )


def _svg(drawn: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" '
        'font-family="sans-serif" font-size="12">\n'
        f'<rect width="{WIDE}" height="{HIGH}" fill="white"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )
