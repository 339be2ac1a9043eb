"""The profile `obelics` as a user meets it: its configuration, and `interleaf page`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipelines.cli import main
from pipelines.config import ConfigError, config_from_dict, load_config

HTML = """
<html>
<body>
<div>
    this is a test
    <h1>Heading</h1>
    <p>
        p-inner
    </p>
    p-trailing
</div>
</body>
</html>
"""
TRACE = r"""
0  " "  [body]  {-}  ""
1  " this is a test "  [body div]  {space, "\n"}  "this is a test"
2  "Heading"  [body div h1]  {space, "\n\n"}  "this is a test\n\nHeading"
3  " "  [body div]  {space, "\n\n"}  "this is a test\n\nHeading"
4  " p-inner "  [body div p]  {space, "\n\n"}  "this is a test\n\nHeading\n\np-inner"
5  " p-trailing "  [body div]  {space, "\n\n"}  "this is a test\n\nHeading\n\np-inner\n\np-trailing"
6  " "  [body]  {space, "\n"}  "this is a test\n\nHeading\n\np-inner\n\np-trailing"
"""


def page(tmp_path: Path, html: str, *arguments: str) -> int:
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    return main(["page", "--html", str(path), "--url", "http://ex.com/a", "--profile", "obelics", *arguments])


def test_the_trace_is_the_worked_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert page(tmp_path, HTML, "--trace") == 0
    assert capsys.readouterr().out.endswith(TRACE)


def test_nodes_have_the_image_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    html = "<p>See <img src='i/Old_Bridge-300x200.jpg' width=50% alt=' the  bridge '> here</p>"
    assert page(tmp_path, html, "--stage", "nodes", "--json") == 0
    before, image, _ = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert before["text"] == "See"
    assert image["image"] == {
        "href": "http://ex.com/i/Old_Bridge-300x200.jpg",
        "candidates": ["http://ex.com/i/Old_Bridge-300x200.jpg"],
        "alt": "the bridge",
        "link": None,
        "rendered_width": "50%",
        "rendered_height": None,
        "unformatted_src": "i/Old_Bridge-300x200.jpg",
        "formatted_filename": "Old Bridge",
        "inline": True,
        "origins": ["img"],
        "hints": [200],
        "skipped": None,
        "skip_detail": None,
    }


@pytest.mark.parametrize(("stage", "shown"), [("markdown", "# T\n\nwords\n"), ("document", "characters removed: {'tag': 4}")])
def test_other_stages(stage: str, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert page(tmp_path, "<h1>T</h1><p>words</p><nav>menu</nav>", "--stage", stage) == 0
    assert shown in capsys.readouterr().out


def test_a_trace_is_of_this_profile_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["page", "--html", "-", "--url", "http://ex.com/a", "--trace"]) == 2
    assert "--profile obelics" in capsys.readouterr().err


def test_the_shipped_configuration_has_the_values_of_obelics() -> None:
    config = load_config("obelics")
    rules = config.effective_rules()
    assert config.extract.profile == "obelics"
    assert not config.extract.gate.enabled
    assert (rules["document.images"].min, rules["document.images"].max) == (1, 30)
    assert (rules["document.language"].allowed, rules["document.language"].on_skip) == (("en",), "drop")
    assert rules["document.language"].min_tokens is None
    assert not rules["paragraph.spam_words"].off
    assert (config.documents.too_long, config.documents.require_image) == ("drop", True)
    assert "heading" in config.documents.judged_kinds


@pytest.mark.parametrize(
    ("overrides", "required"),
    [
        ([], True),
        (["documents.require_image=false"], False),
        (["extract.obelics.require_image=false"], False),
        (["documents.require_image=false", "extract.obelics.require_image=true"], True),
    ],
)
def test_one_key_decides_whether_a_page_needs_an_image(overrides: list[str], required: bool) -> None:
    config = load_config("obelics", overrides)
    assert config.extract.obelics.require_image is required
    assert config_from_dict(config.as_dict(), "run.yaml") == config


@pytest.mark.parametrize("value", ["{li: null}", "{li: tab}", "[li]", "{p: none}", "{script: none}"])
def test_a_kept_tag_without_a_separator_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match="keep_tags"):
        load_config("obelics", [f"extract.obelics.keep_tags={value}"])
