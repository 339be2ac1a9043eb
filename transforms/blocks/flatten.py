"""The one walk over the tree of a page (parser.md, "Walking"): reads every node once, changes nothing, needs no Python stack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from transforms.blocks.code import drop_code_label, read_code
from transforms.blocks.context import CHANGING_TAGS, Context, inner_context
from transforms.blocks.editors import read_editor
from transforms.blocks.evidence import (
    BACKGROUND,
    DIALOG,
    EDIT_LINK,
    EDITOR,
    KNOWN_CLASSES,
    NOT_FOR_THE_EYE,
    PERMALINK,
    SCREEN_READER,
    TELLING_ATTRIBUTES,
    of_attributes,
    of_class,
)
from transforms.blocks.flat import BREAK, OUTSIDE, SPACE, Attributes, Flat
from transforms.blocks.head import HEAD_TAGS, read_head_element
from transforms.blocks.math import math_latex
from transforms.blocks.strip import (
    GLYPH_PARENTS,
    KEPT_HEADING_WORDS,
    KEPT_HEADINGS,
    background_image,
    is_closed_dialog,
    is_permalink_glyph,
    is_pixel,
    style_of,
)
from transforms.blocks.subtree import count_words, media_sources
from transforms.blocks.svg import diagram_labels
from transforms.blocks.tags import EMBEDS, EMBEDS_WITH_FALLBACK, FORM_CHOICES, SHARED_ROLES, Role
from transforms.html.tree import LexborNode

Composition = Mapping[int, Sequence[LexborNode]]

# Plain numbers: a member of an enum costs a lookup each time.
CLOSE, TRANSPARENT, MARK, SPACED, MUTED = map(int, (Role.CLOSE, Role.TRANSPARENT, Role.MARK, Role.SPACED, Role.MUTED))
WITHOUT_ELEMENT, CONTAINER, SPECIAL = map(int, (Role.WITHOUT_ELEMENT, Role.CONTAINER, Role.SPECIAL))
CODE, DIAGRAM, FORMULA, RULE = map(int, (Role.CODE, Role.DIAGRAM, Role.FORMULA, Role.RULE))
SILENT, LINE_BREAK, UNWRAPPED = map(int, (Role.SILENT, Role.LINE_BREAK, Role.UNWRAPPED))
READ_CHILDREN = -1


class ShadowRootError(Exception):
    """The page has a declarative shadow root, and no composition was given."""


class Flattener:
    """Walks a page into a `Flat`.

    composition: what stands inside hosts and slots instead of their own children, by `mem_id`, from
    `transforms.html.shadow`; None when it is not known yet. promote_noscript: the page is a noscript shell. css_backgrounds: an
    element with a background image in its style shows that image before all else.
    """

    def __init__(
        self,
        flat: Flat,
        composition: Composition | None,
        promote_noscript: bool,
        include_hidden_text: bool,
        css_backgrounds: bool = False,
    ) -> None:
        self.flat = flat
        self.composition = composition
        self.promote_noscript = promote_noscript
        self.include_hidden_text = include_hidden_text
        self.css_backgrounds = css_backgrounds
        self.postponed: list[tuple[LexborNode, int, Context]] = []
        self.roles = SHARED_ROLES | {"noscript": ("noscript", UNWRAPPED)} if promote_noscript else SHARED_ROLES
        self.children_role = TRANSPARENT
        self.children_at = 0
        self.muted: list[tuple[int, int, int, int]] = []

    def flatten(self, body: LexborNode, html_attributes: Attributes) -> None:
        """Reads body and all in it; fallback content of embeds after that."""
        self.add("html", OUTSIDE, html_attributes)
        attributes = body.attributes
        self.add("body", 0, attributes)
        flags = (of_class(attributes.get("class") or "") | of_attributes(attributes)) & ~(NOT_FOR_THE_EYE | DIALOG)
        context = inner_context(Context(), self.flat.widgets, 1, "body", attributes, flags)
        self.walk(body, 1, CONTAINER, context)
        self.flat.ends[0] = len(self.flat.tags)
        while self.postponed:
            node, element, context = self.postponed.pop()
            self.flat.fallback_elements[element] = len(self.flat.tags)
            begin = len(self.flat.cuts)
            end_of_element = self.flat.ends[element]
            stop = self.flat.stops[element]
            self.walk(node, element, CONTAINER, context)
            self.flat.ends[element], self.flat.stops[element] = end_of_element, stop
            self.flat.fallbacks[element] = (begin, len(self.flat.cuts))

    def add(self, tag: str, parent: int, attributes: Attributes) -> int:
        flat = self.flat
        element = len(flat.tags)
        flat.tags.append(tag)
        flat.parents.append(parent)
        flat.attributes.append(attributes)
        flat.starts.append(len(flat.texts))
        flat.stops.append(len(flat.texts))
        flat.ends.append(element + 1)
        return element

    def walk(self, top: LexborNode, parent: int, role: int, context: Context) -> None:
        """Reads the content of `top`, which is element `parent` already."""
        flat = self.flat
        tags, parents, all_attributes, starts, stops, ends = (
            flat.tags, flat.parents, flat.attributes, flat.starts, flat.stops, flat.ends,
        )  # fmt: skip
        texts, marks, pins, cuts, matches = flat.texts, flat.marks, flat.pins, flat.cuts, flat.matches
        composition, readers, roles, class_flags = self.composition, READERS, self.roles, KNOWN_CLASSES
        telling, changing = TELLING_ATTRIBUTES, CHANGING_TAGS
        # Nobody writes to attributes, so elements that have none, or only the same class, share them: less memory, in less time.
        none: Attributes = {}
        alike: dict[str, Attributes] = {}
        # How long the lists are, and whether the last text is SPACE: asked so often that to count along is much cheaper.
        elements, place, marked, pinned, cut = len(tags), len(texts), len(marks), len(pins), len(cuts)
        spaced = texts[-1] is SPACE
        content = 0  # pieces of text read so far: an element has text if there are more at its end than at its beginning
        stack: list[tuple[LexborNode, Iterator[LexborNode] | None, int, int, int, int, Context]] = []
        queue: Iterator[LexborNode] | None = None  # siblings still to come where the composition replaces a host's children
        if not spaced:
            texts.append(SPACE)
            place += 1
            spaced = True
        stack.append((top, None, OUTSIDE, role, cut, content, context))
        cuts.append((role, parent, place, marked, pinned, context))
        matches.append(0)
        cut += 1
        node: LexborNode | None
        if composition and (composed := composition.get(top.mem_id)) is not None:
            queue = iter(composed)
            node = next(queue, None)
        else:
            node = top.first_child
        while True:
            # End of the siblings: close elements until one has a next sibling.
            while node is None:
                above, queue, parent_above, role, at, before, context = stack.pop()
                if role >= CONTAINER:
                    if not spaced:
                        texts.append(SPACE)
                        place += 1
                        spaced = True
                    if content == before and stack:
                        del cuts[at:], matches[at:]
                        cut = at
                    else:
                        matches[at] = cut
                        cuts.append((CLOSE, parent, place, marked, pinned, context))
                        matches.append(at)
                        cut += 1
                elif role == MARK:
                    if content == before:
                        del marks[at:]
                        marked = at
                    else:
                        marks.append((place, ~parent))
                        marked += 1
                elif role == SPACED:
                    if not spaced:
                        texts.append(SPACE)
                        place += 1
                        spaced = True
                elif role == MUTED:
                    self.mute(parent, at)
                    content = before
                    place, marked, pinned, cut = len(texts), len(marks), len(pins), len(cuts)
                    spaced = texts[-1] is SPACE
                if role != WITHOUT_ELEMENT:
                    ends[parent] = elements
                    stops[parent] = place
                if not stack:
                    return
                parent = parent_above
                node = above.next if queue is None else next(queue, None)

            # Most nodes are text, and only those have content: so they need not be asked for a tag.
            text = node.text_content
            if text is not None:
                if text and not text.isspace():
                    texts.append(text)
                    place += 1
                    spaced = False
                    content += 1
                elif not spaced:
                    texts.append(SPACE)
                    place += 1
                    spaced = True
                node = node.next if queue is None else next(queue, None)
                continue
            tag = node.tag or ""
            tag, role = roles.get(tag) or (tag, TRANSPARENT)
            if role >= SILENT:
                if role == LINE_BREAK:
                    texts.append(BREAK)
                    place += 1
                    spaced = False
                elif role == SILENT:
                    if not spaced:
                        texts.append(SPACE)
                        place += 1
                        spaced = True
                    if tag in HEAD_TAGS:
                        read_head_element(flat, node)
                elif role == UNWRAPPED:
                    children = self.unwrapped_children(node, tag)
                    if tag == "template" and not spaced:
                        texts.append(SPACE)
                        place += 1
                        spaced = True
                    if children:
                        stack.append((node, queue, parent, WITHOUT_ELEMENT, 0, content, context))
                        queue = iter(children)
                        node = next(queue)
                        continue
                node = node.next if queue is None else next(queue, None)
                continue

            attributes = node.attributes
            flags = 0
            if attributes:
                look = attributes.get("class")
                if look:
                    known = class_flags.get(look)
                    flags = of_class(look) if known is None else known
                    if len(attributes) == 1:  # as for most
                        attributes = alike.setdefault(look, attributes)
                    elif not telling.isdisjoint(attributes):
                        flags |= of_attributes(attributes)
                elif not telling.isdisjoint(attributes):
                    flags |= of_attributes(attributes)
            else:
                attributes = none
            element = elements
            elements += 1
            tags.append(tag)
            parents.append(parent)
            all_attributes.append(attributes)
            starts.append(place)
            stops.append(place)
            ends.append(elements)
            inner = context
            if flags or tag in changing:
                examined = self.examine(node, element, tag, attributes, flags, context)
                if examined is None or flags & EDITOR:
                    if not spaced:
                        texts.append(SPACE)
                        place += 1
                        spaced = True
                    if examined is not None:
                        self.read_editor(node, element, examined)
                        content += 1
                        place, cut = len(texts), len(cuts)  # it ends with SPACE
                    node = node.next if queue is None else next(queue, None)
                    continue
                inner = examined
                pinned = len(pins)  # an image behind it is one more

            child = node.first_child
            at = 0
            if role == MARK:
                if tag == "a" and (
                    flags & PERMALINK
                    or ((href := attributes.get("href")) and href[0] == "#" and self.is_permalink_glyph(node, element))
                ):
                    self.remove("permalink", node)
                    if not spaced:
                        texts.append(SPACE)
                        place += 1
                        spaced = True
                    node = node.next if queue is None else next(queue, None)
                    continue
                if child is None and not composition:
                    node = node.next if queue is None else next(queue, None)
                    continue
                at = marked
                marks.append((place, element))
                marked += 1
            elif role >= CONTAINER:
                if role == SPECIAL:
                    read = readers[tag](self, node, element, attributes, inner)
                    place, marked, pinned, cut = len(texts), len(marks), len(pins), len(cuts)
                    spaced = texts[-1] is SPACE
                    if read >= 0:
                        content += read
                        node = node.next if queue is None else next(queue, None)
                        continue
                    role = self.children_role
                    at = self.children_at
                else:
                    if not spaced:
                        texts.append(SPACE)
                        place += 1
                        spaced = True
                    at = cut
                    cuts.append((role, element, place, marked, pinned, inner))
                    matches.append(0)
                    cut += 1
            elif role == SPACED and not spaced:
                texts.append(SPACE)
                place += 1
                spaced = True

            if composition and (composed := composition.get(node.mem_id)) is not None:
                stack.append((node, queue, parent, role, at, content, context))
                queue = iter(composed)
                child = next(queue, None)
            elif child is None and role == TRANSPARENT:
                node = node.next if queue is None else next(queue, None)
                continue
            else:
                stack.append((node, queue, parent, role, at, content, context))
                queue = None
            node = child
            parent = element
            context = inner

    def examine(
        self, node: LexborNode, element: int, tag: str, attributes: Attributes, flags: int, context: Context
    ) -> Context | None:
        """The context inside an element, or None when the element is taken out (blocks.md 3.3)."""
        if (flags & DIALOG or tag == "dialog") and is_closed_dialog(tag, attributes, has_role=bool(flags & DIALOG)):
            self.remove("dialog", node)
            return None
        if flags & NOT_FOR_THE_EYE and not self.include_hidden_text:
            by_class_only = flags & NOT_FOR_THE_EYE == SCREEN_READER
            if not (by_class_only and tag in KEPT_HEADINGS and count_words(node) >= KEPT_HEADING_WORDS):
                reason = "edit-link" if flags & EDIT_LINK else "screen-reader" if flags & SCREEN_READER else "off-screen"
                self.remove(reason, node)
                return None
        if flags & BACKGROUND and self.css_backgrounds and tag not in EMBEDS and tag != "img":
            background = background_image(attributes.get("style") or "")
            if background is not None:
                self.flat.backgrounds[element] = background
                self.flat.pins.append((len(self.flat.texts), element, context))
        return inner_context(context, self.flat.widgets, element, tag, attributes, flags)

    def remove(self, reason: str, node: LexborNode) -> None:
        words = count_words(node)
        if words:
            self.flat.removed[reason] += words

    def is_permalink_glyph(self, node: LexborNode, element: int) -> bool:
        text = node.text()
        return is_permalink_glyph(text, in_heading=False) or (
            is_permalink_glyph(text, in_heading=True) and self.lies_in(element, GLYPH_PARENTS)
        )

    def lies_in(self, element: int, tags: frozenset[str]) -> bool:
        parents = self.flat.parents
        element = parents[element]
        while element != OUTSIDE and self.flat.tags[element] not in tags:
            element = parents[element]
        return element != OUTSIDE

    def unwrapped_children(self, node: LexborNode, tag: str) -> Sequence[LexborNode]:
        if tag == "template":
            if self.composition is None and "shadowrootmode" in node.attributes:
                raise ShadowRootError
            return ()
        if self.composition is not None and (composed := self.composition.get(node.mem_id)) is not None:
            return composed
        return list(node.iter(include_text=True))

    def space(self) -> None:
        if self.flat.texts[-1] is not SPACE:
            self.flat.texts.append(SPACE)

    def leaf(self, role: int, element: int, context: Context, text: str) -> int:
        """Notes an element that is emitted on its own, with the text it shows."""
        flat = self.flat
        self.space()
        at = len(flat.cuts)
        flat.cuts.append((role, element, len(flat.texts), len(flat.marks), len(flat.pins), context))
        if text:
            flat.texts += (text, SPACE)
        flat.cuts.append((CLOSE, element, len(flat.texts), len(flat.marks), len(flat.pins), context))
        flat.matches += (at + 1, at)
        flat.stops[element] = len(flat.texts)
        return 1

    def read_rule(self, node: LexborNode, element: int, attributes: Attributes, context: Context) -> int:
        return self.leaf(RULE, element, context, "")

    def read_image(self, node: LexborNode, element: int, attributes: Attributes, context: Context) -> int:
        self.space()
        if not is_pixel(attributes):
            self.flat.pins.append((len(self.flat.texts), element, context))
        return 0

    def read_embed(self, node: LexborNode, element: int, attributes: Attributes, context: Context) -> int:
        self.space()
        if is_pixel(attributes):
            return 0
        flat = self.flat
        flat.pins.append((len(flat.texts), element, context))
        if flat.tags[element] in EMBEDS_WITH_FALLBACK and node.first_child is not None:
            flat.media[element] = media_sources(node)
            fallback = Context(context)
            fallback.fallback = True
            self.postponed.append((node, element, fallback))
        return 0

    def read_choices(self, node: LexborNode, element: int, attributes: Attributes, context: Context) -> int:
        self.space()
        self.remove("choices", node)
        return 0

    def read_svg(self, node: LexborNode, element: int, attributes: Attributes, context: Context) -> int:
        labels, is_diagram = diagram_labels(node)
        if is_diagram:
            return self.leaf(DIAGRAM, element, context, labels)
        self.space()
        if labels:
            self.flat.removed["icon-label"] += len(labels.split())
        return 0

    def read_math(self, node: LexborNode, element: int, attributes: Attributes, context: Context) -> int:
        latex = math_latex(node)
        if latex is None:
            self.children_role = TRANSPARENT
            return READ_CHILDREN
        flat = self.flat
        flat.formulas.append((element, latex))
        if (attributes.get("display") or "").strip().lower() == "block":
            return self.leaf(FORMULA, element, context, f"$${latex}$$")
        flat.texts.append(f"${latex}$")
        return 1

    def read_pre(self, node: LexborNode, element: int, attributes: Attributes, context: Context) -> int:
        code = read_code(node, attributes)
        if code is None:
            self.space()
            return 0
        drop_code_label(self.flat, element, code.language)
        self.flat.codes[element] = code
        return self.leaf(CODE, element, context, code.text)

    def read_editor(self, node: LexborNode, element: int, context: Context) -> None:
        code = read_editor(node)
        if code is not None:
            self.flat.codes[element] = code
            self.leaf(CODE, element, context, code.text)

    def read_noscript(self, node: LexborNode, element: int, attributes: Attributes, context: Context) -> int:
        self.space()
        if self.muted:
            self.children_role = TRANSPARENT
            return READ_CHILDREN
        flat = self.flat
        flat.noscript_words += len(node.text().split())
        if node.css_first("img") is None:
            self.remove("noscript", node)
            return 0
        self.children_role = MUTED
        self.children_at = len(self.muted)
        self.muted.append((len(flat.texts), len(flat.marks), len(flat.pins), len(flat.cuts)))
        return READ_CHILDREN

    def mute(self, noscript: int, at: int) -> None:
        """Takes back all that was read in a noscript, but its pictures (blocks.md 3.4, 4.10)."""
        flat = self.flat
        text, mark, pin, cut = self.muted[at]
        del self.muted[at:]
        words = len(flat.text(text, len(flat.texts)).split())
        if words:
            flat.removed["noscript"] += words
        del flat.texts[text:], flat.marks[mark:], flat.cuts[cut:], flat.matches[cut:]
        for element in range(noscript + 1, len(flat.tags)):
            flat.starts[element] = flat.stops[element] = text
        images = [
            (text, element, context)
            for _, element, context in flat.pins[pin:]
            if flat.tags[element] == "img" and not style_of(flat.attributes[element]).display_none
        ]
        flat.pins[pin:] = images
        flat.noscript_images += [(element, noscript) for _, element, _ in images]


# Functions rather than bound methods, which would tie each page into a cycle that only the garbage collector unties.
READERS: dict[str, Callable[[Flattener, LexborNode, int, Attributes, Context], int]] = {
    "hr": Flattener.read_rule,
    "img": Flattener.read_image,
    "svg": Flattener.read_svg,
    "math": Flattener.read_math,
    "pre": Flattener.read_pre,
    "noscript": Flattener.read_noscript,
    **dict.fromkeys(EMBEDS, Flattener.read_embed),
    **dict.fromkeys(FORM_CHOICES, Flattener.read_choices),
}
