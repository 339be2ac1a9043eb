"""Where the shipped model is, and which it is. Light: reading a model needs numpy, naming it does not."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path

FILE = "main_content.json"
VERSION_DIGITS = 16


def model_path() -> Path:
    """The model file that comes with the package."""
    return Path(str(resources.files("configs").joinpath("models", FILE)))


def model_version() -> str:
    """The version of the shipped model."""
    return version_of(model_path().read_bytes())


def version_of(content: bytes) -> str:
    """The beginning of the hash of a model file; stored with what the model decided."""
    return hashlib.sha256(content).hexdigest()[:VERSION_DIGITS]
