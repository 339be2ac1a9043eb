"""Whether the blocks of pages hold each visible word exactly once (blocks.md 1): pages with a loss or a doubling, and why.

    python -m scripts.bench.word_conservation crawl/*.warc.gz [--every 1] [--show 20]

The words of a page are read a second time, straight from its tree and by a reader that shares no code with the block model. They
are compared with the words of the `blocks` stage as multisets. What may differ is told apart by reason:

    word edge       the same characters, cut into words at other places (a word with a permalink or a control inside)
    code furniture  labels and buttons above code (4.8), as many words as the model counted
    header          a value that stands twice in the header of one column, which collapses into one row (4.6)
    spans           a cell that spans columns or rows stands once for each (4.6); only where a table is too long for its markup

Anything else is unexplained. Exit status 1 when a page has an unexplained difference.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape

from transforms.archives.encoding import decode_html
from transforms.archives.warc import read_responses
from transforms.blocks.extract import PageBlocks, page_blocks
from transforms.html.tree import LexborNode, parse_html
from transforms.records import Block, Response

SET_OFF = frozenset(
    """p div section article main aside header footer nav ul ol li dl dt dd h1 h2 h3 h4 h5 h6 table thead tbody tfoot tr td th
    caption blockquote pre figure figcaption form fieldset legend address hr br details summary body button label center
    menu""".split()  # noqa: SIM905
)
SILENT = frozenset(
    "script style template param img iframe embed title noframes noembed meta link base head".split()  # noqa: SIM905
)
CHOICES = frozenset({"select", "datalist", "textarea"})
FALLBACK = frozenset({"object", "video", "audio"})
SCREEN_READER = frozenset(
    """sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only a11y-hidden u-visually-hidden
    is-visually-hidden sr_only visually_hidden assistive-text hidden-visually offscreen clip-hidden""".split()  # noqa: SIM905
)
PERMALINK = frozenset("headerlink hash-link anchor-link header-anchor heading-link permalink".split())  # noqa: SIM905
EDIT_LINK = frozenset({"mw-editsection", "editsection"})
EDITOR_LINES = {
    "cm-editor": ".cm-content .cm-line",
    "CodeMirror": ".CodeMirror-code .CodeMirror-line",
    "monaco-editor": ".view-lines > .view-line",
    "ace_editor": ".ace_text-layer .ace_line",
}
GLYPH_PLACES = frozenset("h1 h2 h3 h4 h5 h6 dt caption figcaption summary".split())  # noqa: SIM905
_JOINERS = re.compile("[\ufe0e\ufe0f\u200b\u200d\\s]")
_GLYPHS = re.compile("[¶🔗⚓↩]+")
_GLYPHS_IN_HEADING = re.compile("[¶🔗⚓↩#§]+")
_FAR_INDENT = re.compile(r"(?:^|;)\s*text-indent\s*:\s*-(?:999|\d{4,})")
_FAR_PLACE = re.compile(r"(?:^|;)\s*(?:left|top)\s*:\s*-(?:999|\d{4,})")
_POSITION = re.compile(r"(?:^|;)\s*position\s*:")
_SMALL = re.compile(r"\s*([0-2]?\d|3[01])\s*")
_BREAK_TAG = re.compile(r"</?(?:br|table|caption|thead|tbody|tfoot|tr|td|th)\b[^>]*>")
_TAG = re.compile(r"<[^>]+>")
LEAST_KEPT_HEADING_WORDS = 4
MOST_FURNITURE_WORDS = 4
LEAST_NOSCRIPT_WORDS, FEWEST_VISIBLE_WORDS = 100, 150


@dataclass
class Reading:
    """What the second reader found: the text shown, words taken out by reason, words that rules of 4.6 and 4.8 may change."""

    pieces: list[str] = field(default_factory=list)
    removed: Counter[str] = field(default_factory=Counter)
    furniture: Counter[str] = field(default_factory=Counter)
    headers: Counter[str] = field(default_factory=Counter)
    spanned: set[str] = field(default_factory=set)

    def words(self) -> Counter[str]:
        return Counter("".join(self.pieces).split())


@dataclass(frozen=True)
class Comparison:
    """The words of one page that differ, by reason, and the unexplained rest. removals: reasons counted otherwise than read."""

    reasons: dict[str, int]
    lost: Counter[str]
    extra: Counter[str]
    removals: dict[str, tuple[int, int]]

    @property
    def is_explained(self) -> bool:
        return not self.lost and not self.extra


def compare(html: str, url: str) -> Comparison:
    """Reads a page twice and compares the words."""
    tree = parse_html(html)
    found = page_blocks(tree, url)
    reading = Reading() if tree.body is None else read_page(tree.body)
    return explain(reading, found)


def explain(reading: Reading, found: PageBlocks) -> Comparison:
    shown, held = reading.words(), Counter(block_words(found.blocks))
    lost, extra = shown - held, held - shown
    reasons: dict[str, int] = {}
    furniture = found.removed.get("code-furniture", 0)
    if furniture:
        taken = Counter(list((lost & reading.furniture).elements())[:furniture])
        lost -= taken
        reasons["code furniture"] = taken.total()
    header = lost & reading.headers
    if header:
        lost -= header
        reasons["header"] = header.total()
    spans = Counter({word: count for word, count in extra.items() if word in reading.spanned})
    if spans:
        extra -= spans
        reasons["spans"] = spans.total()
    if lost and extra and _characters(lost) == _characters(extra):
        reasons["word edge"] = max(lost.total(), extra.total())
        lost, extra = Counter(), Counter()
    counted = Counter({reason: words for reason, words in found.removed.items() if reason != "inline_image"})
    read = reading.removed + Counter({"code-furniture": reasons.get("code furniture", 0)})
    removals = {reason: (read[reason], counted[reason]) for reason in sorted({*counted, *read}) if read[reason] != counted[reason]}
    for block in found.blocks:
        if block.table_html is not None and block.rows is not None:
            in_markup, in_grid = (
                set(markup_words(block.table_html)),
                {w for row in block.rows for cell in row for w in cell.split()},
            )
            caption = set(" ".join(caption_lines(block)).split())
            lost.update(in_markup - in_grid - caption)
            extra.update(in_grid - in_markup)
    return Comparison(reasons, lost, extra, removals)


def _characters(words: Counter[str]) -> Counter[str]:
    return Counter("".join(words.elements()))


def block_words(blocks: Sequence[Block]) -> Iterator[str]:
    """The words of blocks, without alt texts and media sentences; of a table with merged cells those of its markup."""
    for block in blocks:
        if block.kind in ("image", "media"):
            continue
        if block.rows is None:
            yield from block.text.split()
        elif block.table_html is not None:
            yield from markup_words(block.table_html)
        else:
            yield from " ".join([*caption_lines(block), *(cell for row in block.rows for cell in row)]).split()


def caption_lines(table: Block) -> list[str]:
    lines = table.text.split("\n")
    return lines[: len(lines) - len(table.rows or ())] if table.text else []


def markup_words(table_html: str) -> list[str]:
    return unescape(_TAG.sub("", _BREAK_TAG.sub(" ", table_html))).split()


def read_page(body: LexborNode) -> Reading:
    """The words a page shows, with noscript promoted where they are the page (3.4)."""
    reading = Reader(promote_noscript=False).read(body)
    noscript = sum(len(node.text().split()) for node in (body.parent or body).css("noscript"))
    if noscript >= LEAST_NOSCRIPT_WORDS:
        visible = reading.words().total() + sum(n for reason, n in reading.removed.items() if reason != "noscript")
        if visible < FEWEST_VISIBLE_WORDS:
            return Reader(promote_noscript=True).read(body)
    return reading


class Reader:
    """Walks a tree in document order and writes down what is shown."""

    def __init__(self, promote_noscript: bool) -> None:
        self.promote_noscript = promote_noscript
        self.reading = Reading()
        self.inside: dict[int, list[LexborNode]] = {}  # what stands in a shadow host or a filled slot

    def read(self, body: LexborNode) -> Reading:
        pieces = self.reading.pieces
        todo: list[LexborNode | str] = [body]
        while todo:
            node = todo.pop()
            if isinstance(node, str):
                pieces.append(node)
            elif node.tag == "-text":
                pieces.append(node.text_content or "")
            elif node.is_element_node:
                reason = self.why_not_shown(node)
                if reason is not None:
                    pieces.append(" ")
                    if reason:
                        words = len(" · ".join(_labels(node)[0]).split()) if reason == "icon-label" else len(_seen(node).split())
                        self.reading.removed[reason] += words
                    continue
                edge = " " if node.tag in SET_OFF or node.tag in FALLBACK else ""
                todo += [edge, *reversed(self.content(node)), edge]
        return self.reading

    def why_not_shown(self, node: LexborNode) -> str | None:
        """The reason an element is left out by, empty where it never counts; None when it is shown."""
        tag, attributes = node.tag or "", node.attributes
        classes = set((attributes.get("class") or "").lower().split())
        style = (attributes.get("style") or "").lower()
        role = tag in ("dialog", "div", "section", "aside", "form") and _has_dialog_role(attributes)
        if tag in SILENT:
            return ""
        if tag in CHOICES:
            return "choices"
        if tag == "slot" or (tag == "noscript" and self.promote_noscript):
            return None  # replaced by what is in it
        if tag == "noscript":
            return "noscript"
        if (tag == "dialog" and "open" not in attributes) or (
            role and ("hidden" in attributes or (attributes.get("aria-hidden") or "").strip().lower() == "true")
        ):
            return "dialog"
        if classes & EDIT_LINK:
            return "edit-link"
        if classes & SCREEN_READER and not (tag in ("h1", "h2", "h3") and len(_seen(node).split()) >= LEAST_KEPT_HEADING_WORDS):
            return "screen-reader"
        if _FAR_INDENT.search(style) or (_POSITION.search(style) and _FAR_PLACE.search(style)):
            return "off-screen"
        if tag in FALLBACK and any(_SMALL.fullmatch(attributes.get(side) or "") for side in ("width", "height")):
            return ""
        if tag == "a" and (classes & PERMALINK or _is_glyph_link(node)):
            return "permalink"
        if tag == "svg":
            labels, is_diagram = _labels(node)
            return None if is_diagram else "icon-label" if labels else ""
        return None

    def content(self, node: LexborNode) -> list[LexborNode | str]:
        """What stands inside an element that is shown."""
        tag = node.tag
        for name in (node.attributes.get("class") or "").split():
            if name in EDITOR_LINES and tag != "slot":
                return ["".join(f" {line.text()} " for line in node.css(EDITOR_LINES[name])) or " "]
        if tag == "svg":
            return [" " + " · ".join(_labels(node)[0]) + " "]
        if tag == "pre":
            return [_verbatim(node)]
        if tag == "math" and (latex := _latex(node)):
            return [f" $${latex}$$ " if node.attributes.get("display") == "block" else f"${latex}$"]
        if tag == "table":
            self.note_table(node)
        self.note_furniture(node)
        children = list(node.iter(include_text=True))
        root = next((child for child in children if child.tag == "template" and "shadowrootmode" in child.attributes), None)
        if root is not None and node.mem_id not in self.inside:
            self.compose(node, root, children)
        return list(self.inside.get(node.mem_id, children))

    def compose(self, host: LexborNode, root: LexborNode, children: Sequence[LexborNode]) -> None:
        """A browser's flat tree for one host (8): the template's content, its slots filled with the host's children."""
        content = root.template_fragments()[0]
        waiting = [child for child in children if child.tag == "-text" or (child.is_element_node and child.tag != "template")]
        for slot in content.css("slot"):
            name = (slot.attributes.get("name") or "").strip()
            elements = [c for c in waiting if c.tag != "-text" and (c.attributes.get("slot") or "").strip() == name]
            taken = elements + ([c for c in waiting if c.tag == "-text"] if not name else [])
            waiting = [c for c in waiting if all(c.mem_id != t.mem_id for t in taken)]
            if any(t.tag != "-text" or (t.text_content or "").strip() for t in taken):
                self.inside[slot.mem_id] = taken
        for child in waiting:
            words = len(_seen(child).split()) if child.tag not in SILENT else 0
            if words:
                self.reading.removed["shadow"] += words
        self.inside[host.mem_id] = list(content.iter(include_text=True))

    def note_furniture(self, node: LexborNode) -> None:
        following = node.next
        while following is not None and not following.is_element_node:
            following = following.next
        if following is not None and following.tag == "pre":
            words = _seen(node).split()
            if len(words) <= MOST_FURNITURE_WORDS:
                self.reading.furniture.update(words)

    def note_table(self, table: LexborNode) -> None:
        """Words that a collapsed header may name once, and words of cells that spans repeat."""
        values: Counter[str] = Counter()
        for cell in table.css("th, thead td"):
            values[" ".join(_seen(cell).split())] += 1
        for value, count in values.items():
            for _ in range(count - 1):
                self.reading.headers.update(value.split())
        for cell in table.css("[colspan], [rowspan]"):
            self.reading.spanned.update(_seen(cell).split())


