"""What an element's attributes say about it (blocks.md 3.3, 4.9, 7): a set of flags, from tables of names.

The same values come again and again, on one page and across sites, so each is looked at once and remembered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from transforms.blocks.names import forms, names
from transforms.blocks.strip import read_style

# The flags. Plain numbers: they are tested for every element of every page.
(
    SCREEN_READER, EDIT_LINK, PERMALINK, EDITOR, BODY, CALLOUT, FURNITURE, RAIL, CONSENT, COMMENTS, FILTER,
    ARTICLE_BODY, HIDDEN, OFF_SCREEN, DIALOG, LANDMARK, BACKGROUND,
) = (1 << bit for bit in range(17))  # fmt: skip
NOT_FOR_THE_EYE = SCREEN_READER | EDIT_LINK | OFF_SCREEN
WIDGETS = FURNITURE | RAIL | CONSENT | COMMENTS | FILTER
# What an id can say; the other flags of a token are given by classes only.
OF_ID = WIDGETS | BODY | CALLOUT

SCREEN_READER_CLASSES = names(
    """sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only a11y-hidden u-visually-hidden
    is-visually-hidden sr_only visually_hidden assistive-text hidden-visually offscreen clip-hidden"""
)
EDIT_LINK_CLASSES = names("mw-editsection editsection")
PERMALINK_CLASSES = names("headerlink hash-link anchor-link header-anchor heading-link permalink")
EDITOR_CLASSES = names("cm-editor CodeMirror monaco-editor ace_editor")
# Whole tokens. blocks.md 7 names these; those after it in the next tables are ours, where it ends with "…".
BODY_TOKENS = forms(
    """entry-content entry-body post-content post-body post-text article-body article-content article-text story-body
    story-content story-text content-body body-copy fulltext td-post-content news-body news-content news-text blog-content
    field-body"""
)
CALLOUT_WORDS = ("note", "tip", "caution", "danger", "warning", "info", "important", "hint", "example", "see also")
CALLOUT_PARTS = frozenset({*CALLOUT_WORDS, "admonition", "callout", "alert", "success"})
FURNITURE_TOKENS = forms(
    """signature message-signature post-signature forum-signature user-signature message-user message-userdetails
    message-cell--user userinfo user-info-card postprofile post-profile user-card usercard author-card postauthor poster-info
    postbit-user post-user userblock"""
)
# Compounds bounded by hyphens or the token's ends.
RAIL_COMPOUNDS = names(
    """most-read most-popular most-viewed most-commented trending-now trending-posts popular-posts recent-posts latest-posts
    latest-news related-posts related-articles related-stories related-content related-links related-news related-products
    related-videos recommended-posts recommended-articles recommended-stories you-may-like you-might-like read-next
    read-more-posts more-stories more-news share-bar share-buttons share-links share-icons sharing-buttons social-share
    social-links social-icons social-media-links social-bar post-share ad-slot ad-unit ad-container ad-wrapper ad-banner
    ads-container google-ad advert-container newsletter-signup site-footer footer-wrap footer-wrapper footer-menu footer-nav
    footer-links footer-widgets site-header header-menu header-nav main-menu main-nav mobile-menu mobile-nav nav-menu mega-menu
    top-bar top-menu site-nav primary-menu off-canvas side-nav sidebar-nav"""
)
RAIL_WORDS = frozenset(
    names(
        """breadcrumb breadcrumbs ticker navbar taboola outbrain sharedaddy addtoany addthis jp-relatedposts yarpp zergnet mgid
        revcontent megamenu"""
    )
)
# As words and hyphen-bounded compounds of a token: `truste` is in many a `trusted-partners`.
CONSENT_VENDORS = names(
    """onetrust one-trust cookiebot cybot didomi truste trustarc sp-message qc-cmp2 qc-cmp usercentrics cookielaw cookielawinfo
    osano iubenda cmplz complianz cookieyes termly klaro quantcast-choice borlabs"""
)
# In a compound: `cookie-bar`; at the end of one not all, since a `site-privacy` may be a page about it.
CONSENT_WORDS = frozenset({"cookie", "cookies", "consent", "gdpr", "privacy"})
CONSENT_LAST_WORDS = CONSENT_WORDS - {"privacy"}
COMMENTS_TOKENS = frozenset({"commentlist", "disqus_thread", "wpdiscuz"})
COMMENTS_PARTS = frozenset({"comment", "comments", "wpdiscuz"})
NOT_COMMENTS_PARTS = frozenset({"has", "count", "author", "reply"})
FILTER_PARTS = frozenset({"filter", "filters", "facet", "facets", "refine"})
DIALOG_ROLES = frozenset({"dialog", "alertdialog"})
LANDMARK_ROLES = {"main": "main", "navigation": "nav", "banner": "header", "contentinfo": "footer", "complementary": "aside"}

# Attributes beside class that may say something.
TELLING_ATTRIBUTES = frozenset({"id", "style", "hidden", "role", "aria-label", "itemprop", "data-testid"})

# What whole tokens say, in lower case; no token is in two of these tables.
_TOKEN_FLAGS = {
    **dict.fromkeys(SCREEN_READER_CLASSES, SCREEN_READER),
    **dict.fromkeys(EDIT_LINK_CLASSES, EDIT_LINK),
    **dict.fromkeys(PERMALINK_CLASSES, PERMALINK),
    **dict.fromkeys(BODY_TOKENS, BODY),
    **dict.fromkeys(FURNITURE_TOKENS, FURNITURE),
    **dict.fromkeys(RAIL_WORDS, RAIL),
    **dict.fromkeys(COMMENTS_TOKENS, COMMENTS),
}
# What parts of tokens say by themselves; no part is in two of these tables.
_PART_FLAGS = {
    **dict.fromkeys(CALLOUT_PARTS, CALLOUT),
    **dict.fromkeys(RAIL_WORDS, RAIL),
    **dict.fromkeys(FILTER_PARTS, FILTER),
    **dict.fromkeys((vendor for vendor in CONSENT_VENDORS if "-" not in vendor), CONSENT),
}
_COMPOUND_FLAGS = {
    **dict.fromkeys(RAIL_COMPOUNDS, RAIL),
    **dict.fromkeys((vendor for vendor in CONSENT_VENDORS if "-" in vendor), CONSENT),
}
# The compounds by their first part, with the hyphens that bound them, and what they say.
_COMPOUNDS = {
    first: tuple((f"-{compound}-", flag) for compound, flag in _COMPOUND_FLAGS.items() if compound.startswith(f"{first}-"))
    for first in (compound.partition("-")[0] for compound in _COMPOUND_FLAGS)
}
# Every token that `_of_parts` finds something in has one of these parts, and few others have.
_TELLING_PARTS = frozenset({*_PART_FLAGS, *_COMPOUNDS, *COMMENTS_PARTS, *CONSENT_WORDS, "also"})
_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FILTER = re.compile("filter|facet|refine")
_LONGEST_TOKEN = 200
_MOST_REMEMBERED = 50_000
# The flags of values that have been looked at.
KNOWN_TOKENS: dict[str, int] = {}
KNOWN_CLASSES: dict[str, int] = {}


def of_attributes(attributes: Mapping[str, str | None]) -> int:
    """The flags of all attributes but class."""
    flags = 0
    if value := attributes.get("id"):
        flags |= of_token(value) & OF_ID
    if value := attributes.get("style"):
        style = read_style(value)
        flags |= HIDDEN * style.hidden | OFF_SCREEN * style.off_screen | BACKGROUND * ("url(" in value)
    if "hidden" in attributes:
        flags |= HIDDEN
    if value := attributes.get("role"):
        for role in value.lower().split():
            flags |= LANDMARK * (role in LANDMARK_ROLES) | DIALOG * (role in DIALOG_ROLES)
    if (value := attributes.get("itemprop")) and "articlebody" in value.lower():
        flags |= ARTICLE_BODY
    for name in ("aria-label", "data-testid"):
        if (value := attributes.get(name)) and _FILTER.search(value.lower()):
            flags |= of_class(value) & FILTER
    return flags


def of_class(value: str) -> int:
    """The flags of a class attribute: those of all its tokens."""
    flags = KNOWN_CLASSES.get(value)
    if flags is None:
        flags = 0
        for token in value.split():
            known = KNOWN_TOKENS.get(token)
            flags |= of_token(token) if known is None else known
        if len(value) <= _LONGEST_TOKEN:
            _remember(KNOWN_CLASSES, value, flags)
    return flags


def of_token(token: str) -> int:
    """The flags of one token. Tokens of over 200 characters say nothing."""
    flags = KNOWN_TOKENS.get(token)
    if flags is None:
        if len(token) > _LONGEST_TOKEN:
            return 0
        flags = _of_unknown_token(token)
        _remember(KNOWN_TOKENS, token, flags)
    return flags


def _remember(known: dict[str, int], key: str, flags: int) -> None:
    if len(known) >= _MOST_REMEMBERED:
        known.clear()
    known[key] = flags


def _of_unknown_token(token: str) -> int:
    lowered = token.lower()
    flags = _TOKEN_FLAGS.get(lowered, 0)
    if token in EDITOR_CLASSES:
        flags |= EDITOR
    parted = token if token == lowered else _WORD_EDGE.sub("-", token).lower()
    parts = parted.replace("_", "-").split("-")
    return flags if _TELLING_PARTS.isdisjoint(parts) else flags | _of_parts(parts)


def _of_parts(parts: Sequence[str]) -> int:
    """What the words of a token say together."""
    flags = 0
    words = [part for part in parts if part]
    hyphened = f"-{'-'.join(words)}-"
    telling = _TELLING_PARTS.intersection(parts)
    for part in telling:
        flags |= _PART_FLAGS.get(part, 0)
        for compound, flag in _COMPOUNDS.get(part, ()):
            if compound in hyphened:
                flags |= flag
    if hyphened.endswith("see-also-"):
        flags |= CALLOUT
    if not COMMENTS_PARTS.isdisjoint(telling) and NOT_COMMENTS_PARTS.isdisjoint(parts):
        flags |= COMMENTS
    if not CONSENT_WORDS.isdisjoint(telling) and (
        not CONSENT_WORDS.isdisjoint(words[:-1]) or (len(words) > 1 and words[-1] in CONSENT_LAST_WORDS)
    ):
        flags |= CONSENT
    return flags
