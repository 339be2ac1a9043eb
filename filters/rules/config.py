"""Limits from a configuration file, laid over the table's (design.md, Configuration)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from math import isfinite
from typing import Any

from filters.language_codes import normalize_language
from filters.rules.table import RULES, Rule, RuleConfig

ANY = "any"
_ON_SKIP = ("keep", "drop")


def rules_from_config(mapping: Mapping[str, Mapping[str, object] | None] | None) -> dict[str, RuleConfig]:
    """The limits of every rule: the table's defaults, overlaid with `mapping` (rule id -> its keys, or None for off).

    An entry switches its rule on unless it says `enabled: false`; keys that it does not name keep their default; `min: null`
    takes a limit away; `allowed: any` allows all. Raises ValueError for an unknown rule or key, a value of the wrong type, or
    limits that exclude everything.

    >>> rules_from_config({"document.words": {"min": 20}})["document.words"]
    RuleConfig(enabled=True, min=20, max=2000, allowed=None, on_skip='keep', min_tokens=None)
    """
    if mapping is not None and not isinstance(mapping, Mapping):
        raise ValueError(f"rules: expected a mapping of rule ids, got {_shown(mapping)}")
    entries = mapping or {}
    unknown = [rule_id for rule_id in entries if rule_id not in RULES]
    if unknown:
        raise ValueError(f"rules: unknown rule {', '.join(map(repr, unknown))}; known are: {', '.join(RULES)}")
    return {
        rule_id: _overlaid(rule_id, rule, entries[rule_id]) if rule_id in entries else rule.default
        for rule_id, rule in RULES.items()
    }


def _overlaid(rule_id: str, rule: Rule, entry: object) -> RuleConfig:
    where = f"rules.{rule_id}"
    if entry is None:
        return replace(rule.default, enabled=False)
    if not isinstance(entry, Mapping):
        raise ValueError(f"{where}: expected a mapping or null, got {_shown(entry)}")
    allowed_keys = rule_keys(rule)
    for key in entry:
        if key not in allowed_keys:
            raise ValueError(f"{where}: unknown key {key!r}; allowed are: {', '.join(allowed_keys)}")
    changes = {key: _READERS[key](f"{where}.{key}", rule, value) for key, value in entry.items()}
    config = replace(rule.default, **{"enabled": True, **changes})
    if config.min is not None and config.max is not None and config.min > config.max:
        raise ValueError(f"{where}: min {config.min:g} is greater than max {config.max:g}; nothing would pass")
    return config


def rule_keys(rule: Rule) -> tuple[str, ...]:
    """The keys that have a meaning for a rule."""
    meaningless = {
        "min": rule.measure is None,
        "max": rule.measure is None,
        "allowed": rule.category is None,
        "min_tokens": rule.length is None,
    }
    return tuple(field.name for field in fields(RuleConfig) if not meaningless.get(field.name, False))


def _read_enabled(where: str, rule: Rule, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{where}: expected true or false, got {_shown(value)}")
    return value


def _read_limit(where: str, rule: Rule, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise ValueError(f"{where}: expected a number, or null for no limit, got {_shown(value)}")
    return value


def _read_min_tokens(where: str, rule: Rule, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{where}: expected a whole number of 0 or more, or null for none, got {_shown(value)}")
    return value


def _read_on_skip(where: str, rule: Rule, value: object) -> str:
    if value not in _ON_SKIP:
        raise ValueError(f"{where}: expected {' or '.join(_ON_SKIP)}, got {_shown(value)}")
    return str(value)


def _read_allowed(where: str, rule: Rule, value: object) -> tuple[str, ...] | None:
    if value is None or value == ANY:
        return None
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError(f"{where}: expected a list of names with at least one, or {ANY!r}, got {_shown(value)}")
    for name in value:
        if not isinstance(name, str):
            # YAML reads the code of Norwegian, no, as false.
            raise ValueError(f"{where}: expected names, got {_shown(name)}; a name such as no or on needs quotes in YAML")
    if rule.category != "language":
        return tuple(name.lower() for name in value)
    try:
        return tuple(normalize_language(name) for name in value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def _shown(value: object) -> str:
    return f"{value!r} ({type(value).__name__})"


_READERS: Mapping[str, Any] = {
    "enabled": _read_enabled,
    "min": _read_limit,
    "max": _read_limit,
    "allowed": _read_allowed,
    "on_skip": _read_on_skip,
    "min_tokens": _read_min_tokens,
}
