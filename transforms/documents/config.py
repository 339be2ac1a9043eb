"""What a run may set of how a page becomes a document; the steps themselves are in `extract`, which takes longer to import."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from transforms.blocks.main_content.config import MainContentConfig
from transforms.html.limits import LimitsConfig
from transforms.html.readerable import GateConfig
from transforms.html.simplify_tags import ObelicsConfig
from transforms.html.text_length import SCRIPT_LENGTH_SCALE
from transforms.images.mentions import ReferenceConfig


@dataclass(frozen=True)
class ExtractConfig:
    """How a page becomes a document."""

    profile: Literal["default", "obelics"] = field(
        default="default",
        metadata={"help": "default: documents are made of blocks; obelics: of what OBELICS's rules leave of the page (obelics.md)"},
    )
    isolation: Literal["process", "none"] = field(
        default="process", metadata={"help": "process: in a process that a page may crash or block; none: in the run's own"}
    )
    gate: GateConfig = field(
        default_factory=lambda: GateConfig(script_length_scale=SCRIPT_LENGTH_SCALE),
        metadata={"help": "the readerable gate (readerable.md), with lengths that are fair to every script"},
    )
    limits: LimitsConfig = field(default_factory=LimitsConfig, metadata={"help": "what a page may cost (parser.md)"})
    main_content: MainContentConfig = field(
        default_factory=MainContentConfig, metadata={"help": "which blocks of the profile default are what a reader came for"}
    )
    obelics: ObelicsConfig = field(default_factory=ObelicsConfig, metadata={"help": "settings of the profile obelics"})
    references: ReferenceConfig = field(default_factory=ReferenceConfig, metadata={"decided_by": "images"})

    def __post_init__(self) -> None:
        if self.main_content.retunable and self.profile != "default":
            raise ValueError(f"main_content.retunable: true is not allowed with profile: {self.profile}, which has no main content")
