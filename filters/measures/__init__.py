"""Measures: numbers about a text or an image. They judge nothing; `filters.rules` does."""

from filters.measures.image import measure_image
from filters.measures.language import LanguageGuess, identify_language
from filters.measures.perplexity import PerplexityConfig, join_likelihoods, score_text, stored_likelihood
from filters.measures.text import (
    TEXT_MEASURES,
    TextProfile,
    count_hits,
    join_hits,
    join_measures,
    measure_text,
    profile_text,
)
from filters.measures.versions import MEASURES_VERSION, measure_versions

__all__ = [
    "MEASURES_VERSION",
    "TEXT_MEASURES",
    "LanguageGuess",
    "PerplexityConfig",
    "TextProfile",
    "count_hits",
    "identify_language",
    "join_hits",
    "join_likelihoods",
    "join_measures",
    "measure_image",
    "measure_text",
    "measure_versions",
    "profile_text",
    "score_text",
    "stored_likelihood",
]