def _has_dialog_role(attributes: dict[str, str | None]) -> bool:
    return bool({"dialog", "alertdialog"} & set((attributes.get("role") or "").lower().split()))


def _seen(node: LexborNode) -> str:
    """All text below a node that is no script, words of neighbouring elements apart."""
    parts: list[str] = []
    todo = [node] if node.tag == "-text" else list(node.iter(include_text=True))[::-1]
    while todo:
        one = todo.pop()
        if one.tag == "-text":
            parts.append(one.text_content or "")
        elif one.tag not in ("script", "style", "svg", "noscript"):
            todo += reversed(list(one.iter(include_text=True)))
    return " ".join(parts)


def _is_glyph_link(node: LexborNode) -> bool:
    if not (node.attributes.get("href") or "").startswith("#"):
        return False
    text = _JOINERS.sub("", node.text())
    if _GLYPHS.fullmatch(text):
        return True
    above = node.parent
    while above is not None and above.tag not in GLYPH_PLACES:
        above = above.parent
    return above is not None and _GLYPHS_IN_HEADING.fullmatch(text) is not None


def _labels(svg: LexborNode) -> tuple[list[str], bool]:
    labels = []
    for text in svg.css("text"):
        parts = [
            node.text_content or ""
            for node in text.traverse(include_text=True)
            if node.tag == "-text" and (node.parent is None or node.parent.tag not in ("title", "desc"))
        ]
        if label := " ".join("".join(parts).split()):
            labels.append(label)
    return labels, len(labels) >= 2 or len(" ".join(labels).split()) >= 3


