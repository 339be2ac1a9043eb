"""Rules: measures against thresholds, as a table and one comparison."""

from filters.rules.config import rules_from_config
from filters.rules.guard import GuardConfig, RuleGuardError, check_rules
from filters.rules.judge import ActiveRules, Verdict, first_failure, judge, judge_by, kept
from filters.rules.table import RULES, Level, Rule, RuleConfig

__all__ = [
    "RULES",
    "ActiveRules",
    "GuardConfig",
    "Level",
    "Rule",
    "RuleConfig",
    "RuleGuardError",
    "Verdict",
    "check_rules",
    "first_failure",
    "judge",
    "judge_by",
    "kept",
    "rules_from_config",
]
