"""`interleaf config`: what may be set, told by the typed configuration itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from run_helpers import ROOT

from filters.measures.meanings import MEANINGS
from filters.rules import RULES
from pipelines.cli import main
from pipelines.config import load_config
from pipelines.describe import Key, configuration_keys, describe_keys
from pipelines.errors import UsageError

KEYS = {key.path: key for key in configuration_keys()}


def leaves(tree: Any, above: str = "") -> list[str]:
    if not isinstance(tree, dict) or (above.count(".") and not tree):
        return [above]
    return [leaf for key, value in tree.items() for leaf in leaves(value, f"{above}.{key}" if above else key)]


def test_every_key_of_the_shipped_default_is_described() -> None:
    # A mapping such as script_length_scale is one key to the description, and one for each name in the file.
    described = tuple(KEYS)
    shipped = leaves(load_config(None).as_dict())
    assert [leaf for leaf in shipped if not any(leaf == path or leaf.startswith(f"{path}.") for path in described)] == []
    assert len(described) > 100


@pytest.mark.parametrize("key", KEYS.values(), ids=str)
def test_a_key_has_a_meaning_a_type_and_a_default_that_it_may_be_set_to(key: Key) -> None:
    assert key.meaning
    assert key.allowed
    load_config(None, [f"{key.path}={key.default}"])


def test_every_measure_of_a_rule_has_a_meaning() -> None:
    named = {name for rule in RULES.values() for name in (rule.measure, rule.category) if name is not None}
    assert named - set(MEANINGS) == set()


def test_a_section_a_rule_and_a_key_can_be_asked_for() -> None:
    assert "images.limits.min_side: 150" in describe_keys("images")
    assert "output." not in describe_keys("images")
    assert "number of words" in describe_keys("rules.document.words")
    assert describe_keys("output.shards").count("allowed:") == 1


def test_a_key_that_does_not_exist_is_an_error_that_names_the_sections() -> None:
    with pytest.raises(UsageError, match=r"imags: no such key.*images"):
        describe_keys("imags")


def test_the_printed_settings_are_a_configuration_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["config", "--set", "output.markdown=true"]) == 0
    printed = capsys.readouterr().out
    assert yaml.safe_load(printed)["output"]["markdown"] is True
    path = tmp_path / "my.yaml"
    path.write_text(printed, encoding="utf-8")
    assert load_config(path) == load_config(None, ["output.markdown=true"])


def test_a_call_from_python_leaves_signals_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGPIPE)
    assert main(["config", "--describe", "output"]) == 0
    assert signal.getsignal(signal.SIGPIPE) is before


def test_a_closed_pipe_ends_the_command_quietly() -> None:
    command = f"{sys.executable} -m pipelines.cli config --describe | head -n 1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
