"""Measures against limits: the one place where a threshold is compared (filters.md 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Literal

from filters.rules.table import RULES, RULES_OF_LEVEL, Level, OnSkip, Rule, RuleConfig, SkipReason

Measures = Mapping[str, float | int | str | None]
Threshold = float | tuple[str, ...] | None
_Op = Literal[">=", "<=", "<", "in"]
_Outcome = Literal["pass", "fail", "skip"]

# The language code of a text whose language is not known.
_UNKNOWN_LANGUAGE = "und"


# A run makes one for everything that a rule drops, and a frozen one takes ten times as long to make.
@dataclass(slots=True)
class Verdict:
    """One application of one rule (filters.md 1). Not changed once made.

    rule, level, target: rule id; what was judged, and its id. value, op, threshold: the comparison; for a pass between two limits
    the lower one, None where nothing was compared. verdict: `skip` when there is nothing to judge by, then with a reason.
    on_skip: what a skip means by this rule's configuration.
    """

    rule: str
    level: Level
    target: str
    value: float | str | None
    threshold: Threshold
    op: _Op | None
    verdict: _Outcome
    reason: SkipReason | None = None
    on_skip: OnSkip = "keep"

    @property
    def drops(self) -> bool:
        """Whether the thing goes because of this verdict."""
        return self.verdict == "fail" or (self.verdict == "skip" and self.on_skip == "drop" and self.reason != "off")


# value, threshold, op, verdict, reason: what comparing adds to a verdict.
_Application = tuple[float | int | str | None, Threshold, _Op | None, _Outcome, SkipReason | None]


def judge(level: Level, measures: Measures, rules: Mapping[str, RuleConfig], target: str = "") -> tuple[Verdict, ...]:
    """The verdicts of all rules of a level, in the order of the table, whether or not an earlier one fails.

    measures: numbers and names by measure; one that is absent counts as None. rules: limits by rule id; a rule that is absent has
    its default. The verdict follows from stored measures alone, so a finished run can be judged anew.
    """
    return tuple(judge_by(rule_id, measures, rules, target) for rule_id, _ in RULES_OF_LEVEL[level])


def judge_by(rule_id: str, measures: Measures, rules: Mapping[str, RuleConfig], target: str = "") -> Verdict:
    """The verdict of one rule; see `judge`."""
    rule = RULES[rule_id]
    config = rules.get(rule_id, rule.default)
    return Verdict(rule_id, rule.level, target, *_applied(rule, config, measures), config.on_skip)


class ActiveRules:
    """The rules that are on, made ready for things by the thousand: see `first_drop`."""

    def __init__(self, rules: Mapping[str, RuleConfig]) -> None:
        self._rules = rules
        # For each rule: its measure and the limits between which a value passes whatever else is known of the thing, and the rule.
        self._of_level: dict[Level, list[tuple[str | None, float, float, tuple[str, Rule, RuleConfig]]]] = {}
        for level, table in RULES_OF_LEVEL.items():
            self._of_level[level] = [
                (rule.measure if _has_limits_only(rule, config) else None, *_limits(config), (rule_id, rule, config))
                for rule_id, rule in table
                if not (config := rules.get(rule_id, rule.default)).off
            ]

    def max_of(self, rule_id: str) -> float | None:
        """The upper limit of a rule that is on, and configured; None where there is none."""
        config = self._rules.get(rule_id)
        return config.max if config is not None and config.enabled else None

    def first_drop(self, level: Level, measures: Measures, target: str = "") -> Verdict | None:
        """As `first_failure(judge(…))`, at a fraction of the cost: verdicts that change nothing are not written down."""
        value_of = measures.get
        for measure, lower, upper, of_rule in self._of_level[level]:
            if measure is not None and (value := value_of(measure)) is not None and lower <= value <= upper:  # type: ignore[operator]
                continue
            rule_id, rule, config = of_rule
            applied = _applied(rule, config, measures)
            if applied[3] != "pass":
                verdict = Verdict(rule_id, level, target, *applied, config.on_skip)
                if verdict.drops:
                    return verdict
        return None


def first_failure(verdicts: Iterable[Verdict]) -> Verdict | None:
    """The verdict that is named as the cause: the first that drops; None when the thing is kept."""
    return next((verdict for verdict in verdicts if verdict.drops), None)


def kept(verdicts: Iterable[Verdict]) -> bool:
    """Whether no verdict drops the thing."""
    return first_failure(verdicts) is None


def _applied(rule: Rule, config: RuleConfig, measures: Measures) -> _Application:
    value = None if rule.measure is None else measures.get(rule.measure)
    if config.off:
        return value, None, None, "skip", "off"
    category = None if rule.category is None else measures.get(rule.category)
    lower, upper, allowed = config.min, config.max, config.allowed
    unnamed = allowed is not None and category in (None, _UNKNOWN_LANGUAGE)
    forbidden = allowed is not None and not unnamed and category not in allowed
    unbounded = lower is None and upper is None
    if unnamed or (value is None and not unbounded and not forbidden):
        return value, None, None, "skip", _missing_reason(rule, measures)
    if config.min_tokens is not None and _too_short(rule, config.min_tokens, measures):
        return value, None, None, "skip", "too_short"
    if forbidden or unbounded or value is None:
        return category, allowed, "in", "fail" if forbidden else "pass", None
    number = float(value)
    upper_op: _Op = "<" if rule.max_is_exclusive else "<="
    if lower is not None and number < lower:
        return number, lower, ">=", "fail", None
    if upper is not None and (number > upper or (rule.max_is_exclusive and number == upper)):
        return number, upper, upper_op, "fail", None
    if lower is not None:
        return number, lower, ">=", "pass", None
    return number, upper, upper_op, "pass", None


def _has_limits_only(rule: Rule, config: RuleConfig) -> bool:
    """Whether a value between the limits never drops the thing."""
    return rule.category is None and not rule.max_is_exclusive and (config.min_tokens is None or config.on_skip == "keep")


def _limits(config: RuleConfig) -> tuple[float, float]:
    return -inf if config.min is None else config.min, inf if config.max is None else config.max


def _too_short(rule: Rule, min_tokens: int, measures: Measures) -> bool:
    length = None if rule.length is None else measures.get(rule.length)
    return length is not None and float(length) < min_tokens


def _missing_reason(rule: Rule, measures: Measures) -> SkipReason:
    """Why a measure has no value, told from the others."""
    if measures.get("words") == 0:
        return "not_available"
    if rule.by_language and measures.get("language") in (None, _UNKNOWN_LANGUAGE):
        return "unknown_language"
    return rule.missing
