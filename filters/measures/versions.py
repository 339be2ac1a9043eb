"""Which measures these are: a stored number means nothing without the code, the lists and the model that made it (filters.md 1)."""

from __future__ import annotations

import hashlib
from importlib.resources import files

from filters.flagged_words import FOLDER
from filters.measures.language import model_file

# Raised whenever a measure gives another number for the same text, or one more is stored.
MEASURES_VERSION = 4


def measure_versions() -> dict[str, str]:
    """The version of the measures and the sha256 of each list and model they use, by name; part of the configuration hash."""
    lists = files("filters") / "lists"
    resources = {f"lists/{entry.name}": entry for entry in lists.iterdir() if entry.name.endswith(".txt")}
    flagged = (lists / FOLDER).iterdir()
    resources |= {f"lists/{FOLDER}/{entry.name}": entry for entry in flagged if entry.name.endswith(".json")}
    resources["lid.176.ftz"] = model_file()
    hashes = {name: hashlib.sha256(resource.read_bytes()).hexdigest() for name, resource in resources.items()}
    return {"measures": str(MEASURES_VERSION), **dict(sorted(hashes.items()))}
