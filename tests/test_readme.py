"""The commands of the README are commands: they parse, and their settings, modules and targets exist (field report H7)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib import util
from pathlib import Path

import pytest

from pipelines.cli import make_parser
from pipelines.config import load_config

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> Iterator[list[str]]:
    """Every command of the code blocks, and what stands in backquotes and begins like one."""
    for block in re.findall(r"^```\n(.*?)^```", README, re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r"\s&&\s", line):
                if re.match(r"make |(\.venv/bin/)?(interleaf|python) ", part):
                    yield shlex.split(part, comments=True)
    for text in re.findall(r"`((?:make |interleaf |python -m |scripts/[\w/]+\.py|--set )[^`]*)`", README):
        yield shlex.split(text)


COMMANDS = list(commands())


def test_the_readme_shows_commands() -> None:
    assert len(COMMANDS) > 20


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_of_the_readme_is_one(words: list[str]) -> None:
    name = words[0].removeprefix(".venv/bin/")
    if name == "make":
        assert set(words[1:2]) <= set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    elif name == "python":
        assert words[1] == "-m"
        assert util.find_spec(words[2]) is not None
    elif name == "interleaf":
        if len(words) == 2 and not words[1].startswith("-"):
            assert words[1] in make_parser().format_help()
            return
        words = [word for word in words if word != "--help"]
        if words[1] == "build":
            words = [*words, "--input", "a", "--output", "b"]
        options = vars(make_parser().parse_known_args(words[1:])[0])
        config = options.get("config")
        load_config(None if config == "my.yaml" else config, options.get("set") or [])
    elif name == "--set":
        load_config(None, [text.replace("=OUT", "=out") for text in words[1::2]])
    else:
        assert (ROOT / name).is_file()
