"""Typed configuration: one file, overrides, and errors that say what to do."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from pipelines.config import Config, ConfigError, load_config


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "my.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_default_names_every_key_with_its_default() -> None:
    """Except the rules, whose shipped values differ where default.yaml says so."""
    import yaml

    from pipelines.config import find_config

    def keys(value: Any) -> Any:
        return {k: keys(v) for k, v in value.items()} if isinstance(value, dict) else None

    shipped = yaml.safe_load(find_config("default").read_text(encoding="utf-8"))
    plain = Config().as_dict()
    del shipped["rules"], plain["rules"]
    assert keys(shipped) == keys(plain)
    loaded = load_config("default")
    assert dataclasses.replace(loaded, rules={}) == dataclasses.replace(Config(), rules={})


def test_default_keeps_documents_without_images() -> None:
    rules = load_config(None).rules
    assert (rules["document.images"].min, rules["document.images"].max) == (0, 30)
    assert rules["paragraph.spam_words"].off


@pytest.mark.parametrize(
    ("override", "read", "value"),
    [
        ("rules.document.words.min=20", lambda c: c.rules["document.words"], 20),
        ("extract.gate.min_score=25", lambda c: c.extract.gate.min_score, 25.0),
        ("extract.gate.enabled=false", lambda c: c.extract.gate.enabled, False),
        ("extract.limits.bytes=2MiB", lambda c: c.extract.limits.bytes, 2**21),
        ("extract.limits.memory=512MiB", lambda c: c.extract.limits.memory, 2**29),
        ("extract.isolation=none", lambda c: c.extract.isolation, "none"),
        ("extract.limits.nesting=null", lambda c: c.extract.limits.nesting, None),
        ("extract.gate.script_length_scale={Han: 2.5}", lambda c: c.extract.gate.script_length_scale, {"Han": 2.5}),
        ("extract.gate.script_length_scale=null", lambda c: c.extract.gate.script_length_scale, None),
        ("extract.gate.script_length_scale.Han=3", lambda c: c.extract.gate.script_length_scale["Han"], 3.0),
        ("select.status=[200, 206]", lambda c: c.select.status, (200, 206)),
        ("select.dates=['2024', null]", lambda c: c.select.dates, ("2024", None)),
        ("language.allowed=[eng, de]", lambda c: c.language.allowed, ("en", "de")),
        ("images.resize.mode=no", lambda c: c.images.stored().resize.mode, "no"),
        ("images.inline.max_bytes=2MiB", lambda c: c.extract.references.inline.max_bytes, 2**21),
        ("images.optout.on_page=page", lambda c: c.extract.references.optout.on_page, "page"),
        ("output.shards=3", lambda c: c.output.shards, 3),
        ("output.shards=auto", lambda c: c.output.shards, "auto"),
    ],
)
def test_an_override_sets_one_key(override: str, read: Any, value: Any) -> None:
    found = read(load_config(None, [override]))
    assert getattr(found, "min", found) == value


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path, "rules:\n  document.words: {min: 50}\noutput:\n  markdown: true\n")
    config = load_config(path)
    assert config.rules["document.words"].min == 50
    assert config.rules["document.words"].max == 2000
    assert config.rules["document.images"].min == 0
    assert config.output.markdown
    assert config.extract == load_config(None).extract


def test_overrides_win_over_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "rules:\n  document.words: {min: 50}\n")
    assert load_config(path, ["rules.document.words.min=60"]).rules["document.words"].min == 60


def test_null_switches_a_rule_off_and_zero_is_a_limit(tmp_path: Path) -> None:
    path = write(tmp_path, "rules:\n  document.words: null\n  paragraph.words: {min: 0}\n")
    rules = load_config(path).rules
    assert rules["document.words"].off
    assert rules["paragraph.words"].min == 0


def test_the_language_section_reaches_its_rule() -> None:
    rules = load_config(None, ["language.allowed=[en]", "language.unknown=drop"]).effective_rules()
    assert rules["document.language"].allowed == ("en",)
    assert rules["document.language"].on_skip == "drop"


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("extract:\n  gate:\n    min_scor: 3\n", 3, ["extract.gate.min_scor", "unknown key", "min_score"]),
        ("extrakt: {}\n", 1, ["extrakt", "unknown key", "extract"]),
        ("extract:\n  gate:\n    min_score: high\n", 3, ["extract.gate.min_score", '"high"', "a number"]),
        ("extract:\n  gate:\n    enabled: 1\n", 3, ["extract.gate.enabled", "true or false"]),
        ("extract:\n  gate:\n    script_length_scale: {Latin: 2}\n", 2, ["extract.gate", "script_length_scale", "Latin", "Han"]),
        ("extract:\n  gate:\n    script_length_scale: {Han: 0}\n", 2, ["extract.gate", "script_length_scale", "Han", "above 0"]),
        ("extract:\n  gate:\n    script_length_scale: {Han: x}\n", 3, ["script_length_scale", "names to numbers or null"]),
        ("extract:\n  limits:\n    nesting: 3.5\n", 3, ["extract.limits.nesting", "a whole number or null"]),
        ("extract:\n  limits:\n    bytes: 8 parsecs\n", 3, ["extract.limits.bytes", "a size such as 8MiB"]),
        ("extract:\n  profile: obelix\n", 2, ["extract.profile", '"obelix"', "default"]),
        ("extract: 3\n", 1, ["extract", "mapping", "gate"]),
        ("rules:\n\n  document.word: {min: 3}\n", 3, ["document.word", "document.words"]),
        ("rules:\n  document.words: {mim: 3}\n", 2, ["document.words", "mim", "min"]),
        ("rules:\n  document.words: {min: 9, max: 3}\n", 2, ["document.words", "9", "3"]),
        ("output:\n  shards: 3\n  shards: 4\n", 3, ["shards", "twice"]),
        ("language:\n  allowed: [xx-yy-zz]\n", 1, ["language", "xx"]),
        ("select:\n  status: [ok]\n", 2, ["select.status", "a list of whole numbers"]),
        ("- a\n", 1, ["mapping"]),
    ],
)
def test_an_error_names_file_line_key_and_what_is_allowed(tmp_path: Path, text: str, line: int, parts: list[str]) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}:{line}: ")
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("extract.gate.min_scor=3", ["--set extract.gate.min_scor=3", "unknown key", "min_score"]),
        ("extract.gate.min_score", ["KEY=VALUE"]),
        ("extract.gate.min_score=[", ["not valid YAML"]),
        ("rules.document.words.min=many", ["--set", "document.words", "number"]),
    ],
)
def test_an_error_of_an_override_names_it(override: str, parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(None, [override])
    assert "\n" not in str(caught.value)
    for part in parts:
        assert part in str(caught.value)


def test_yaml_is_loaded_safely(tmp_path: Path) -> None:
    path = write(tmp_path, "extract: !!python/object/apply:os.system ['true']\n")
    with pytest.raises(ConfigError):
        load_config(path)


def test_a_missing_file_names_the_shipped_ones() -> None:
    with pytest.raises(ConfigError, match=r"nowhere.yaml: no such configuration file.*default"):
        load_config("nowhere.yaml")


def test_equal_configurations_have_equal_descriptions(tmp_path: Path) -> None:
    a = write(tmp_path, "output: {markdown: true, shards: 2}\n")
    assert load_config(a).as_dict() == load_config(None, ["output.shards=2", "output.markdown=true"]).as_dict()
    assert load_config(a).as_dict() != load_config(None).as_dict()
