"""How inputs are read: what a run may set, and what is set for all runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from transforms.archives.formats import FormatChoice
from transforms.archives.tables import TableConfig

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Largest body that is read, in bytes, as stored and as decoded. image_bytes: of images; html_bytes: of everything else."""

    html_bytes: int = 10 * MEBIBYTE
    image_bytes: int = 20 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How inputs are read. format: of all files, or `auto`. table: columns of tables. limits: of bodies."""

    format: FormatChoice = "auto"
    table: TableConfig = field(default_factory=TableConfig)
    limits: ReadLimits = field(default_factory=ReadLimits)
