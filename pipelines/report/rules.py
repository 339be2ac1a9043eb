"""One rule of the report: its limits, what it drops, the curve of its measure, samples on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape

from filters.measures.meanings import MEANINGS
from filters.rules import RULES, RuleConfig, Verdict
from pipelines.report.charts import limits_by_share, number, threshold_curve
from pipelines.report.samples import RuleView, Thing

EXCERPT = 320
"""Characters of a sample that are shown."""

# value, threshold, text, url, target, picture: a sample as it is shown
ShownSample = tuple[float | str | None, object, str, str, str, str]


def rule_card(view: RuleView, first_cause: int, total: int, pictures: Mapping[str, str]) -> Iterator[str]:
    """The card of a rule. first_cause, total: how many of all things of its level fell to it, in the whole run."""
    rule = RULES[view.rule]
    yield f"<section class=rule><h3>{escape(view.rule)}</h3><p>{escape(describe_limits(view.config))}"
    name = rule.measure or rule.category
    if name is not None and name in MEANINGS:
        yield f" <span class=soft>· {escape(MEANINGS[name])}</span>"
    share = f" ({first_cause / total:.1%})" if total else ""
    yield f"</p><p>First cause for {first_cause:,} of {total:,}{share}; {len(view.values):,} of {view.things:,} sampled "
    yield "have a value"
    if len(view.values):
        yield f", median {number(float(view.values[len(view.values) // 2]))}</p>{threshold_curve(view.values, view.config)}"
        for bound in _bounds(view.config):
            limits = " · ".join(f"{share:.0%}: {number(limit)}" for share, limit in limits_by_share(view.values, bound))
            yield f"<p class=soft><span class={bound}-ink>{bound}</span> that keeps: {limits}"
    yield "</p>"
    if view.kept or view.dropped:
        yield f"<details><summary>{len(view.kept)} samples kept, {len(view.dropped)} dropped</summary><div class=sides>"
        for title, side, dropped in (("Dropped", view.dropped, True), ("Kept", view.kept, False)):
            yield f"<div><b>{title}</b>"
            yield from samples_list((_shown(thing, verdict, pictures) for thing, verdict in side), dropped)
            yield "</div>"
        yield "</div></details>"
    yield "</section>"


def samples_list(samples: Iterable[ShownSample], dropped: bool) -> Iterator[str]:
    """Samples with value, limit, the beginning of the text and where it is from, all of it as text."""
    yield f'<ol class="samples{" out" if dropped else ""}">'
    for value, threshold, text, url, target, picture in samples:
        judged = " ".join(filter(None, (_plain(value), f"against {_plain(threshold)}" if threshold is not None else "")))
        excerpt = " ".join(text[: EXCERPT + 1].split())
        yield f"<li>{picture}<b>{escape(judged)}</b> {escape(excerpt[:EXCERPT])}{' …' if len(text) > EXCERPT else ''}"
        yield f"<span class=id>{escape(url[:200])} {escape(target[-120:])}</span>"
    yield "</ol>"


def describe_limits(config: RuleConfig) -> str:
    """The limits of a rule in words.

    >>> describe_limits(RuleConfig(min=10, max=2000))
    'at least 10, at most 2,000'
    """
    if config.off:
        return "off"
    words = [
        f"at least {number(config.min)}" if config.min is not None else "",
        f"at most {number(config.max)}" if config.max is not None else "",
        f"one of {', '.join(config.allowed)}" if config.allowed is not None else "",
        f"from {config.min_tokens} words on" if config.min_tokens is not None else "",
        "what cannot be judged is dropped" if config.on_skip == "drop" else "",
    ]
    return ", ".join(filter(None, words))


def _bounds(config: RuleConfig) -> list[str]:
    set_ones = [name for name in ("min", "max") if getattr(config, name) is not None]
    return set_ones or ["min", "max"]


def _shown(thing: Thing, verdict: Verdict, pictures: Mapping[str, str]) -> ShownSample:
    return verdict.value, verdict.threshold, thing.text, thing.url, thing.target, pictures.get(thing.sha256 or "", "")


def _plain(value: object) -> str:
    if isinstance(value, int | float):
        return number(float(value))
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
