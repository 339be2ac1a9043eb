"""Word lists that a run brings along (models.md 4)."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from filters.flagged_words import MIN_ENTRIES
from filters.measures import count_hits, join_hits, profile_text
from filters.measures.text import ListHits
from filters.word_lists import STOPWORDSISO, ListsConfig, flagged_words, list_versions, word_list

SWEDISH = "Det var en gång en gammal bro över ån."


def ratio(measure: str, text: str, language: str, lists: ListsConfig) -> object:
    profile = profile_text(text)
    return profile.measures(language, hits=count_hits(profile, language, lists))[measure]


def written(folder: Path, text: str) -> str:
    path = folder / "list.txt"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_is_the_list_of_its_language(tmp_path: Path) -> None:
    lists = ListsConfig(
        function_words={"swe": written(tmp_path, "# Swedish\nDet VAR en  # articles\növer ab-cd two\u00a0words … \n")}
    )
    assert word_list("function_words", "sv", lists) == {"det", "var", "en", "över", "ab-cd", "two", "words"}
    assert ratio("stop_word_ratio", SWEDISH, "sv", lists) == 5 / 9
    assert ratio("stop_word_ratio", SWEDISH, "sv", ListsConfig()) is None
    assert ratio("stop_word_ratio", "the cat", "en", lists) == 1 / 2  # other languages keep theirs


def test_null_takes_the_shipped_list_away(tmp_path: Path) -> None:
    lists = ListsConfig(function_words={"en": None}, flagged_words={"en": None}, common_words={"en": None}, spam_words={"en": None})
    profile = profile_text("share the cat, share the milk")
    assert count_hits(profile, "en", lists) == ListHits()
    assert None not in count_hits(profile, "en")


def test_flagged_entries_stand_in_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "# mud\nmud pie\n" + "".join(f"word{n}\n" for n in range(MIN_ENTRIES)))
    assert ratio("flagged_word_ratio", "A mud pie of mud", "sw", ListsConfig(flagged_words={"sw": path})) == 2 / 5


def test_stopwordsiso_has_many_languages() -> None:
    pytest.importorskip("stopwordsiso")
    lists = ListsConfig(function_words={"sv": STOPWORDSISO, "zh": STOPWORDSISO})
    found = ratio("stop_word_ratio", SWEDISH, "sv", lists)
    assert isinstance(found, float)
    assert found >= 4 / 9
    assert word_list("function_words", "zh", lists)
    assert set(list_versions(lists)) == {"function_words sv", "function_words zh"}
    with pytest.raises(ValueError, match=r"has no language 'gom'; it has .*af, ar, bg"):
        list_versions(ListsConfig(function_words={"gom": STOPWORDSISO}))


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("function_words", None, "cannot be read: .*give the path of a text file"),
        ("function_words", b"\xff\xfe", "cannot be read"),
        ("common_words", b"# nothing\n...", "has no word"),
        ("flagged_words", b"one\ntwo\n", "has fewer than 20 entries"),
        ("spam_words", b"", "has no word"),
    ],
)
def test_a_list_that_cannot_be_used_is_named(tmp_path: Path, kind: str, content: bytes | None, message: str) -> None:
    path = tmp_path / "broken.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"list .*broken\.txt: {message}"):
        list_versions(ListsConfig(**{kind: {"en": str(path)}}))


def test_languages_are_codes() -> None:
    with pytest.raises(ValueError, match="unknown language code 'swedish'"):
        ListsConfig(common_words={"swedish": "a.txt"})


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stopwordsiso", None)
    with pytest.raises(ValueError, match=r"pip install 'interleaf\[stopwords\]'"):
        word_list("function_words", "et", ListsConfig(function_words={"et": STOPWORDSISO}))


def test_versions_are_the_hashes_of_the_files(tmp_path: Path) -> None:
    path = written(tmp_path, "ja nein")
    versions = list_versions(ListsConfig(function_words={"de": path, "en": None}))
    assert versions == {"function_words de": hashlib.sha256(b"ja nein").hexdigest()}


def test_a_document_has_the_hits_of_its_paragraphs() -> None:
    texts = ["Share the cat.", "Share this, 2 of 3!", ""]
    parts = [profile_text(text).measures("en") for text in texts]
    assert join_hits(parts) == count_hits(profile_text("\n\n".join(texts)), "en")
    assert join_hits([*parts, profile_text("x").measures("sv")]).stop_words is None
    assert flagged_words("en") is not None
