"""A page's tree -> its blocks (blocks.md 2.1, steps 3 to 5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from transforms.blocks.context import widget_names
from transforms.blocks.flat import Attributes, Flat, Origin
from transforms.blocks.flatten import Composition, Flattener, ShadowRootError
from transforms.blocks.head import DESCRIPTIONS, read_head
from transforms.blocks.links import PageUrls
from transforms.blocks.names import names
from transforms.blocks.walk import Walk
from transforms.html.noscript import is_noscript_shell
from transforms.html.shadow import compose_shadow_roots
from transforms.html.tree import LexborHTMLParser, LexborNode
from transforms.images.inline import InlineConfig, PageReferences
from transforms.records import Block

RTL_LANGUAGES = frozenset(names("ar arc ckb dv fa he iw ji ks ku nqo prs ps sd syr ug ur yi"))
RTL_SCRIPTS = frozenset(names("arab hebr thaa syrc nkoo adlm rohg yezi mand samr"))
# Thai, Lao, Burmese, Khmer; kana, Chinese characters.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SUBTAG_EDGE = re.compile("[-_]")


@dataclass(frozen=True, slots=True)
class BlocksConfig:
    """How blocks are read.

    include_hidden_text: keeps screen-reader text, edit links and off-screen text (blocks.md 3.3). rich_text: blocks have their
    texts with inline Markdown as well, which costs a tenth of the reading. inline: which images that stand in the page itself
    become blocks; None for none, as blocks.md 4.10 has it. css_backgrounds: images behind elements become blocks.
    lazy_attributes: further attributes of an `img` that hold a URL or a srcset.
    """

    include_hidden_text: bool = False
    rich_text: bool = True
    inline: InlineConfig | None = None
    css_backgrounds: bool = False
    lazy_attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """The blocks of a page before ordering and deduplication, and what the page says of itself.

    blocks: stage `blocks`, in emission order. title: `<title>`. description: meta description, else Open Graph's, else
    Twitter's. rtl: the page reads from right to left (blocks.md 9). removed: words left out, by reason; `inline_image` counts
    images whose only source is in the page itself. flat: the page as it was read, for measures that need more than blocks.
    origins: where in it each block's text is, by `dom_index`. references: what became of references that nobody can fetch, if that
    was asked for.
    """

    blocks: tuple[Block, ...]
    title: str | None
    description: str | None
    rtl: bool
    removed: dict[str, int]
    flat: Flat = field(compare=False, repr=False)
    origins: tuple[Origin, ...]
    references: PageReferences | None = None


def page_blocks(tree: LexborHTMLParser, url: str, config: BlocksConfig = BlocksConfig()) -> PageBlocks:
    """Reads the blocks of a parsed page. The tree is read once and not changed. url: the page's own, absolute."""
    flat, html_attributes, body_attributes = _flatten(tree, config)
    urls = PageUrls(url, flat.base_href, config.inline, config.lazy_attributes)
    widgets = widget_names(flat.widgets, flat.tags, flat.ends, flat.attributes, _share_of_words(flat)) if flat.widgets.flags else []
    walk = Walk(flat, urls, widgets, config.rich_text)
    blocks = walk.blocks()
    description = next((flat.metas[name] for name in DESCRIPTIONS if name in flat.metas), None)
    rtl = is_rtl(html_attributes, body_attributes)
    origins = tuple(walk.output.origins)
    return PageBlocks(blocks, flat.title or None, description, rtl, dict(flat.removed), flat, origins, urls.references)


def _flatten(tree: LexborHTMLParser, config: BlocksConfig) -> tuple[Flat, Attributes, Attributes]:
    html = tree.root
    body = tree.body
    html_attributes = html.attributes if html is not None and html.tag == "html" else {}
    if body is None:
        flat = Flat()
        if tree.head is not None:
            read_head(flat, tree.head)
        return flat, html_attributes, {}

    composition: Composition | None = None
    undisplayed: list[LexborNode] = []

    def flatten(promote_noscript: bool) -> Flat:
        flat = Flat()
        if tree.head is not None:
            read_head(flat, tree.head)
        flattener = Flattener(flat, composition, promote_noscript, config.include_hidden_text, config.css_backgrounds)
        flattener.flatten(body, html_attributes)
        return flat

    try:
        flat = flatten(promote_noscript=False)
    except ShadowRootError:
        composition, undisplayed = compose_shadow_roots(body)
        flat = flatten(promote_noscript=False)
    if is_noscript_shell(flat.noscript_words, lambda: _visible_words(flat)):
        flat = flatten(promote_noscript=True)
    for node in undisplayed:
        words = len(node.text().split())
        if words:
            flat.removed["shadow"] += words
    return flat, html_attributes, body.attributes


def _visible_words(flat: Flat) -> int:
    return len("".join(flat.texts).split()) + sum(words for reason, words in flat.removed.items() if reason != "noscript")


def _share_of_words(flat: Flat) -> Callable[[int], float]:
    """A function from an element to its share of the page's words, counted when it is first asked."""
    counted: list[int] = []

    def share(element: int) -> float:
        if not counted:
            counted.extend(accumulate(word_counts(flat.texts), initial=0))
        words = counted[flat.stops[element]] - counted[flat.starts[element]]
        return words / counted[-1] if counted[-1] else 0.0

    return share


def word_counts(texts: Sequence[str]) -> list[int]:
    """The words of each text; where a script puts no spaces between words, two characters count as one."""
    counts = list(map(len, map(str.split, texts)))
    if not "".join(texts).isascii():
        for place, text in enumerate(texts):
            if not text.isascii():
                counts[place] += len(UNSPACED.findall(text)) // 2
    return counts


def is_rtl(html_attributes: Attributes, body_attributes: Attributes) -> bool:
    """Whether a page reads from right to left: by `dir`, else by the declared language, never by its text (blocks.md 9)."""
    for attributes in (html_attributes, body_attributes):
        direction = (attributes.get("dir") or "").strip().lower()
        if direction in ("rtl", "ltr"):
            return direction == "rtl"
    language = html_attributes.get("lang") or html_attributes.get("xml:lang") or ""
    primary, *subtags = _SUBTAG_EDGE.split(language.strip().lower())
    scripts = [subtag for subtag in subtags if len(subtag) == 4 and subtag.isalpha()]
    if scripts:
        return scripts[0] in RTL_SCRIPTS
    return primary in RTL_LANGUAGES
