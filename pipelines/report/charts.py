"""Charts of the report as inline SVG: no script, colours by the classes of the page's style."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from filters.rules import RuleConfig

WIDTH, HEIGHT = 320, 110
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 8, 8, 18
_POINTS = 80
_LOG_SPAN = 200
"""Values that span more than this factor stand on a logarithmic axis."""

_SHARES = (0.99, 0.95, 0.9, 0.75, 0.5)

Values = np.ndarray[Any, np.dtype[np.float64]]


def threshold_curve(values: Values, config: RuleConfig) -> str:
    """What would be kept with the limit at each value: a line for a minimum, another for a maximum, the limits as verticals.

    values: sorted. A share is of the things that have a value.
    """
    bounds = [limit for limit in (config.min, config.max) if limit is not None]
    low, high = float(np.quantile(values, 0.005)), float(np.quantile(values, 0.995))
    low, high = min([low, *(b for b in bounds if b >= values[0])]), max([high, *(b for b in bounds if b <= values[-1])])
    if low == high:
        low, high = low - 0.5, high + 0.5
    axis = _Axis(low, high)
    at = axis.points()
    parts = [f'<svg class=curve viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><title>share kept by the limit</title>']
    for share in (0, 0.5, 1):
        y = _y(share)
        parts.append(f'<line class=grid x1="{_LEFT}" y1="{y:.1f}" x2="{WIDTH - _RIGHT}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 4}" y="{y + 3.5:.1f}" text-anchor="end">{share:.0%}</text>')
    for name, limit in (("min", config.min), ("max", config.max)):
        if limit is None and (config.min is not None or config.max is not None):
            continue
        shares = kept_shares(values, at, name)
        path = " ".join(f"{axis.x(v):.1f},{_y(s):.1f}" for v, s in zip(at.tolist(), shares.tolist(), strict=True))
        parts.append(f'<polyline class="line {name}" points="{path}"/>')
        if limit is not None and low <= limit <= high:
            x, share = axis.x(limit), float(kept_shares(values, np.array([limit]), name)[0])
            parts.append(f'<line class="limit {name}" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{HEIGHT - _BOTTOM}"/>')
            parts.append(f'<circle class="dot {name}" cx="{x:.1f}" cy="{_y(share):.1f}" r="3"/>')
    for value, anchor in ((low, "start"), (high, "end")):
        parts.append(f'<text x="{axis.x(value):.1f}" y="{HEIGHT - 4}" text-anchor="{anchor}">{number(value)}</text>')
    middle = axis.middle()
    parts.append(f'<text x="{axis.x(middle):.1f}" y="{HEIGHT - 4}" text-anchor="middle">{number(middle)}</text></svg>')
    return "".join(parts)


def limits_by_share(values: Values, name: str) -> Iterator[tuple[float, float]]:
    """(share, limit): with the limit there, about this share is kept. name: `min` or `max`."""
    for share in _SHARES:
        yield share, float(np.quantile(values, 1 - share if name == "min" else share, method="nearest"))


def kept_shares(values: Values, at: Values, name: str) -> Values:
    """The share of sorted values that a limit at each of `at` keeps.

    >>> kept_shares(np.array([1.0, 2.0, 2.0, 4.0]), np.array([2.0, 3.0]), "min").tolist()
    [0.75, 0.25]
    """
    if name == "min":
        return 1 - np.searchsorted(values, at, side="left") / len(values)
    return np.searchsorted(values, at, side="right") / len(values)


def bar(kept: float, dropped: float, whole: float) -> str:
    """A bar of what is kept and what is dropped, as shares of a whole."""
    shares = [100 * part / whole if whole else 0 for part in (kept, dropped)]
    return f'<span class=bar><i style="width:{shares[0]:.2f}%"></i><b style="width:{shares[1]:.2f}%"></b></span>'


def number(value: float | None) -> str:
    """A number for people: about three digits."""
    if value is None:
        return ""
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


class _Axis:
    """Values on a horizontal axis, logarithmic where they span orders of magnitude."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.is_log = low > 0 and high / low > _LOG_SPAN

    def points(self) -> Values:
        return np.geomspace(self.low, self.high, _POINTS) if self.is_log else np.linspace(self.low, self.high, _POINTS)

    def middle(self) -> float:
        return float(np.sqrt(self.low * self.high)) if self.is_log else (self.low + self.high) / 2

    def x(self, value: float) -> float:
        low, high, at = (np.log(v) for v in (self.low, self.high, value)) if self.is_log else (self.low, self.high, value)
        return float(_LEFT + (WIDTH - _LEFT - _RIGHT) * (at - low) / (high - low))


def _y(share: float) -> float:
    return _TOP + (HEIGHT - _TOP - _BOTTOM) * (1 - share)
