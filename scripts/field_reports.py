"""Which claim and which row of field_reports.md has a test, and which has none yet and why.

    python -m scripts.field_reports [--spec ../shared/spec/field_reports.md] [--missing]

The answers are in `scripts/field_reports.yaml`. With --spec, rows of the specification that it does not have count as missing.
Ends with status 1 when a test that is named does not exist or a row of the specification is not there.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
ANSWERS = Path(__file__).with_suffix(".yaml")
_ROW = re.compile(r"^\| ([A-Z]?\d+) \|", re.MULTILINE)

Answers = Mapping[str, list[str] | str]
"""By claim or row: the tests that show it, or a text that begins with `planned`."""


def load_answers() -> dict[str, Answers]:
    """The sections `claims` and `rows` of the file."""
    sections: dict[str, Answers] = yaml.safe_load(ANSWERS.read_text(encoding="utf-8"))
    return sections


def rows_of(specification: str) -> list[str]:
    """The numbers of the claims and the ids of the rows, in order."""
    return _ROW.findall(specification)


def lost_tests(answers: Answers) -> list[str]:
    """Tests that are named and do not exist."""
    named = sorted({test for tests in answers.values() if isinstance(tests, list) for test in tests})
    return [test for test in named if not exists(test)]


def exists(test: str) -> bool:
    file, _, function = test.partition("::")
    path = ROOT / "tests" / file
    if not path.is_file():
        return False
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == function for node in ast.walk(tree))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spec", type=Path, help="the specification, to find rows that are not answered")
    parser.add_argument("--missing", action="store_true", help="only rows without a test")
    options = parser.parse_args()
    sections = load_answers()
    answers = {**sections["claims"], **sections["rows"]}
    unanswered = [row for row in rows_of(options.spec.read_text(encoding="utf-8")) if row not in answers] if options.spec else []
    lost = lost_tests(answers)
    for row, answer in answers.items():
        if isinstance(answer, str):
            print(f"{row:4} {answer}")
        elif not options.missing:
            print(f"{row:4} {', '.join(answer)}")
    for row in unanswered:
        print(f"{row:4} NOT ANSWERED in {ANSWERS.name}")
    for test in lost:
        print(f"     NO SUCH TEST: {test}")
    tested = sum(not isinstance(answer, str) for answer in answers.values())
    print(f"{tested} of {len(answers) + len(unanswered)} have a test")
    return 1 if lost or unanswered else 0


if __name__ == "__main__":
    sys.exit(main())
