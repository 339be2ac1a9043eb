"""Rules: measures against limits (filters.md 1, 3, 4; test F8)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.rules import RULES, ActiveRules, Rule, RuleConfig, Verdict, first_failure, judge, kept, rules_from_config

COUNTS = {"available", "words", "images", "width", "height", "url_words"}


def verdict_of(rule_id: str, measures: dict[str, float | int | str | None], config: RuleConfig | None = None) -> Verdict:
    rules = {} if config is None else {rule_id: config}
    return next(verdict for verdict in judge(RULES[rule_id].level, measures, rules) if verdict.rule == rule_id)


def steps_around(rule: Rule, limit: float) -> tuple[float, float]:
    if rule.measure in COUNTS:
        return limit - 1, limit + 1
    return math.nextafter(limit, -math.inf), math.nextafter(limit, math.inf)


def limit_cases() -> Iterator[tuple[str, float, str]]:
    """(rule, value, verdict): each limit at the value, one step below, one above."""
    for rule_id, rule in RULES.items():
        at_max = "fail" if rule.max_is_exclusive else "pass"
        if rule.default.min is not None:
            below, above = steps_around(rule, rule.default.min)
            yield from ((rule_id, below, "fail"), (rule_id, rule.default.min, "pass"), (rule_id, above, "pass"))
        if rule.default.max is not None:
            below, above = steps_around(rule, rule.default.max)
            yield from ((rule_id, below, "pass"), (rule_id, rule.default.max, at_max), (rule_id, above, "fail"))


@pytest.mark.parametrize(("rule_id", "value", "expected"), list(limit_cases()))
def test_limits_are_inclusive(rule_id: str, value: float, expected: str) -> None:
    rule = RULES[rule_id]
    assert rule.measure is not None
    config = RuleConfig(min=rule.default.min, max=rule.default.max)
    verdict = verdict_of(rule_id, {rule.measure: value, "language": "en"}, config)
    if expected == "pass" and rule.measure == "available" and value > 1:
        return  # there is no such value
    assert verdict.verdict == expected
    assert verdict.value == value
    if expected == "fail":
        below = rule.default.min is not None and value < rule.default.min
        assert verdict.threshold == (rule.default.min if below else rule.default.max)
        assert verdict.op == (">=" if below else "<" if rule.max_is_exclusive else "<=")


# filters.md 3 and 4, spelt out: what the table must say.
SPEC = {
    "image.available": RuleConfig(min=1),
    "image.format": RuleConfig(allowed=("jpeg", "png", "webp")),
    "image.width": RuleConfig(min=150, max=20_000),
    "image.height": RuleConfig(min=150, max=20_000),
    "image.rendered_width": RuleConfig(min=150, max=20_000),
    "image.rendered_height": RuleConfig(min=150, max=20_000),
    "image.aspect": RuleConfig(min=0.5, max=2),
    "image.url_words": RuleConfig(max=0),
    "image.nsfw": RuleConfig(enabled=False, max=0.8),
    "paragraph.words": RuleConfig(min=4, max=1_000),
    "paragraph.char_repetition": RuleConfig(max=0.1),
    "paragraph.word_repetition": RuleConfig(max=0.1),
    "paragraph.special_chars": RuleConfig(max=0.3),
    "paragraph.stop_words": RuleConfig(min=0.3),
    "paragraph.flagged_words": RuleConfig(max=0.01),
    "paragraph.punctuation": RuleConfig(min=0.001, min_tokens=12),
    "paragraph.common_words": RuleConfig(min=0.8),
    "paragraph.language": RuleConfig(enabled=False, min=0.8),
    "paragraph.perplexity": RuleConfig(enabled=False, max=1_500),
    "paragraph.spam_words": RuleConfig(enabled=False, max=0.12),
    "document.images": RuleConfig(min=1, max=30),
    "document.words": RuleConfig(min=10, max=2_000),
    "document.char_repetition": RuleConfig(max=0.1),
    "document.word_repetition": RuleConfig(max=0.2),
    "document.special_chars": RuleConfig(max=0.275),
    "document.stop_words": RuleConfig(min=0.35),
    "document.flagged_words": RuleConfig(max=0.01),
    "document.punctuation": RuleConfig(min=0.03),
    "document.common_words": RuleConfig(min=0.9),
    "document.language": RuleConfig(min=0.8, min_tokens=20),
    "document.perplexity": RuleConfig(enabled=False, max=1_500),
}


def test_the_table_has_the_limits_of_the_spec_in_its_order() -> None:
    assert [(rule_id, rule.default) for rule_id, rule in RULES.items()] == list(SPEC.items())
    assert all(rule_id.startswith(f"{rule.level}.") for rule_id, rule in RULES.items())


@pytest.mark.parametrize(
    ("rule_id", "measures", "reason"),
    [
        ("paragraph.stop_words", {"words": 9, "language": "und"}, "unknown_language"),
        ("paragraph.stop_words", {"words": 9}, "unknown_language"),
        ("paragraph.stop_words", {"words": 9, "language": "zu"}, "no_list"),
        ("paragraph.stop_words", {"words": 0, "language": "en"}, "not_available"),
        ("paragraph.flagged_words", {"words": 9, "language": "en"}, "no_list"),
        ("paragraph.common_words", {"words": 9, "language": "en"}, "no_list"),
        ("paragraph.word_repetition", {"words": 9, "language": "und"}, "no_list"),
        ("paragraph.punctuation", {"words": 9, "punctuation_ratio": 0.0, "marks_and_tokens": 11}, "too_short"),
        ("paragraph.punctuation", {"words": 9, "language": "th"}, "not_available"),
        ("paragraph.perplexity", {"words": 9, "perplexity": 100.0}, "off"),
        ("paragraph.spam_words", {"words": 9, "spam_word_ratio": 1.0, "language": "en"}, "off"),
        ("document.language", {"words": 99, "language": "und"}, "unknown_language"),
        ("document.language", {"words": 19, "language": "en", "language_score": 0.1}, "too_short"),
        ("document.images", {}, "not_available"),
        ("image.format", {"format": None}, "not_available"),
    ],
)
def test_a_skip_says_why(rule_id: str, measures: dict[str, float | int | str | None], reason: str) -> None:
    verdict = verdict_of(rule_id, measures)
    assert (verdict.verdict, verdict.reason, verdict.threshold, verdict.op) == ("skip", reason, None, None)
    assert not verdict.drops


def test_perplexity_without_a_model_skips_when_on() -> None:
    verdict = verdict_of("document.perplexity", {"words": 9, "language": "en"}, RuleConfig(max=500))
    assert verdict.reason == "no_model"


@pytest.mark.parametrize(("tokens", "verdict"), [(11, "skip"), (12, "fail"), (13, "fail")])
def test_punctuation_of_a_paragraph_is_judged_from_12_tokens(tokens: int, verdict: str) -> None:
    measures: dict[str, float | int | str | None] = {"words": 9, "punctuation_ratio": 0.0, "marks_and_tokens": tokens}
    assert verdict_of("paragraph.punctuation", measures).verdict == verdict
    assert verdict_of("document.punctuation", measures).verdict == "fail"


@pytest.mark.parametrize(
    ("language", "score", "allowed", "on_skip", "drops", "value", "op"),
    [
        ("en", 0.8, ("en",), "keep", False, 0.8, ">="),
        ("en", 0.79, ("en",), "keep", True, 0.79, ">="),
        ("fr", 0.99, ("en",), "keep", True, "fr", "in"),
        ("fr", 0.5, ("en",), "keep", True, "fr", "in"),
        ("fr", None, ("en",), "keep", True, "fr", "in"),
        ("fr", 0.9, ("en", "fr"), "keep", False, 0.9, ">="),
        ("fr", 0.9, None, "keep", False, 0.9, ">="),
        ("und", None, ("en",), "keep", False, None, None),
        ("und", None, ("en",), "drop", True, None, None),
        ("und", None, None, "drop", True, None, None),
    ],
)
def test_language_is_allowed_and_certain(
    language: str, score: float | None, allowed: tuple[str, ...] | None, on_skip: str, drops: bool, value: object, op: object
) -> None:
    config = RuleConfig(min=0.8, allowed=allowed, on_skip=on_skip)  # type: ignore[arg-type]
    verdict = verdict_of("document.language", {"words": 99, "language": language, "language_score": score}, config)
    assert (verdict.drops, verdict.value, verdict.op) == (drops, value, op)
    assert verdict.drops == (first_failure([verdict]) is verdict)


def test_language_may_be_judged_by_name_alone() -> None:
    config = RuleConfig(allowed=("en",))
    measures: dict[str, float | int | str | None] = {"words": 99, "language": "en", "language_score": 0.2}
    assert verdict_of("document.language", measures, config) == Verdict(
        "document.language", "document", "", "en", ("en",), "in", "pass"
    )


@pytest.mark.parametrize(("image_format", "outcome"), [("png", "pass"), ("gif", "fail")])
def test_format_is_one_of_a_list(image_format: str, outcome: str) -> None:
    assert verdict_of("image.format", {"format": image_format}) == Verdict(
        "image.format",
        "image",
        "",
        image_format,
        ("jpeg", "png", "webp"),
        "in",
        outcome,  # type: ignore[arg-type]
    )


def test_zero_is_a_limit_and_none_is_not() -> None:
    measures: dict[str, float | int | str | None] = {"images": 0}
    assert verdict_of("document.images", measures, RuleConfig(min=0, max=0)).verdict == "pass"
    assert verdict_of("document.images", {"images": 1}, RuleConfig(min=0, max=0)).verdict == "fail"
    assert verdict_of("document.images", measures, RuleConfig(max=30)).verdict == "pass"
    assert verdict_of("document.images", measures, RuleConfig()).reason == "off"


def test_a_switched_off_rule_drops_nothing_and_keeps_its_value() -> None:
    verdict = verdict_of("document.images", {"images": 99}, RuleConfig(enabled=False, min=1, max=30, on_skip="drop"))
    assert (verdict.verdict, verdict.reason, verdict.value, verdict.drops) == ("skip", "off", 99, False)


def test_all_rules_are_evaluated_and_the_first_failure_is_named() -> None:
    measures = {"words": 2, "char_repetition_ratio": 0.5, "special_char_ratio": 0.9, "language": "und"}
    verdicts = judge("paragraph", measures, {}, target="node 3")
    assert [verdict.rule for verdict in verdicts] == [rule_id for rule_id in RULES if rule_id.startswith("paragraph.")]
    failures = [verdict.rule for verdict in verdicts if verdict.verdict == "fail"]
    assert failures == ["paragraph.words", "paragraph.char_repetition", "paragraph.special_chars"]
    assert {verdict.target for verdict in verdicts} == {"node 3"}
    failure = first_failure(verdicts)
    assert failure is not None
    assert failure.rule == "paragraph.words"
    assert not kept(verdicts)
    assert kept(verdicts[7:])


@given(
    st.sampled_from(["image", "paragraph", "document"]),
    st.dictionaries(
        st.sampled_from(
            [
                "words",
                "special_char_ratio",
                "stop_word_ratio",
                "language",
                "format",
                "width",
                "images",
                "punctuation_ratio",
                "marks_and_tokens",
                "spam_word_ratio",
            ]
        ),
        st.one_of(st.none(), st.floats(0, 1), st.integers(0, 3000), st.sampled_from(["en", "und", "gif", "jpeg"])),
    ),
)
def test_the_first_drop_is_the_first_failure_of_all_verdicts(level: str, measures: dict[str, object]) -> None:
    names = {"language", "format"}
    measures = {k: v for k, v in measures.items() if v is None or isinstance(v, str) == (k in names)}
    skipped = {"document.language", "image.format", "paragraph.punctuation", "image.width"}
    rules = rules_from_config({**{rule: {"on_skip": "drop"} for rule in skipped}, "paragraph.spam_words": {"max": 0.5}})
    assert ActiveRules(rules).first_drop(level, measures) == first_failure(judge(level, measures, rules))  # type: ignore[arg-type]
