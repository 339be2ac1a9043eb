"""The calibration of script lengths, on small declarations whose factors are known."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.calibrate_script_lengths import LANGUAGES, Language, factors, measure, measure_all, read_declaration, read_messages

ROOT = Path(__file__).resolve().parents[2]
CHINESE = Language("Chinese", "Han", "cmn")
JAPANESE = Language("Japanese", "Kana", "jpn")


def declaration(passage: str, numbers: range = range(1, 31)) -> str:
    """As the package has it: a preamble, articles with headings, some with lists."""
    articles = [
        f'<article data-number="{number}"><h2>X {number}</h2>'
        + (f"<p>{passage}</p>" if number % 2 else f"<ol><li><p>{passage[:3]}</p></li> <li><p>{passage[3:]}</p></li></ol>")
        + "</article>"
        for number in numbers
    ]
    return f"<!doctype html><title>X</title><body><h1>X</h1><header><h2>X</h2><p>{passage} </p></header>{''.join(articles)}"


def test_a_declaration_is_its_preamble_and_articles_without_headings(tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    path.write_text(declaration("abcdef"), encoding="utf-8")
    assert read_declaration(path) == ["abcdef"] * 31


def test_a_missing_article_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    path.write_text(declaration("abcdef", range(1, 29)), encoding="utf-8")
    with pytest.raises(ValueError, match=r"x\.html.*\[29, 30\]"):
        read_declaration(path)


@pytest.mark.parametrize(
    ("language", "pairs", "known", "factor"),
    [
        (CHINESE, [("x" * 40, "漢" * 10)], {}, 4.0),
        (CHINESE, [("x" * 40, "漢" * 9 + "。 ab")], {}, 4.0),  # the others count 1 each
        (CHINESE, [("x" * 40, "漢" * 10), ("x" * 10, "漢" * 10)], {}, 2.5),  # of the whole, not a mean of ratios
        (CHINESE, [("\U0001f600" * 20, "\U00020000" * 10)], {}, 4.0),  # UTF-16 units, but code points of the script
        (JAPANESE, [("x" * 40, "漢" * 6 + "かナー" * 4)], {"Han": 4.0}, 16 / 12),
    ],
)
def test_factor(language: Language, pairs: list[tuple[str, str]], known: dict[str, float], factor: float) -> None:
    assert measure(language, pairs, known).factor == pytest.approx(factor)


def test_error_is_the_jackknifes() -> None:
    even = [("x" * 40, "漢" * 10)] * 9
    assert measure(CHINESE, even, {}).error == 0
    # Factors without one passage each: 4, 3 and 2; their spread times (n - 1) / n, summed.
    uneven = [("x" * 20, "漢" * 10), ("x" * 30, "漢" * 10), ("x" * 40, "漢" * 10)]
    assert measure(CHINESE, uneven, {}).error == pytest.approx((2 / 3 * (0.25 + 0 + 0.25)) ** 0.5)


def test_kana_is_solved_with_the_mean_factor_of_chinese() -> None:
    pairs = {
        CHINESE: [("x" * 40, "漢" * 10)],
        Language("Chinese, too", "Han", "cmn2"): [("x" * 40, "漢" * 8)],
        JAPANESE: [("x" * 40, "漢" * 4 + "か" * 11)],
    }
    assert factors(measure_all(pairs)) == pytest.approx({"Han": 4.5, "Kana": 2.0})


def test_messages_are_prose_and_translated(tmp_path: Path) -> None:
    prose = (
        "The ferryman keeps a log in which every crossing has one line, with its hour and the wind, from March until November, say."
    )
    messages = {
        "": "Content-Type: text/plain; charset=UTF-8\n",
        prose: "渡し守は日誌をつける。",
        f"menu\x04{prose} Always.": "渡し守はいつも日誌をつける。",
        f"{prose} %d lines": "渡し守",
        f"{prose} English": prose,
        "Short": "短い",
    }
    folder = tmp_path / "ja" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "a.mo").write_bytes(catalog(messages))
    assert sorted(read_messages(tmp_path / "ja")) == [
        (prose, "渡し守は日誌をつける。"),
        (f"{prose} Always.", "渡し守はいつも日誌をつける。"),
    ]


def catalog(messages: dict[str, str]) -> bytes:
    """A gettext .mo file: two tables of lengths and places, then the texts, each ended by a zero byte."""
    import struct

    texts = [(key.encode(), value.encode()) for key, value in sorted(messages.items())]
    offset = 28 + 16 * len(texts)
    tables: list[bytes] = []
    data = b""
    for column in (0, 1):
        for row in texts:
            tables.append(struct.pack("<II", len(row[column]), offset + len(data)))
            data += row[column] + b"\0"
    return struct.pack("<IIIIIII", 0x950412DE, 0, len(texts), 28, 28 + 8 * len(texts), 0, offset) + b"".join(tables) + data


def test_the_command_prints_a_row_a_language_and_the_factors(tmp_path: Path) -> None:
    passages = {"Han": "漢", "Kana": "か", "Hangul": "한", "Thai": "ท", "Lao": "ລ", "Khmer": "ក", "Myanmar": "မ"}
    (tmp_path / "eng.html").write_text(declaration("x" * 40), encoding="utf-8")
    for language in LANGUAGES:
        (tmp_path / f"{language.declaration}.html").write_text(declaration(passages[language.script] * 20), encoding="utf-8")
    command = [sys.executable, "-m", "scripts.calibrate_script_lengths", str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "| Lao | Lao | 31 | 1240 | 620 |  | 0 | 2.000 | 0.000 |" in result.stdout
    assert result.stdout.endswith("Han: 2.00, Kana: 2.00, Hangul: 2.00, Thai: 2.00, Lao: 2.00, Khmer: 2.00, Myanmar: 2.00\n")


def test_a_folder_without_the_texts_is_wrong_use(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scripts.calibrate_script_lengths", str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert "eng.html" in result.stderr
    assert result.stderr.count("\n") == 1
