"""How often a process that handles documents looks for cycles of objects that nothing reaches any more."""

from __future__ import annotations

import gc

OBJECTS_BETWEEN_COLLECTIONS = 100_000


def collect_rarely() -> None:
    """Makes this process look for garbage once in 100,000 objects, and never among those that it has now.

    A document leaves no cycles behind, yet so many objects that Python would look for some several times a document, every tenth
    time among a hundred thousand objects of the libraries that are loaded: a quarter of what reading a document costs.
    """
    if 0 < gc.get_threshold()[0] < OBJECTS_BETWEEN_COLLECTIONS:
        gc.freeze()
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
