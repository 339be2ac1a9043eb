"""Pages whose words are in `<noscript>` only (blocks.md 3.4)."""

from __future__ import annotations

from collections.abc import Callable

LEAST_NOSCRIPT_WORDS = 100
FEWEST_VISIBLE_WORDS = 150


def is_noscript_shell(noscript_words: int, visible_words: Callable[[], int]) -> bool:
    """Whether a page is a shell for a script, and its noscript elements are the page.

    noscript_words: in all of them together. visible_words: outside script, style and noscript; asked only where it decides.
    """
    return noscript_words >= LEAST_NOSCRIPT_WORDS and visible_words() < FEWEST_VISIBLE_WORDS
