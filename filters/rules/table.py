"""The rules as a table: what each measures, where, and within which limits (filters.md 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Level = Literal["image", "paragraph", "document"]
OnSkip = Literal["keep", "drop"]
SkipReason = Literal["no_list", "no_model", "unknown_language", "too_short", "not_available", "off"]


@dataclass(frozen=True, slots=True)
class RuleConfig:
    """The limits of one rule. Limits are inclusive; None sets no limit, 0 is one. A rule without any limit is off.

    enabled: whether the rule judges at all. min, max: limits of its measure. allowed: the names its category may have, None for
    any. on_skip: what becomes of a thing that it cannot judge. min_tokens: a text with fewer is too short to be judged.
    """

    enabled: bool = True
    min: float | None = None
    max: float | None = None
    allowed: tuple[str, ...] | None = None
    on_skip: OnSkip = "keep"
    min_tokens: int | None = None

    @property
    def off(self) -> bool:
        return not self.enabled or (self.min is None and self.max is None and self.allowed is None)


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table.

    measure: name of the number that `min` and `max` bound; None for a rule that knows names only. default: its limits. source:
    whose limits these are. category: name of the measure that `allowed` is about. length: name of the measure that `min_tokens`
    is about. missing: why the measure can be missing in a text that has words. by_language: whether an unknown language is a
    reason before that. max_is_exclusive: whether the limit itself fails, the one case in which limits are not inclusive.
    on_demand: whether its measure costs so much that it is taken only where the rule is on.
    guarded: whether a run stops when the rule drops nearly everything.
    """

    level: Level
    measure: str | None
    default: RuleConfig
    source: str
    category: str | None = None
    length: str | None = None
    missing: SkipReason = "not_available"
    by_language: bool = False
    max_is_exclusive: bool = False
    on_demand: bool = False
    guarded: bool = True


_OBELICS = "OBELICS"
_OURS = "interleaf"

_SIDE = RuleConfig(min=150, max=20_000)
# The 1,500 belongs to a SentencePiece model of Wikipedia and means nothing for another one.
_PERPLEXITY = RuleConfig(enabled=False, max=1_500)
# OBELICS's .9 and .85 belong to a model of five classes. The model comes with the optional dependencies `nsfw`.
_NSFW = RuleConfig(enabled=False, max=0.8)
# A heading or a caption of fewer tokens has no sentence to end.
_PUNCTUATION = RuleConfig(min=0.001, min_tokens=12)
# A short sentence is often identified with little certainty, which is no reason to drop it (field report F3).
_LANGUAGE = RuleConfig(min=0.8, min_tokens=20)

# In the order in which a first failure is named.
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "image.available": Rule("image", "available", RuleConfig(min=1), _OBELICS, guarded=False),
        "image.format": Rule("image", None, RuleConfig(allowed=("jpeg", "png", "webp")), _OBELICS, category="format"),
        "image.width": Rule("image", "width", _SIDE, _OBELICS),
        "image.height": Rule("image", "height", _SIDE, _OBELICS),
        "image.rendered_width": Rule("image", "rendered_width", _SIDE, _OBELICS),
        "image.rendered_height": Rule("image", "rendered_height", _SIDE, _OBELICS),
        "image.aspect": Rule("image", "aspect", RuleConfig(min=0.5, max=2), _OBELICS),
        "image.url_words": Rule("image", "url_words", RuleConfig(max=0), _OBELICS),
        "image.nsfw": Rule("image", "nsfw_score", _NSFW, _OURS, on_demand=True),
        "paragraph.words": Rule("paragraph", "words", RuleConfig(min=4, max=1_000), _OBELICS),
        "paragraph.char_repetition": Rule("paragraph", "char_repetition_ratio", RuleConfig(max=0.1), _OBELICS),
        "paragraph.word_repetition": Rule("paragraph", "word_repetition_ratio", RuleConfig(max=0.1), _OBELICS, missing="no_list"),
        "paragraph.special_chars": Rule("paragraph", "special_char_ratio", RuleConfig(max=0.3), _OBELICS),
        "paragraph.stop_words": Rule(
            "paragraph", "stop_word_ratio", RuleConfig(min=0.3), _OBELICS, missing="no_list", by_language=True
        ),
        "paragraph.flagged_words": Rule(
            "paragraph", "flagged_word_ratio", RuleConfig(max=0.01), _OBELICS, missing="no_list", by_language=True
        ),
        "paragraph.punctuation": Rule("paragraph", "punctuation_ratio", _PUNCTUATION, _OBELICS, length="marks_and_tokens"),
        "paragraph.common_words": Rule(
            "paragraph", "common_word_ratio", RuleConfig(min=0.8), _OBELICS, missing="no_list", by_language=True
        ),
        "paragraph.language": Rule(
            "paragraph",
            "language_score",
            RuleConfig(enabled=False, min=0.8),
            _OBELICS,
            missing="no_model",
            by_language=True,
            on_demand=True,
        ),
        "paragraph.perplexity": Rule("paragraph", "perplexity", _PERPLEXITY, _OBELICS, missing="no_model", by_language=True),
        "paragraph.spam_words": Rule(
            "paragraph",
            "spam_word_ratio",
            RuleConfig(enabled=False, max=0.12),
            _OBELICS,
            missing="no_list",
            by_language=True,
            max_is_exclusive=True,
        ),
        "document.images": Rule("document", "images", RuleConfig(min=1, max=30), _OBELICS),
        "document.words": Rule("document", "words", RuleConfig(min=10, max=2_000), _OBELICS),
        "document.char_repetition": Rule("document", "char_repetition_ratio", RuleConfig(max=0.1), _OBELICS),
        "document.word_repetition": Rule("document", "word_repetition_ratio", RuleConfig(max=0.2), _OBELICS, missing="no_list"),
        "document.special_chars": Rule("document", "special_char_ratio", RuleConfig(max=0.275), _OBELICS),
        "document.stop_words": Rule(
            "document", "stop_word_ratio", RuleConfig(min=0.35), _OBELICS, missing="no_list", by_language=True
        ),
        "document.flagged_words": Rule(
            "document", "flagged_word_ratio", RuleConfig(max=0.01), _OBELICS, missing="no_list", by_language=True
        ),
        "document.punctuation": Rule("document", "punctuation_ratio", RuleConfig(min=0.03), _OBELICS),
        "document.common_words": Rule(
            "document", "common_word_ratio", RuleConfig(min=0.9), _OBELICS, missing="no_list", by_language=True
        ),
        "document.language": Rule(
            "document",
            "language_score",
            _LANGUAGE,
            _OBELICS,
            category="language",
            length="words",
            missing="no_model",
            by_language=True,
        ),
        "document.perplexity": Rule("document", "perplexity", _PERPLEXITY, _OBELICS, missing="no_model", by_language=True),
    }
)

RULES_OF_LEVEL: Mapping[Level, tuple[tuple[str, Rule], ...]] = MappingProxyType(
    {
        level: tuple((rule_id, rule) for rule_id, rule in RULES.items() if rule.level == level)
        for level in ("image", "paragraph", "document")
    }
)
