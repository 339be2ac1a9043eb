"""What a run may set of how main content is chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class MainContentConfig:
    """How the main content of a page is chosen."""

    method: Literal["model", "rules", "off"] = field(
        default="model",
        metadata={"help": "model: learned from pages with ground truth; rules: landmarks, widgets, runs of text; off: all"},
    )
    threshold: float | None = field(
        default=None, metadata={"help": "least probability of a block that stays, 0 to 1; null: by how clear the page is"}
    )

    retunable: bool = field(
        default=False,
        metadata={
            "help": "store all blocks of every page that passes the gate and look up all their images, at most 20 times "
            "images.max_per_page, so that `interleaf retune` can change threshold; method model only"
        },
    )

    def __post_init__(self) -> None:
        if self.retunable and self.method != "model":
            raise ValueError(f"retunable: true is not allowed with method: {self.method}; it gives no probabilities to choose by")
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold: {self.threshold} is not allowed; allowed: null, or a number from 0 to 1")
