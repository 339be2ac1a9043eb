"""Which keys `interleaf retune` may change on a finished run, from which stage on it is made again, and what others would need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from filters.rules import RULES
from pipelines.config import Config
from pipelines.errors import UsageError
from pipelines.run_folder import differences

JUDGING, MEASURING = ("data",), ("scored", "data")
"""The stages that are made again: those that judge stored measures, or those that measure stored documents as well."""

STAGES_OF = {
    "rules": JUDGING,
    "guard": JUDGING,
    "documents": JUDGING,
    "language": JUDGING,
    "output": JUDGING,
    "lists": MEASURING,
    "perplexity": MEASURING,
}
"""The sections that may be changed, each with the stages that read it."""

THRESHOLD = "extract.main_content.threshold"
"""May be changed where a run has stored what it did not choose."""

NEEDS = {
    "input": "the archives would have to be read again",
    "select": "the archives would have to be read again",
    "extract": "the pages would have to be parsed again",
    "images": "the images would have to be fetched and looked at again",
}
"""What the other sections decide, which is not stored."""


def check_retunable(old: Config, new: Config, run: str) -> list[tuple[str, Any, Any]]:
    """The keys that differ, with both values.

    Raises:
        UsageError: one of them needs more than the run has stored; names the key, both values and the remedy.
    """
    changes = differences(old.as_dict(), new.as_dict())
    # The profile first: its own keys follow from it.
    for key, there, asked in sorted(changes, key=lambda change: change[0] != "extract.profile"):
        reason = _refusal(key, asked, old)
        if reason is not None:
            remedy = "extract.main_content.retunable=true" if key == THRESHOLD else f"{key}={_as_yaml(asked)}"
            raise UsageError(
                f"{key}: {there} in {run}, {asked} asked for: {reason}; leave the key as it is, or make a new run with it "
                f"(`interleaf build … --set {remedy}`). Retune changes {', '.join(STAGES_OF)}, and {THRESHOLD} of a retunable run"
            )
    return changes


def stages_to_make(changed: Iterable[str], old: Config, new: Config) -> tuple[str, ...]:
    """The stages that a retune makes again for these keys."""
    return max((JUDGING, *(_stages_that_read(key, old, new) for key in changed)), key=len)


def _stages_that_read(key: str, old: Config, new: Config) -> tuple[str, ...]:
    section, _, name = key.partition(".")
    rule = next((rule for rule in RULES if section == "rules" and name.startswith(f"{rule}.")), None)
    if key == THRESHOLD:
        return MEASURING
    if rule is not None and RULES[rule].on_demand and old.rules[rule].off and not new.rules[rule].off:
        return MEASURING  # what it is about is measured only where it is on
    return STAGES_OF.get(section, JUDGING)


def _refusal(key: str, asked: Any, old: Config) -> str | None:
    section = key.partition(".")[0]
    if key == "extract.obelics.require_image" and asked:
        return None  # what it leaves out before any image is looked up, documents.require_image leaves out as well
    if key == THRESHOLD:
        if old.extract.main_content.retunable:
            return None
        return "the run has not stored the blocks that were left out, nor looked up their images"
    if section not in STAGES_OF:
        return NEEDS.get(section, "it is not stored what it decides")
    if key in ("output.blocks", "output.markdown") and asked and not old.keep_blocks:
        return "the run has not stored the blocks of its pages"
    return None


def _as_yaml(value: Any) -> str:
    return {None: "null", True: "true", False: "false"}.get(value, str(value)) if not isinstance(value, list) else str(value)
