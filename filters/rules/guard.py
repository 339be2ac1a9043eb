"""A rule that drops nearly everything is taken for a mistake: the run stops before it writes a dataset of leftovers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from filters.rules.table import RULES, RuleConfig


class RuleGuardError(RuntimeError):
    """A rule drops more than the configuration allows; the text says which, and how to go on."""


@dataclass(frozen=True)
class GuardConfig:
    """When a rule stops the run."""

    max_dropped: float | None = field(
        default=0.99, metadata={"help": "share of what a rule is applied to that it may drop, 0 to 1; null: all of it"}
    )
    min_judged: int = field(
        default=1000,
        metadata={"help": "images, paragraphs or documents that must have been judged before a rule stops the run"},
    )

    def __post_init__(self) -> None:
        if self.max_dropped is not None and not 0 <= self.max_dropped <= 1:
            raise ValueError(f"max_dropped: {self.max_dropped} is not allowed; allowed: null, or a share from 0 to 1")
        if self.min_judged < 1:
            raise ValueError(f"min_judged: {self.min_judged} is not allowed; allowed: a whole number of at least 1")


def check_rules(counts: Mapping[str, int], rules: Mapping[str, RuleConfig], config: GuardConfig, run: str) -> None:
    """Looks at what each rule drops of all that its level has in the whole run, so that the answer depends on the data alone.

    counts: `LEVEL/in` and `LEVEL/drop:RULE`, `LEVEL/judged` where not all that come in are judged. run: its folder, for the
    message. `image.available` says what an archive holds, not where somebody put a limit, and stops nothing.

    Raises:
        RuleGuardError: a rule drops more than `max_dropped` of at least `min_judged`.
    """
    if config.max_dropped is None:
        return
    for name, dropped in sorted(counts.items()):
        level, is_drop, rule = name.partition("/drop:")
        judged = counts.get(f"{level}/judged", counts.get(f"{level}/in", 0))
        exempt = rule in RULES and not RULES[rule].guarded
        if is_drop and not exempt and judged >= config.min_judged and dropped > config.max_dropped * judged:
            limits = f" ({_limits(rules[rule])})" if rule in rules else ""
            raise RuleGuardError(
                f"the rule {rule}{limits} drops {dropped:,} of {judged:,} ({level}), more than guard.max_dropped "
                f"({config.max_dropped:.4g}); nothing that was read is lost: `interleaf retune {run} --output NEW` goes on from "
                f"here, with other limits (--set rules.{rule}=…) or with these (--set guard.max_dropped=null)"
            )


def _limits(rule: RuleConfig) -> str:
    named = {"min": rule.min, "max": rule.max, "allowed": rule.allowed}
    return ", ".join(f"{name} {value}" for name, value in named.items() if value is not None)
