"""Codes of languages: those of the language model, and what else means the same."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files


def normalize_language(code: str) -> str:
    """The model's code of a language named by any ISO 639 code or language tag: `eng`, `en-GB` and `EN` are `en`.

    Raises ValueError for a code that no language of the model has: a list with it would silently drop everything.
    """
    known = _known_codes()
    label = known.get(code.strip().lower().replace("_", "-").partition("-")[0])
    if label is None:
        allowed = ", ".join(sorted(set(known.values())))
        raise ValueError(f"unknown language code {code!r}; known are ISO 639 codes of: {allowed}")
    return label


@cache
def _known_codes() -> dict[str, str]:
    """Every code of `lists/languages.txt` -> the model's label."""
    text = (files("filters") / "lists" / "languages.txt").read_text(encoding="utf-8")
    rows: Iterable[list[str]] = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {code: row[0] for row in rows for code in row}
