"""The keys of `extract.main_content` (main_content.md 7), and what the report says about main content."""

from __future__ import annotations

import pytest

from pipelines.config import ConfigError, load_config
from pipelines.report import main_content_table


@pytest.mark.parametrize(("value", "method"), [("off", "off"), ('"off"', "off"), ("rules", "rules"), ("model", "model")])
def test_each_method_can_be_set_as_people_write_it(value: str, method: str) -> None:
    assert load_config(None, [f"extract.main_content.method={value}"]).extract.main_content.method == method


@pytest.mark.parametrize("override", ["threshold=1.5", "method=magic", "method=true"])
def test_other_values_are_refused_by_name(override: str) -> None:
    with pytest.raises(ConfigError, match=override.partition("=")[0]):
        load_config(None, [f"extract.main_content.{override}"])


@pytest.mark.parametrize(
    "other", ["extract.main_content.method=rules", "extract.main_content.method=off", "extract.profile=obelics"]
)
def test_only_what_the_model_chooses_can_be_chosen_again(other: str) -> None:
    with pytest.raises(ConfigError, match=r"retunable: true is not allowed with (method|profile): (rules|off|obelics)"):
        load_config(None, ["extract.main_content.retunable=true", other])


def test_a_threshold_of_zero_is_a_bound() -> None:
    assert load_config(None, ["extract.main_content.threshold=0"]).extract.main_content.threshold == 0.0


def test_the_report_shows_the_share_of_words_by_reason() -> None:
    table = "".join(main_content_table({"landmark:nav": 10, "kept": 60, "<odd>": 30}))
    assert table.index("kept") < table.index("left out: &lt;odd&gt;") < table.index("left out: landmark:nav")
    assert "60.0%" in table
    assert "30.0%" in table
    assert "".join(main_content_table({})) == ""
