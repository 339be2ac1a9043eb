"""Why a block is not main content, in words that people know (blocks.md 13, main_content.md 7).

The reason explains; it does not decide. A block that the model turns down is named after the first of these that holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter

from transforms.records import Block

LANDMARKS = frozenset({"nav", "footer", "aside"})
# When a page's main element, or its article body, is believed (blocks.md 13.1, 14).
MAIN_WORDS, MAIN_SHARE = 100, 0.20
ARTICLE_WORDS, ARTICLE_SHARE, ARTICLE_LEAD = 100, 0.15, 3.0


def landmark(block: Block) -> str | None:
    """A navigation, footer or aside outside main."""
    return f"landmark:{block.region}" if block.region in LANDMARKS and not block.in_main else None


def widget(block: Block) -> str | None:
    """A widget; comments have a reason of their own."""
    if block.widget is None:
        return None
    return "comments" if block.widget == "comments" else f"widget:{block.widget}"


def trusted_main(blocks: Sequence[Block], words: Sequence[float]) -> bool:
    """Whether what the page calls main is large enough to be believed."""
    inside = sum(count for block, count in zip(blocks, words, strict=True) if block.in_main)
    return inside >= MAIN_WORDS and inside >= MAIN_SHARE * sum(words)


def dominant_article(blocks: Sequence[Block], words: Sequence[float]) -> str | None:
    """The path of the article body that is large enough, and far larger than any other; None for none."""
    sizes: dict[str, float] = {}  # words of scripts without spaces count by halves
    for block, count in zip(blocks, words, strict=True):
        if block.body_of is not None:
            sizes[block.body_of] = sizes.get(block.body_of, 0.0) + count
    ranked = sorted(sizes.items(), key=itemgetter(1), reverse=True)  # of equal ones, the first in the page leads
    if not ranked:
        return None
    path, size = ranked[0]
    runner_up = ranked[1][1] if len(ranked) > 1 else 0
    if size >= ARTICLE_WORDS and size >= ARTICLE_SHARE * sum(words) and size >= ARTICLE_LEAD * runner_up:
        return path
    return None


def explain(blocks: Sequence[Block], words: Sequence[float]) -> Callable[[Block], str]:
    """A function that names why a block of this page is out. blocks, words: those with text."""
    has_main = trusted_main(blocks, words)
    article = dominant_article(blocks, words)

    def reason(block: Block) -> str:
        found = landmark(block) or widget(block)
        if found is not None:
            return found
        if has_main and not block.in_main:
            return "outside-main"
        if article is not None and block.body_of != article:
            return "outside-article"
        return "model"

    return reason