def _verbatim(pre: LexborNode) -> str:
    parts: list[str] = []
    todo: list[LexborNode | str] = [pre]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            parts.append(one)
        elif one.tag == "-text":
            parts.append(one.text_content or "")
        elif one.is_element_node and one.tag not in SILENT | CHOICES | {"svg", "noscript"}:
            edge = " " if one.tag in SET_OFF else ""
            todo += [edge, *reversed(list(one.iter(include_text=True))), edge]
    return "".join(parts)


def _latex(math: LexborNode) -> str:
    annotation = math.css_first('annotation[encoding*="tex" i]')
    source = annotation.text() if annotation is not None else math.attributes.get("alttext") or ""
    return source.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", help="WARC files")
    parser.add_argument("--every", type=int, default=1, help="read every n-th page only")
    parser.add_argument("--show", type=int, default=20, help="unexplained pages to list")
    options = parser.parse_args()
    pages, unexplained, with_lost, with_extra = 0, 0, 0, 0
    reasons: Counter[str] = Counter()
    words_by_reason: Counter[str] = Counter()
    differing_removals: Counter[str] = Counter()
    number = 0
    for archive in options.archives:
        for item in read_responses(archive):
            if not isinstance(item, Response):
                continue
            number += 1
            if (number - 1) % options.every:
                continue
            pages += 1
            found = compare(decode_html(item.body, item.content_type).text, item.url)
            reasons.update(found.reasons.keys())
            words_by_reason.update(found.reasons)
            with_lost += bool(found.lost)
            with_extra += bool(found.extra)
            for reason, (read, counted) in found.removals.items():
                differing_removals[f"{reason}: {'more' if read > counted else 'fewer'} words read than counted"] += 1
            if not found.is_explained:
                unexplained += 1
                if unexplained <= options.show:
                    print(f"{item.url}\n  lost  {found.lost.most_common(8)}\n  extra {found.extra.most_common(8)}")
            if found.removals and unexplained <= options.show:
                print(f"{item.url}\n  removals, read and counted {found.removals}")
    print(f"pages {pages}; with words lost {with_lost}, with words doubled {with_extra}, unexplained {unexplained}")
    for reason, count in reasons.most_common():
        print(f"  {reason:<16}{count:>6} pages {words_by_reason[reason]:>8} words")
    for line, count in differing_removals.most_common():
        print(f"  removal {line} on {count} pages")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
