"""A rule that drops nearly everything stops the run; nothing else does."""

from __future__ import annotations

import pytest

from filters.rules import GuardConfig, RuleConfig, RuleGuardError, check_rules

RULES = {"paragraph.words": RuleConfig(min=900, max=1000), "image.available": RuleConfig(min=1)}


def counts(level: str, rule: str, judged: int, dropped: int) -> dict[str, int]:
    return {f"{level}/in": judged, f"{level}/out": judged - dropped, f"{level}/drop:{rule}": dropped}


@pytest.mark.parametrize(
    ("level", "rule", "judged", "dropped", "guard", "stops"),
    [
        ("paragraphs", "paragraph.words", 1000, 991, GuardConfig(), True),
        ("paragraphs", "paragraph.words", 1000, 990, GuardConfig(), False),
        ("paragraphs", "paragraph.words", 999, 999, GuardConfig(), False),
        ("paragraphs", "paragraph.words", 1000, 1000, GuardConfig(max_dropped=None), False),
        ("paragraphs", "paragraph.words", 1000, 1000, GuardConfig(max_dropped=1.0), False),
        ("paragraphs", "paragraph.words", 10, 1, GuardConfig(max_dropped=0, min_judged=1), True),
        ("paragraphs", "paragraph.words", 10, 0, GuardConfig(max_dropped=0, min_judged=1), False),
        ("image_nodes", "image.available", 5000, 5000, GuardConfig(), False),
        ("image_nodes", "image.width", 5000, 5000, GuardConfig(), True),
        ("parts", "document.no_image", 5000, 5000, GuardConfig(), True),
    ],
)
def test_a_rule_stops_a_run_by_its_share_of_enough(
    level: str, rule: str, judged: int, dropped: int, guard: GuardConfig, stops: bool
) -> None:
    arguments = (counts(level, rule, judged, dropped), RULES, guard, "OUT")
    if not stops:
        check_rules(*arguments)
        return
    with pytest.raises(RuleGuardError, match=rf"the rule {rule} .*drops {dropped:,} of {judged:,} \({level}\)"):
        check_rules(*arguments)


def test_the_message_names_the_limits_and_the_ways_on() -> None:
    with pytest.raises(RuleGuardError) as caught:
        check_rules(counts("paragraphs", "paragraph.words", 2000, 2000), RULES, GuardConfig(), "runs/one")
    message = str(caught.value)
    for part in (
        "paragraph.words (min 900, max 1000)",
        "interleaf retune runs/one --output NEW",
        "rules.paragraph.words",
        "max_dropped=null",
    ):
        assert part in message
    assert "\n" not in message
    assert len(message) < 600


@pytest.mark.parametrize("values", [{"max_dropped": 1.5}, {"max_dropped": -0.1}, {"min_judged": 0}])
def test_a_share_is_a_share_and_a_sample_is_not_empty(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="is not allowed; allowed"):
        GuardConfig(**values)  # type: ignore[arg-type]


def test_what_no_rule_is_applied_to_does_not_count() -> None:
    headings = {"paragraphs/in": 5000, "paragraphs/judged": 1000, "paragraphs/drop:paragraph.words": 995}
    with pytest.raises(RuleGuardError, match="drops 995 of 1,000"):
        check_rules(headings, RULES, GuardConfig(), "OUT")
