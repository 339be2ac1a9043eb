"""What the HTML Standard says about elements by their names (13.1.2, 13.2.4, 13.2.6), as far as nesting depends on it."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def ascii_lower(name: str) -> str:
    """A tag's name as the parser has it: a name with U+212A instead of `k` is another name."""
    return name.lower() if name.isascii() else name


VOID = _names("area base basefont bgsound br col command embed frame hr image img input keygen link meta param source track wbr")
# Elements whose end tag may be omitted. They do not count, or a long list of unclosed items would look deep.
END_TAG_OMITTED = _names("p li dd dt option optgroup td th tr tbody thead tfoot colgroup caption rb rt rtc rp html head body")
# There is one of each, whatever the markup says.
SINGLETONS = frozenset({"html", "head", "body"})
# They outlive the element that they are in: the parser opens them again after its end.
FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")
# An end tag does not look beyond these. Those of SVG and MathML are elements like others when they are not in them.
FOREIGN_SCOPE = _names("foreignobject desc title mi mo mn ms mtext annotation-xml")
SCOPE = FOREIGN_SCOPE | _names("applet caption html marquee object select table td template th")
TABLE_SCOPE = frozenset({"html", "table", "template"})
LIST_SCOPE = SCOPE | {"ol", "ul"}
BUTTON_SCOPE = SCOPE | {"button"}
# Formatting elements inside are apart from those outside.
MARKERS = _names("applet caption marquee object td template th")
RUBY = frozenset({"rb", "rt", "rtc", "rp"})
# The end tag of an ordinary element does not look beyond a special one. Ruby is special to Lexbor, though not to the standard.
SPECIAL = (
    SCOPE
    | RUBY
    | _names(
        """address article aside blockquote body button center dd details dialog dir div dl dt fieldset figcaption figure footer
    form frameset h1 h2 h3 h4 h5 h6 head header hgroup iframe li listing main menu nav noembed noframes noscript ol p plaintext pre
    script search section select style summary tbody textarea tfoot thead tr ul xmp"""
    )
)
HEADINGS = _names("h1 h2 h3 h4 h5 h6")
# Start tags that end an open paragraph.
ENDS_PARAGRAPH = HEADINGS | _names(
    """address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form header hgroup
    li listing main menu nav ol p plaintext pre search section summary table ul xmp"""
)
# start tag: (what it ends, what it does not look beyond)
_LIST_STOPS = SPECIAL - {"address", "div", "p"}
_CELL = frozenset({"td", "th"})
_ROW_GROUP = frozenset({"tbody", "thead", "tfoot", "caption", "colgroup"})
IMPLIED_END = {
    "li": (frozenset({"li"}), _LIST_STOPS - {"li"}),
    "dd": (frozenset({"dd", "dt"}), _LIST_STOPS - {"dd", "dt"}),
    "dt": (frozenset({"dd", "dt"}), _LIST_STOPS - {"dd", "dt"}),
    "td": (_CELL, TABLE_SCOPE),
    "th": (_CELL, TABLE_SCOPE),
    "tr": (frozenset({"tr"}), TABLE_SCOPE),
    **dict.fromkeys(_ROW_GROUP, (_ROW_GROUP, TABLE_SCOPE)),
    "button": (frozenset({"button"}), SCOPE),
}
# The same where the element to end must be the innermost one.
IMPLIED_END_OF_INNERMOST = {
    "option": frozenset({"option"}),
    "optgroup": frozenset({"option", "optgroup"}),
    **dict.fromkeys(RUBY, RUBY),
    **dict.fromkeys(HEADINGS, HEADINGS),
}
# Their content is text up to their end tag, or up to the end of the page.
RAW_TEXT = _names("iframe noembed noframes plaintext script style textarea title xmp")
# Elements that cannot be in SVG or MathML: their start tag ends it.
ENDS_FOREIGN = _names(
    """b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p
    pre ruby s small span strong strike sub sup table tt u ul var"""
)
# Elements of SVG and MathML in which elements are HTML again ("integration points"); annotation-xml by its encoding.
SVG_INTEGRATION = frozenset({"foreignobject", "desc", "title"})
MATHML_INTEGRATION = frozenset({"mi", "mo", "mn", "ms", "mtext"})
HTML_ENCODINGS = frozenset({"text/html", "application/xhtml+xml"})
# `font` only with one of these.
FONT_ATTRIBUTES = frozenset({"color", "face", "size"})

PARAGRAPH = frozenset({"p"})
# End tags that end SVG and MathML.
END_TAGS_OUT_OF_FOREIGN = frozenset({"p", "br"})
# A second one ends the first, wherever that was opened.
ONE_AT_A_TIME = frozenset({"a", "nobr"})
# An unclosed one directly before another of its kind, or before the end of what it is in, is closed.
CLOSED_BY_ITSELF = _names("p li dd dt option td th tr")
CLOSED_AT_END = _names("p li dd dt option optgroup")
CLOSED_AT_END_OF_TABLE = CLOSED_AT_END | _CELL | _ROW_GROUP | {"tr"}
TABLE_INNER = _CELL | _ROW_GROUP | {"tr"}  # ignored outside a table
TABLE_PARTS = TABLE_INNER | {"table"}
# What an end tag does not look beyond, where it is neither SCOPE nor, for an ordinary element, SPECIAL.
END_TAG_STOPS = {
    "p": BUTTON_SCOPE,
    "li": LIST_SCOPE,
    "template": frozenset[str](),
    **dict.fromkeys(TABLE_PARTS, TABLE_SCOPE),
    **dict.fromkeys(FOREIGN_SCOPE | RUBY | {"noscript"}, SPECIAL),
}
