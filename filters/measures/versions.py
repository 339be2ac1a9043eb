"""Which measures these are: a stored number means nothing without the code, the lists and the model that made it (filters.md 1)."""

from __future__ import annotations

import hashlib
from importlib.resources import files

from filters.measures.language import model_file

# Raised whenever a measure gives another number for the same text.
MEASURES_VERSION = 1


def measure_versions() -> dict[str, str]:
    """The version of the measures and the sha256 of each list and model they use, by name; part of the configuration hash."""
    resources = {f"lists/{entry.name}": entry for entry in (files("filters") / "lists").iterdir() if entry.name.endswith(".txt")}
    resources["lid.176.ftz"] = model_file()
    hashes = {name: hashlib.sha256(resource.read_bytes()).hexdigest() for name, resource in resources.items()}
    return {"measures": str(MEASURES_VERSION), **dict(sorted(hashes.items()))}
