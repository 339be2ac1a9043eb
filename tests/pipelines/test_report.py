"""The report shows what a run kept and dropped and why, whatever its pages hold, and costs no more for a large run."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from run_helpers import run_build

from filters.rules import RULES, RuleConfig
from pipelines.config import config_from_dict
from pipelines.report import charts, samples, thumbnails, write_report
from pipelines.report.charts import kept_shares, limits_by_share, threshold_curve
from pipelines.run_folder import read_plan, read_run
from pipelines.run_rows import data_rows, spread
from scripts.bench.warc_builder import gzip_member, http_response, warc_record

PROSE = "The old bridge at the end of the village was built when the river was wider, and it has been kept ever since."
HOSTILE = "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&lt; \u202e \x00"


def report_of(run: Path) -> str:
    return (run / "report.html").read_text(encoding="utf-8")


class Elements(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def archive(path: Path, pages: dict[str, str]) -> Path:
    records = [gzip_member(warc_record(http_response(html.encode()), url)) for url, html in pages.items()]
    path.write_bytes(b"".join(records))
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of pages that try to be more than text, and to be long."""
    folder = tmp_path_factory.mktemp("hostile")
    long = " word" * 100_000
    pages = {
        f"http://h{number}.example/{'x' * 3000 if number else HOSTILE}": (
            f"<title>{HOSTILE if number else ''}{long}</title><article>"
            + f"<h1>{PROSE[:40]}</h1><p>{PROSE} {number}</p><p>{HOSTILE.replace('<', '&lt;')} {PROSE}</p><p>{PROSE}{long}</p>"
            + f"<p>{PROSE.upper()} {number} {PROSE}</p><img src='/{number}.png' alt='{HOSTILE[:30]}{long}'></article>"
        )
        for number in range(12)
    }
    markup = "&lt;script>alert(2)&lt;/script>&lt;img src=x onerror=alert(2)>"
    pages["http://kept.example/"] = (
        f"<title>A short page {markup}</title><article><h1>About the ferry</h1><p>{PROSE}</p><p>The ferryman {markup} keeps a log "
        "in which every crossing has one line, with the hour and the wind, and what the passengers had to say about both.</p><p>In "
        "winter nobody crosses, since the ice is too thin to walk on and too thick for a boat of that size to get through it, so "
        "that for two months of the year each of the villages has to make do with what is on its own side.</p></article>"
    )
    run = folder / "out"
    overrides = ["extract.main_content.method=off"]
    run_build([str(archive(folder / "a.warc.gz", pages))], run, overrides=overrides)
    return run


def test_each_part_of_a_run_has_its_section(finished: Path) -> None:
    text = report_of(finished)
    assert re.findall(r'<h2 id="(\w+)">', text) == ["funnel", "image", "paragraph", "document", "languages", "domains", "documents"]
    assert re.findall(r"<section class=rule><h3>([\w.]+)</h3>", text) == list(RULES)
    assert "left out: landmark:nav" in text
    for domain in {row["domain"] for row in data_rows(finished)}:
        assert f"<td>{domain}<td" in text
    assert text.count("<svg class=curve") > 15
    assert text.count('<img src="data:image/jpeg;base64,') > 10


def test_samples_of_a_rule_stand_on_the_side_their_value_says(finished: Path) -> None:
    plan = read_plan(finished)
    views = {
        view.rule: view
        for view in samples.sample_run(samples.Chosen(plan), config_from_dict(read_run(finished)["config"], "x")).rules
    }
    words = views["paragraph.words"]
    assert 0 < len(words.dropped) <= samples.SAMPLES == len(words.kept)
    for thing, verdict in words.dropped:
        assert verdict.verdict == "fail"
        assert verdict.value == thing.measures["words"]
        assert verdict.value < 4 or verdict.value > 1000
    assert all(verdict.verdict == "pass" and 4 <= verdict.value <= 1000 for _, verdict in words.kept)
    assert not views["paragraph.perplexity"].kept
    assert len(words.values) == words.things


def test_pages_cannot_put_markup_or_addresses_into_the_report(hostile: Path) -> None:
    text = report_of(hostile)
    assert text.count("alert(1)") > 10
    shown = text[text.index('id="documents"') :]
    assert shown.count("&lt;script&gt;alert(2)") >= 2, "in the title and in the text of a document that is shown"
    elements = Elements(text).found
    assert not [item for item in elements if item[0] in ("script", "iframe", "object", "link", "form", "base")]
    for _, attributes in elements:
        assert not [name for name in attributes if name.startswith("on") or name == "srcdoc"]
        assert (attributes.get("src") or "data:").startswith("data:")
        assert (attributes.get("href") or "#").startswith("#")
    assert "default-src 'none'" in text


