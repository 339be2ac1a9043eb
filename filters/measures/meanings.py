"""What each measure is, in one line: for the settings' description, the report, the dataset card (filters.md 2 to 4)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "available": "1 if the image was found and decodes, else 0",
        "format": "format of the stored bytes, found in the bytes",
        "width": "width of the stored image, pixels",
        "height": "height of the stored image, pixels",
        "rendered_width": "width that the page declares, pixels; a percentage is of the image's own",
        "rendered_height": "height that the page declares, pixels; a percentage is of the image's own",
        "aspect": "width of the stored image over its height",
        "url_words": "words such as logo, button, icon in the path of the image's URL",
        "nsfw_score": "how likely open_nsfw finds the image not safe for work, 0 to 1; asked for only where the rule is on",
        "images": "number of images left",
        "words": "number of words; in scripts without spaces as ICU cuts them",
        "char_repetition_ratio": "share of the most frequent repeated sequences among all sequences of 10 characters",
        "word_repetition_ratio": "share of the sequences of 5 words that come more than once",
        "special_char_ratio": "share of characters that are neither letters nor marks: spaces, digits, punctuation, symbols",
        "stop_word_ratio": "share of words that are function words of the language",
        "flagged_word_ratio": "share of words on the list of flagged words of the language",
        "punctuation_ratio": "marks that end a sentence, over marks and tokens",
        "common_word_ratio": "share of words on the list of common words of the language",
        "spam_word_ratio": "share of words such as share, subscribe, cookie; 0 unless there are two",
        "language": "language that fastText names, ISO 639 code",
        "language_score": "probability that fastText gives that language",
        "perplexity": "how surprised the n-gram model of the language is; low: like its training text",
    }
)
