"""Labels, folds, token scores and the export of the model of main content (main_content.md 2, 3.1, 5)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scripts.main_content.folds import assign_folds
from scripts.main_content.samples import Sample, Truth, make_sample, site_of
from scripts.main_content.scoring import word_f1
from scripts.main_content.token_tables import TokenCounts
from scripts.main_content.training import row_weights, sample_rows
from transforms.records import Page, Source


def test_runs_of_three_words_and_whole_blocks_are_hit() -> None:
    pytest.importorskip("rapidfuzz", reason="needs the optional dependencies `train`")
    from scripts.main_content.labels import label_blocks, words_of

    blocks = ["Menu home shop", "Rain fell on the hills", "Tea", "By the way we sell hills"]
    labels = label_blocks([words_of(block) for block in blocks], words_of("Rain fell on the hills. Tea"))
    assert labels.tolist() == [0.0, 1.0, 1.0, 0.0]


def test_half_a_block_is_half_a_label() -> None:
    pytest.importorskip("rapidfuzz", reason="needs the optional dependencies `train`")
    from scripts.main_content.labels import label_blocks, words_of

    assert label_blocks([words_of("one two three four five six")], words_of("one two three")).tolist() == [0.5]
    assert label_blocks([words_of("one two")], words_of("two")).tolist() == [0.0]


def test_text_in_another_order_is_hit_by_its_shingles() -> None:
    pytest.importorskip("rapidfuzz", reason="needs the optional dependencies `train`")
    from scripts.main_content.labels import label_blocks

    first, second = list("abcdefghij"), list("klmnopqrst")
    assert label_blocks([second, first], first + second).tolist() == [1.0, 1.0]


def test_pages_without_words_have_labels() -> None:
    pytest.importorskip("rapidfuzz", reason="needs the optional dependencies `train`")
    from scripts.main_content.labels import label_blocks

    assert label_blocks([], ["a"]).tolist() == []
    assert label_blocks([["a"], []], []).tolist() == [0.0, 0.0]


def test_a_site_is_never_split_and_types_are_spread() -> None:
    sites = [f"s{n // 3}" for n in range(90)]
    types = ["article" if n // 3 % 2 else "forum" for n in range(90)]
    folds = assign_folds(sites, types)
    assert all(len({fold for fold, own in zip(folds, sites, strict=True) if own == site}) == 1 for site in set(sites))
    for kind in ("article", "forum"):
        assert [sum(f == fold and t == kind for f, t in zip(folds, types, strict=True)) for fold in range(5)] == [9] * 5
    assert assign_folds(sites[::-1], types[::-1]) == folds[::-1]


@pytest.mark.parametrize(
    ("url", "site"),
    [("https://news.bbc.co.uk/a", "bbc.co.uk"), ("https://a.example.org/", "example.org"), ("http://localhost/x", "page 7")],
)
def test_a_site_is_the_registered_domain(url: str, site: str) -> None:
    assert site_of(url, "7") == site


@pytest.mark.parametrize(
    ("predicted", "truth", "f1"), [([], [], 1.0), ([1], [], 0.0), ([], [1], 0.0), ([1, 1, 2], [1, 2, 3], 2 / 3), ([5], [5], 1.0)]
)
def test_the_score_is_that_of_the_benchmark(predicted: list[int], truth: list[int], f1: float) -> None:
    assert word_f1(np.array(predicted, np.int32), np.array(truth, np.int32)).f1 == pytest.approx(f1)


def sample(number: int, html: str, wanted: str) -> Sample:
    pytest.importorskip("rapidfuzz", reason="needs the optional dependencies `train`")
    url = f"https://site{number}.org/"
    page = Page(url, html.encode(), "text/html; charset=utf-8", Source("a.warc", number, 1))
    return make_sample(page, Truth(str(number), "article", wanted, (), ()))


def test_names_score_by_what_is_below_them_and_need_four_sites() -> None:
    html = "<div class=story><p>Rain fell on the hills</p></div><div class=bottom><p>All rights are reserved</p></div>"
    samples = [sample(number, html, "Rain fell on the hills") for number in range(5)]
    counts = TokenCounts(samples, [0, 1, 2, 3, 4], 5)
    everything = counts.table(range(5))
    assert everything["story"] == pytest.approx(np.log((5 * 5 / 9 + 0.25) / 0.25), abs=1e-3)
    assert everything["bottom"] < -1
    assert counts.table([0, 1, 2]) == {}


def test_a_table_has_seen_no_page_of_the_folds_left_out() -> None:
    texts = ["Rain fell on the hills"] * 5 + ["All rights are reserved"]
    samples = [sample(n, f"<div class=box><p>{text}</p></div>", "Rain fell on the hills") for n, text in enumerate(texts)]
    counts = TokenCounts(samples, [0, 0, 0, 0, 1, 2], 3)
    assert counts.table([0, 1])["box"] == pytest.approx(np.log(5.25 / 0.25), abs=1e-3)
    assert counts.table([0, 1, 2])["box"] == pytest.approx(np.log(5.25 / 1.25), abs=1e-3)


def test_nested_elements_of_one_name_count_once() -> None:
    samples = [sample(n, "<div class=a><div class=a><p>Rain fell here</p></div></div>", "Rain fell here") for n in range(4)]
    assert TokenCounts(samples, [0] * 4, 1).mass.tolist() == [[4.0]]


def test_large_pages_give_fewer_short_rows_of_more_weight() -> None:
    html = "".join(f"<p>Row number {n} of the list</p>" for n in range(400))
    large = sample(1, html, "")
    rows, factor = sample_rows(large, np.random.default_rng(1))
    again, _ = sample_rows(large, np.random.default_rng(1))
    assert rows.tolist() == again.tolist()
    assert 60 < len(rows) < 140
    assert set(factor.tolist()) == {4.0}
    assert row_weights(large) == pytest.approx(6 / (0.15 * 2400 + 50))


def test_the_exported_model_gives_what_the_booster_gives(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="needs the optional dependencies `train`")
    from scripts.main_content.export import model_text
    from scripts.main_content.training import PARAMETERS
    from transforms.blocks.main_content.features import COLUMNS
    from transforms.blocks.main_content.model import ModelError, read_model

    generator = np.random.default_rng(5)
    matrix = np.round(generator.normal(size=(800, len(COLUMNS))), 4).astype(np.float32)
    labels = (matrix[:, 0] + matrix[:, 3] > 0).astype(float)
    data = lightgbm.Dataset(matrix, labels, feature_name=list(COLUMNS), params=PARAMETERS)
    booster = lightgbm.train({**PARAMETERS, "seed": 1}, data, 30)
    text = model_text(booster, {"b": 1.0, "a": -1.0})
    assert text == model_text(booster, {"a": -1.0, "b": 1.0})
    path = tmp_path / "model.json"
    path.write_text(text, encoding="utf-8")
    assert read_model(path).predict(matrix.T) == pytest.approx(booster.predict(matrix), abs=1e-4)

    path.write_text(text.replace(COLUMNS[0], "unheard_of"), encoding="utf-8")
    with pytest.raises(ModelError, match="unheard_of"):
        read_model(path)
