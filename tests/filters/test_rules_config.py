"""Limits from a configuration file."""

from __future__ import annotations

import pytest

from filters.rules import RULES, RuleConfig, rules_from_config


def test_nothing_configured_gives_the_table() -> None:
    defaults = {rule_id: rule.default for rule_id, rule in RULES.items()}
    assert rules_from_config({}) == rules_from_config(None) == defaults


@pytest.mark.parametrize(
    ("rule_id", "entry", "expected"),
    [
        ("document.words", {"min": 20}, RuleConfig(min=20, max=2_000)),
        ("document.words", {"min": 0, "max": None}, RuleConfig(min=0)),
        ("document.words", {"max": 10}, RuleConfig(min=10, max=10)),
        ("document.words", None, RuleConfig(enabled=False, min=10, max=2_000)),
        ("document.words", {"enabled": False}, RuleConfig(enabled=False, min=10, max=2_000)),
        ("document.words", {}, RuleConfig(min=10, max=2_000)),
        ("image.aspect", {"min": 0.5, "max": 2, "on_skip": "drop"}, RuleConfig(min=0.5, max=2, on_skip="drop")),
        ("image.format", {"allowed": ["PNG"]}, RuleConfig(allowed=("png",))),
        ("image.format", {"allowed": "any"}, RuleConfig()),
        ("document.language", {"allowed": ["eng", "pt-BR"], "on_skip": "drop"},
         RuleConfig(min=0.8, min_tokens=20, allowed=("en", "pt"), on_skip="drop")),
        ("document.language", {"allowed": "any", "min_tokens": None}, RuleConfig(min=0.8)),
        ("paragraph.punctuation", {"min_tokens": 5}, RuleConfig(min=0.001, min_tokens=5)),
        ("paragraph.perplexity", {"max": 700}, RuleConfig(max=700)),  # naming a rule switches it on
        ("paragraph.spam_words", {"enabled": True}, RuleConfig(max=0.12)),
    ],
)  # fmt: skip
def test_an_entry_is_laid_over_the_default(rule_id: str, entry: dict[str, object] | None, expected: RuleConfig) -> None:
    rules = rules_from_config({rule_id: entry})
    assert rules[rule_id] == expected
    assert all(rules[other] == RULES[other].default for other in RULES if other != rule_id)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"document.wordz": {"min": 1}}, r"unknown rule 'document.wordz'; known are: image.available, .*document.perplexity"),
        (
            {"document.words": {"minimum": 1}},
            r"rules.document.words: unknown key 'minimum'; allowed are: enabled, min, max, on_skip",
        ),
        ({"document.words": {"allowed": ["a"]}}, r"unknown key 'allowed'; allowed are: enabled, min, max, on_skip"),
        ({"document.words": {"min_tokens": 3}}, r"unknown key 'min_tokens'"),
        ({"image.format": {"min": 3}}, r"unknown key 'min'; allowed are: enabled, allowed, on_skip"),
        ({"document.words": {"min": "20"}}, r"rules.document.words.min: expected a number, or null for no limit, got '20' \(str\)"),
        ({"document.words": {"min": True}}, r"rules.document.words.min: expected a number.*got True \(bool\)"),
        ({"document.words": {"max": float("nan")}}, r"rules.document.words.max: expected a number"),
        ({"document.words": {"max": float("inf")}}, r"rules.document.words.max: expected a number"),
        ({"document.words": {"enabled": "yes"}}, r"rules.document.words.enabled: expected true or false, got 'yes'"),
        ({"document.words": {"on_skip": "skip"}}, r"rules.document.words.on_skip: expected keep or drop, got 'skip'"),
        ({"document.words": {"min": 30, "max": 20}}, r"rules.document.words: min 30 is greater than max 20"),
        ({"document.words": {"min": 3000}}, r"rules.document.words: min 3000 is greater than max 2000"),
        ({"document.words": 20}, r"rules.document.words: expected a mapping or null, got 20 \(int\)"),
        ({"paragraph.punctuation": {"min_tokens": -1}}, r"min_tokens: expected a whole number of 0 or more"),
        ({"paragraph.punctuation": {"min_tokens": 1.5}}, r"min_tokens: expected a whole number of 0 or more"),
        ({"image.format": {"allowed": "png"}}, r"rules.image.format.allowed: expected a list of names.*got 'png'"),
        ({"image.format": {"allowed": []}}, r"rules.image.format.allowed: expected a list of names with at least one"),
        ({"document.language": {"allowed": [False]}}, r"expected names, got False \(bool\).*quotes in YAML"),
        ({"document.language": {"allowed": ["en", "xyz"]}}, r"rules.document.language.allowed: unknown language code 'xyz'"),
        (["document.words"], r"rules: expected a mapping of rule ids, got \['document.words'\] \(list\)"),
    ],
)
def test_errors_name_what_was_given_and_what_is_allowed(mapping: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules_from_config(mapping)  # type: ignore[arg-type]
