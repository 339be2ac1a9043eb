"""The gate: is there enough running text on a page to be worth extracting? (spec/readerable.md)

By default the same answer and the same score as Mozilla's `isProbablyReaderable` (mozilla/readability, commit
ab4027a8b37669745016869a37a504727992b2ba). What is not Mozilla's is an option, off by default.

The tree is read, never changed, and no node is kept. The cost is linear in the page: see `nested_text`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import floor, inf, sqrt

from transforms.html.ancestors import Namespace, inherited, namespace_of
from transforms.html.css_display import declared_display
from transforms.html.nested_text import nest_deeply, trimmed_lengths
from transforms.html.text_length import check_scale, scaled_length, utf16_length
from transforms.html.tree import LexborHTMLParser, LexborNode

VisibilityChecker = Callable[[LexborNode], bool]

MIN_CONTENT_LENGTH = 140
MIN_SCORE = 20.0

# Substrings of class and id, both patterns from the commit above. ASCII, or Python folds U+017F to `s` and U+212A to `k`.
UNLIKELY = re.compile(
    "-ad-|ad-break|agegate|ai2html|banner|breadcrumbs|combx|comment|community|cover-wrap|disqus|extra|footer|gdpr|header|legends"
    "|menu|pager|pagination|popup|related|remark|replies|rss|shoutbox|sidebar|skyscraper|social|sponsor|supplemental|yom-remote",
    re.IGNORECASE | re.ASCII,
)
OK_MAYBE = re.compile("and|article|body|column|content|main|mathjax|shadow", re.IGNORECASE | re.ASCII)

# What ECMAScript's trim() removes. str.strip() without it also takes U+001C-1F and U+0085 and leaves U+FEFF.
TRIMMED = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)

# Nested candidates need another way to measure them; so many are read before it is looked whether there are any.
UNCHECKED_CANDIDATES = 8

# Float addition is not associative. A sum in another order than the reference's decides only when it is further from the
# threshold than that can matter (1e-12 was seen).
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class GateConfig:
    """What the gate asks of a page (spec/readerable.md). The defaults are Mozilla's.

    Measured factors are `text_length.SCRIPT_LENGTH_SCALE`. Raises `ValueError` for another script or a factor not above 0.
    """

    enabled: bool = field(default=True, metadata={"help": "false lets every page through"})
    min_content_length: int = field(
        default=MIN_CONTENT_LENGTH, metadata={"help": "UTF-16 code units that a paragraph needs to count"}
    )
    min_score: float = field(default=MIN_SCORE, metadata={"help": "what the score of the page must exceed"})
    strict_ancestors: bool = field(default=False, metadata={"help": "paragraphs in hidden or unlikely containers do not count"})
    script_length_scale: Mapping[str, float] | None = field(
        default=None,
        metadata={
            "help": "factor of a character by its script: Han, Kana, Hangul, Thai, Lao, Khmer, Myanmar; null: 1, as Mozilla has it"
        },
    )

    def __post_init__(self) -> None:
        check_scale(self.script_length_scale or {})


def is_probably_readerable(
    tree: LexborHTMLParser,
    *,
    min_content_length: int | None = MIN_CONTENT_LENGTH,
    min_score: float | None = MIN_SCORE,
    visibility_checker: VisibilityChecker | None = None,
    strict_ancestors: bool | None = False,
    script_length_scale: Mapping[str, float] | None = None,
) -> bool:
    """Whether the page's score exceeds `min_score`, by at least one paragraph that counts; None means a default.

    min_content_length: UTF-16 code units. visibility_checker: replaces the built-in test of a paragraph's own visibility; called
    at most once a paragraph, in any order, only for those that pass the other tests. strict_ancestors, script_length_scale:
    as in `GateConfig`. Raises `ValueError` for an unknown script or a factor that is not a positive number.
    """
    gate = _Gate(tree, min_content_length, min_score, visibility_checker, strict_ancestors, script_length_scale)
    return gate.score(stop_early=True) > gate.min_score and bool(gate.terms)


def readerable_score(
    tree: LexborHTMLParser,
    *,
    min_content_length: int | None = MIN_CONTENT_LENGTH,
    min_score: float | None = MIN_SCORE,
    visibility_checker: VisibilityChecker | None = None,
    strict_ancestors: bool | None = False,
    script_length_scale: Mapping[str, float] | None = None,
    stop_early: bool = False,
) -> float:
    """The sum of sqrt(length - min_content_length) over the paragraphs that count, in the reference's order, bit for bit.

    With `stop_early` a result above `min_score` may be a lower bound; any other result is the full sum. Other arguments and
    errors as for `is_probably_readerable`.
    """
    gate = _Gate(tree, min_content_length, min_score, visibility_checker, strict_ancestors, script_length_scale)
    return gate.score(stop_early=stop_early)


def gate_score(tree: LexborHTMLParser, config: GateConfig) -> float:
    """The full score of a page under `config`; it passes when that is greater than `config.min_score`."""
    return readerable_score(
        tree,
        min_content_length=config.min_content_length,
        min_score=config.min_score,
        strict_ancestors=config.strict_ancestors,
        script_length_scale=config.script_length_scale,
    )


class _Gate:
    """One call: its options, and what it has learnt about the tree by `mem_id`, which identifies a node while the tree lives."""

    def __init__(
        self,
        tree: LexborHTMLParser,
        min_content_length: int | None,
        min_score: float | None,
        visibility_checker: VisibilityChecker | None,
        strict_ancestors: bool | None,
        script_length_scale: Mapping[str, float] | None,
    ) -> None:
        scale = script_length_scale or {}
        self.tree = tree
        self.min_content_length = MIN_CONTENT_LENGTH if min_content_length is None else min_content_length
        self.min_score = MIN_SCORE if min_score is None else min_score
        self.visibility_checker = visibility_checker
        self.strict_ancestors = bool(strict_ancestors)
        self.length = scaled_length(scale) if scale else utf16_length
        # A text of fewer code points cannot be long enough; most paragraphs are dropped by this alone.
        self.min_code_points = floor(self.min_content_length / max(2.0, 2.0, *(round(factor, 3) for factor in scale.values())))
        self.terms: dict[int, float] = {}  # what each survivor adds
        self.in_list_item: dict[int, bool] = {}
        self.in_spoiled: dict[int, bool] = {}
        self.namespaces: dict[int, Namespace] = {}

    def score(self, *, stop_early: bool) -> float:
        """The sum over all candidates, in their order; with stop_early any partial sum that decides for the page."""
        enough = self.min_score + ROUNDING * max(1.0, abs(self.min_score)) if stop_early else inf
        in_order, paragraphs, others = self.candidates()
        body = len(paragraphs) // 4 if stop_early else 0  # where the body of a page tends to begin
        total = self.add(paragraphs[body:] + paragraphs[:body], 0.0, enough)
        if self.terms and total > enough:
            return total
        total = self.add(others, total, enough)
        if self.terms and total > enough:
            return total

        # Addition one by one: from Python 3.12 on sum() compensates, and is no longer what the reference computes.
        total = 0.0
        if self.terms:
            for node in in_order:
                total += self.terms.get(node.mem_id, 0.0)
        return total

    def candidates(self) -> tuple[list[LexborNode], list[LexborNode], list[LexborNode]]:
        """All candidates in their order; those of them that are a `p`; the others.

        Each `p`, `pre` and `article` in document order, then each div with a `br` as its child, in the order of the first such
        `br`. One selection, because what costs time is to walk the tree.
        """
        in_order: list[LexborNode] = []
        paragraphs: list[LexborNode] = []
        blocks: list[LexborNode] = []
        divs: dict[int, LexborNode] = {}
        for node in self.tree.css("p, pre, article, div > br"):
            tag = node.tag
            if tag == "p":
                in_order.append(node)
                paragraphs.append(node)
            elif tag != "br":
                in_order.append(node)
                blocks.append(node)
            elif (div := node.parent) is not None:
                divs.setdefault(div.mem_id, div)
        return [*in_order, *divs.values()], paragraphs, [*blocks, *divs.values()]

    def add(self, candidates: list[LexborNode], total: float, enough: float) -> float:
        """Adds the survivors' terms to total, until it exceeds enough."""
        for node, length in self.long_enough(candidates):
            if self.passes(node):
                term = self.terms[node.mem_id] = sqrt(length - self.min_content_length)
                total += term
                if total > enough:
                    break
        return total

    def long_enough(self, candidates: list[LexborNode]) -> Iterator[tuple[LexborNode, float]]:
        """The candidates whose trimmed text content has the minimum length, with that length."""
        min_code_points, min_content_length, length_of = self.min_code_points, self.min_content_length, self.length
        for index, node in enumerate(candidates):
            if index == UNCHECKED_CANDIDATES and nest_deeply(candidates):
                lengths = trimmed_lengths(self.tree, candidates, TRIMMED, length_of)
                for late in candidates[index:]:
                    if lengths[late.mem_id] >= min_content_length:
                        yield late, lengths[late.mem_id]
                return
            text = node.text()
            if len(text) >= min_code_points:
                length = length_of(text.strip(TRIMMED))
                if length >= min_content_length:
                    yield node, length

    def passes(self, node: LexborNode) -> bool:
        """The tests other than the length, cheapest first."""
        tag = node.tag
        attributes = node.attributes
        # Only an article can be an element of SVG or MathML: the tags of the others end foreign content.
        namespace = namespace_of(node, self.namespaces) if tag == "article" else "html"
        if is_unlikely(attributes, namespace):
            return False
        if self.visibility_checker is None and not is_visible(attributes, namespace):
            return False
        if tag == "p" and inherited(node.parent, self.in_list_item, False, _is_list_item_or):
            return False
        if self.visibility_checker is not None and not self.visibility_checker(node):
            return False
        return not (self.strict_ancestors and inherited(node.parent, self.in_spoiled, False, self.spoils_or))

    def spoils_or(self, spoiled_above: bool, node: LexborNode) -> bool:
        """Step for `inherited`: whether candidates in node are dropped by `strict_ancestors`."""
        tag = node.tag
        if tag in ("-document", "html", "body") or spoiled_above:
            return spoiled_above
        attributes, namespace = node.attributes, namespace_of(node, self.namespaces)
        return not is_visible(attributes, namespace) or (tag != "a" and is_unlikely(attributes, namespace))


def _is_list_item_or(in_list_item: bool, node: LexborNode) -> bool:
    return in_list_item or node.tag == "li"


def is_unlikely(attributes: Mapping[str, str | None], namespace: Namespace = "html") -> bool:
    """Whether class and id say that an element is no content: an unlikely pattern occurs in them and no ok-maybe pattern does.

    In SVG `className` is an object, in which no pattern occurs.
    """
    names = f"{'' if namespace == 'svg' else attributes.get('class') or ''} {attributes.get('id') or ''}"
    return len(names) > 1 and UNLIKELY.search(names) is not None and OK_MAYBE.search(names) is None


def is_visible(attributes: Mapping[str, str | None], namespace: Namespace = "html") -> bool:
    """Whether an element's own attributes leave it visible; stylesheets and the elements around it are not looked at.

    `visibility: hidden` does not hide here. An element of MathML has no `style`, the class of one of SVG is an object.
    """
    if not attributes:
        return True
    style = attributes.get("style")
    if style and namespace != "math" and ("\\" in style or "none" in style.lower()) and declared_display(style) == "none":
        return False
    if "hidden" in attributes:
        return False
    return attributes.get("aria-hidden") != "true" or (namespace != "svg" and "fallback-image" in (attributes.get("class") or ""))
