"""A quick answer for nearly every page: its tags nest, and carry attributes, well within the limits.

Most end tags close the innermost element. So this takes only those for effective of which that is certain, and leaves an element
open in any other case. What it finds open is then at least what a parser has open, for a small part of the cost of `open_elements`;
only a page that it cannot vouch for is looked at in full.

The scan itself is the one compiled part of this project (`_nesting.c`): every byte of every page goes through it, and in Python it
took twice as long as the parse that it guards.
"""

from __future__ import annotations

from collections.abc import Iterable

from transforms.html.elements import (
    CLOSED_AT_END,
    CLOSED_AT_END_OF_TABLE,
    CLOSED_BY_ITSELF,
    END_TAG_STOPS,
    END_TAGS_OUT_OF_FOREIGN,
    ENDS_FOREIGN,
    FORMATTING,
    MATHML_INTEGRATION,
    RAW_TEXT,
    SINGLETONS,
    SPECIAL,
    SVG_INTEGRATION,
    TABLE_PARTS,
    VOID,
)

try:
    from transforms.html import _nesting
except ImportError as error:
    raise ImportError(
        "transforms/html/_nesting.c is not compiled for this Python; install again: pip install --editable ."
    ) from error

# In the order of their bits in `_nesting.c`, which says what they mean there.
_KINDS: tuple[Iterable[str], ...] = (
    VOID | SINGLETONS,
    RAW_TEXT - {"plaintext"},
    {"frameset", "plaintext"},
    FORMATTING,
    CLOSED_BY_ITSELF,
    CLOSED_AT_END,
    CLOSED_AT_END_OF_TABLE,
    TABLE_PARTS,
    {name for name in SPECIAL if END_TAG_STOPS.get(name) is not SPECIAL},
    {"svg", "math"},
    ENDS_FOREIGN | {"font"},
    SVG_INTEGRATION | MATHML_INTEGRATION | {"annotation-xml"},
    # End tags of which `open_elements` does not say that they close everything in the innermost element of their name.
    SPECIAL | FORMATTING | END_TAGS_OUT_OF_FOREIGN,
    {"script"},
)
_KIND_OF = _nesting.make_kinds(
    {name: sum(1 << bit for bit, names in enumerate(_KINDS) if name in names) for name in frozenset().union(*_KINDS)}
)


def surely_within(html: bytes, max_nesting: int | None, max_attributes: int | None, max_nodes: int | None) -> bool:
    """Whether a page is certainly within the limits; False when that cannot be told cheaply. None for a limit that is off.

    html: the decoded page in UTF-8. max_nodes: of the tree that a parser makes of it, with those that no tag stands for. Linear in
    the bytes; the memory is that of the open elements.
    """
    return _nesting.surely_within(html, _KIND_OF, max_nesting, max_attributes, max_nodes)