def test_the_report_stays_small_however_long_the_pages_are(hostile: Path) -> None:
    assert (hostile / "report.html").stat().st_size < 500_000


def test_pictures_are_bounded_in_number(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished, run)
    monkeypatch.setattr(thumbnails, "MAX_THUMBNAILS", 1)
    pictures = re.findall(r'<img src="(data:[^"]*)"', write_report(run).read_text(encoding="utf-8"))
    assert len(set(pictures)) == 1


def test_a_picture_that_cannot_be_decoded_is_left_out() -> None:
    assert thumbnails._thumbnail(b"GIF89a, but nothing else") is None


def test_an_equal_run_has_an_equal_report(finished: Path, tmp_path: Path) -> None:
    before = report_of(finished)
    shutil.copytree(finished, tmp_path / "elsewhere")
    assert write_report(tmp_path / "elsewhere").read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("values", "config", "drawn"),
    [
        ([1, 2, 3], RuleConfig(min=2), ["min"]),
        ([1, 2, 3], RuleConfig(min=1, max=3), ["min", "max"]),
        ([1, 2, 3], RuleConfig(), ["min", "max"]),
        ([0, 0, 0], RuleConfig(max=0), ["max"]),
        ([5], RuleConfig(min=9), ["min"]),
        ([1, 10, 100_000], RuleConfig(min=10), ["min"]),
    ],
)
def test_a_curve_has_a_line_for_each_limit(values: list[float], config: RuleConfig, drawn: list[str]) -> None:
    svg = threshold_curve(np.array(values, np.float64), config)
    assert re.findall(r'<polyline class="line (\w+)"', svg) == drawn
    assert "nan" not in svg
    assert "inf" not in svg


def test_a_curve_says_what_a_limit_keeps() -> None:
    values = np.array([1.0, 2.0, 2.0, 4.0])
    assert kept_shares(values, values, "min").tolist() == [1.0, 0.75, 0.75, 0.25]
    assert kept_shares(values, values, "max").tolist() == [0.25, 0.75, 0.75, 1.0]
    hundred = np.arange(1.0, 101.0)
    for name in ("min", "max"):
        for share, limit in limits_by_share(hundred, name):
            assert abs(float(kept_shares(hundred, np.array([limit]), name)[0]) - share) < 0.011
    assert charts.number(1234567.0) == "1,234,567"


def test_shards_that_samples_come_from_are_spread_evenly_and_bounded() -> None:
    for total in (0, 1, 63, 64, 65, 1000, 1_000_000):
        chosen = spread(total, 64)
        assert len(set(chosen)) == len(chosen) == min(total, 64)
        assert not chosen or (chosen[0] == 0 and chosen[-1] < total)
        gaps = np.diff(chosen)
        assert not len(gaps) or max(gaps) - min(gaps) <= 1


def test_few_shards_are_opened_and_the_report_says_so(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished, run)
    opened: list[str] = []
    open_file = pq.ParquetFile
    monkeypatch.setattr(samples.pq, "ParquetFile", lambda path, **how: opened.append(str(path)) or open_file(path, **how))
    whole = write_report(run).read_text(encoding="utf-8")
    shards = yaml.safe_load((run / "run.yaml").read_text())["shards"]["documents"]
    assert len({path for path in opened if "stages/scored" in path}) > 2
    opened.clear()
    for module in ("pipelines.report", "pipelines.report.samples"):
        monkeypatch.setattr(f"{module}.SAMPLED_SHARDS", 2)
    sampled = write_report(run).read_text(encoding="utf-8")
    assert len({path for path in opened if "stages/scored" in path}) <= 2
    assert len({path for path in opened if "part-documents" in path}) <= 2
    assert f"from 2 of up to {shards} shards" in sampled
    assert "shards a stage" not in whole


def test_few_documents_are_judged_again(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(finished, tmp_path / "run")
    monkeypatch.setattr(samples, "SAMPLED_DOCUMENTS", 4)
    text = write_report(tmp_path / "run").read_text(encoding="utf-8")
    judged = int(re.search(r"samples are of (\d+) of (\d+) documents", text)[1])  # type: ignore[index]
    assert 1 <= judged <= 4 + read_plan(finished).documents
    assert judged < 20
