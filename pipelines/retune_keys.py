"""Which keys `interleaf retune` may change on a finished run, and what each of the others would need again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from filters.rules import RULES
from pipelines.config import Config
from pipelines.errors import UsageError
from pipelines.run_folder import differences

RETUNABLE = ("rules", "guard", "documents", "language", "output")
"""Sections that are read when stored measures are judged and written."""

NEEDS = {
    "input": "the archives would have to be read again",
    "select": "the archives would have to be read again",
    "extract": "the pages would have to be parsed again",
    "lists": "the texts would have to be measured again",
    "perplexity": "the texts would have to be measured again",
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
        for reason in _refusals(key, asked, old, new):
            raise UsageError(
                f"{key}: {there} in {run}, {asked} asked for: {reason}; leave the key as it is, or make a new run with it "
                f"(`interleaf build … --set {key}={_as_yaml(asked)}`). Retune changes {', '.join(RETUNABLE)}"
            )
    return changes


def _refusals(key: str, asked: Any, old: Config, new: Config) -> Iterator[str]:
    section, _, name = key.partition(".")
    if key == "extract.obelics.require_image" and asked:
        return  # what it leaves out before any image is looked up, documents.require_image leaves out as well
    if section not in RETUNABLE:
        yield NEEDS.get(section, "it is not stored what it decides")
    elif key in ("output.blocks", "output.markdown") and asked and not old.keep_blocks:
        yield "the run has not stored the blocks of its pages"
    elif section == "rules":
        rule = next((rule for rule in RULES if name.startswith(f"{rule}.")), None)
        if rule is not None and RULES[rule].on_demand and old.rules[rule].off and not new.rules[rule].off:
            yield "the run has not measured what the rule is about, since it was off"


def _as_yaml(value: Any) -> str:
    return {None: "null", True: "true", False: "false"}.get(value, str(value)) if not isinstance(value, list) else str(value)
