"""Blocks -> one row of numbers each, from which the model judges them (main_content.md 3).

No word list of any language. All sums are differences of prefix sums, so the cost is linear in blocks and elements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from transforms.blocks.main_content.characters import Matrix
from transforms.blocks.main_content.columns_around import neighbours, sections, structured, titles
from transforms.blocks.main_content.columns_block import kind, links, position, region, text
from transforms.blocks.main_content.columns_element import class_tokens, containers, prose_centre, repetition
from transforms.blocks.main_content.columns_page import page_numbers, page_type
from transforms.blocks.main_content.tokens import TokenScores
from transforms.blocks.main_content.view import CHAIN, PageView


@dataclass(frozen=True)
class Group:
    """Columns that are measured together. measure gives them in their order, rounded, each one number a row or one for all."""

    name: str
    columns: tuple[str, ...]
    measure: Callable[[PageView], Matrix]


def _named(*columns: str) -> tuple[str, ...]:
    return tuple(name for column in columns for name in column.split())


_CONTAINER = """words link_share main_prose_share word_share words_per_block blocks likes images controls headings items long_blocks
    like_on_page"""
TOKENS = "class tokens"

GROUPS: tuple[Group, ...] = (
    Group("text", _named(
        "words characters_per_word sentence_ends_per_word sentence_ends commas_per_word ends_sentence first_case upper_words",
        "starts_with_digit currency separators"), text),
    Group("link", _named("link_share links in_link"), links),
    Group("kind", _named("kind tag heading_level list_depth quoted bold_share"), kind),
    Group("region", _named("region in_main hidden"), region),
    Group("position", _named("place words_before_share number number_from_end words_before words_after"), position),
    Group("prose centre", _named(
        "centre_50 beyond_centre_50 centre_25 beyond_centre_25 centre_80 beyond_centre_80 depth"), prose_centre),
    Group("repetition", _named(
        "entry_steps entry_likes entry_words entry_blocks entry_images",
        "entries_word_share entries_link_share entries_main_prose_share entries_blocks",
        "article_steps article_word_share article_main_prose_share article_likes",
        "same_blocks same_word_share same_link_share same_words_per_block same_prose_share"), repetition),
    Group("containers", _named(
        *(f"container_{step}_{name}" for step in range(CHAIN) for name in _CONTAINER.split()),
        "container_0_tag container_1_tag"), containers),
    Group("neighbours", _named(
        *(f"{name}_{place}" for place in ("3_before", "2_before", "1_before", "1_after", "2_after", "3_after")
          for name in ("words", "link_share", "region")),
        *(f"{name}_{place}" for place in ("1_before", "1_after")
          for name in ("kind", "sentence_ends_per_word", "ends_sentence", "depth_difference", "controls_between")),
        *(f"{name}_within_{reach}" for reach in (5, 15) for name in ("words", "link_share", "prose_share"))), neighbours),
    Group("section", _named(
        "heading_distance heading_before_level heading_before_words words_since_heading section_words section_link_share",
        "section_prose_share next_heading_distance"), sections),
    Group("title", _named("title_overlap blocks_from_title words_from_title blocks_from_headline headlines"), titles),
    Group("structured", _named("in_linked_data in_description"), structured),
    Group("page", _named(
        "page_blocks page_words page_link_share page_prose_share page_main_prose page_headings page_items page_in_main",
        "page_long_blocks page_longest page_images page_controls page_articles page_code page_tables page_currency page_hidden",
        "page_repeats page_sentence_ends page_characters page_entry_words page_centre_link_share page_centre_word_share"),
        page_numbers),
    Group("page type", _named(
        "open_graph_type is_forum is_job is_article is_product is_list is_faq is_breadcrumb is_business is_software is_video",
        "is_review is_page published_time path_depth hyphens extension url_forum url_docs url_shop url_collection url_blog"),
        page_type),
)  # fmt: skip
TOKEN_COLUMNS = _named(
    "token_least token_most token_sum token_mean token_count token_nearest",
    "token_lowest token_highest token_nearest_low token_nearest_high",
)
COLUMNS: tuple[str, ...] = tuple(column for group in GROUPS for column in group.columns) + TOKEN_COLUMNS


def measure_rows(view: PageView, scores: TokenScores) -> Matrix:
    """The matrix (columns, rows), rounded; float32."""
    matrix = np.empty((len(COLUMNS), view.size), np.float32)
    filled = measure_without_tokens(view, matrix)
    matrix[filled:] = class_tokens(view.outline, scores.element_scores(view.outline.values))
    return matrix


def measure_without_tokens(view: PageView, matrix: Matrix) -> int:
    """Fills the columns of all groups but the tokens, which training computes with many tables. Returns their number."""
    filled = 0
    for group in GROUPS:
        measured = group.measure(view)
        matrix[filled : filled + len(measured)] = measured
        filled += len(measured)
    return filled
