"""The flex template and the command know the same parameters, and the image has the versions that submit."""

from __future__ import annotations

import argparse
import json
import re
from importlib import metadata
from pathlib import Path

from apache_beam.options.pipeline_options import PipelineOptions

from pipelines import cli

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "scripts/dataflow"
NOT_FOR_DATAFLOW = {"help", "runner", "workers", "retry_images"}
"""Options of the command that the template does not have: it has its runner, and what works on a folder of one machine."""


def build_options() -> dict[str, argparse.Action]:
    parser = cli.make_parser()
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {action.dest: action for action in commands.choices["build"]._actions}


def test_template_and_command_have_the_same_parameters() -> None:
    parameters = {p["name"]: p for p in json.loads((TEMPLATE / "metadata.json").read_text())["parameters"]}
    ours = build_options()
    beams = set(PipelineOptions().get_all_options())
    assert [name for name in parameters if name not in ours and name not in beams] == []
    assert [name for name in ours if name not in parameters and name not in NOT_FOR_DATAFLOW] == []
    for name, parameter in parameters.items():
        assert parameter["label"]
        assert parameter["helpText"]
        if name in ours:
            assert parameter.get("isOptional", False) is not ours[name].required, name
            assert f"--{name}" in ours[name].option_strings, "the launcher passes a parameter under its name"
        for pattern in parameter.get("regexes", ()):
            re.compile(pattern)


def test_the_image_has_the_versions_of_the_submitter() -> None:
    lines = (TEMPLATE / "Dockerfile").read_text().splitlines()
    (base,) = re.findall(r"^FROM apache/beam_python(3\.\d+)_sdk:(\S+)$", "\n".join(lines), re.MULTILINE)
    project = (ROOT / "pyproject.toml").read_text()
    assert base[1] == metadata.version("apache-beam")
    assert f"python{base[0].replace('.', '')}-template-launcher-base" in "\n".join(lines)
    (wheel,) = re.findall(r"/app/interleaf-([\d.]+)-\*\.whl", "\n".join(lines))
    assert f'\nversion = "{wheel}"\n' in project
    assert '\ngcp = ["apache-beam[gcp]' in project


def test_the_program_of_the_template_submits_and_does_not_wait() -> None:
    program = (TEMPLATE / "main.py").read_text()
    # Last, since the launcher passes a runner of its own; of two equal options the last counts.
    assert program.index("*sys.argv[1:]") < program.index("--runner=dataflow") < program.index("--no_wait_until_finish")
    (path,) = re.findall(r"^ENV FLEX_TEMPLATE_PYTHON_PY_FILE=(\S+)$", (TEMPLATE / "Dockerfile").read_text(), re.MULTILINE)
    assert f"COPY scripts/dataflow/main.py {path}" in (TEMPLATE / "Dockerfile").read_text()
