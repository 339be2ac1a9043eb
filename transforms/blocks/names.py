"""Tables of names, written as plain words."""

from __future__ import annotations


def names(table: str) -> tuple[str, ...]:
    """The names of a table, in its order."""
    return tuple(table.split())


def forms(table: str) -> frozenset[str]:
    """Each name with hyphens, with underscores, and run together."""
    return frozenset(form for name in table.split() for form in (name, name.replace("-", "_"), name.replace("-", "")))
