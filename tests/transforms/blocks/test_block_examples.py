"""The examples of blocks.md, section 16, as they stand beside the specification."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from block_shapes import blocks_of

from transforms.blocks.markdown import render_markdown

EXAMPLES = Path(__file__).resolve().parents[3].parent / "shared" / "spec" / "blocks_examples.json"
CASES = json.loads(EXAMPLES.read_text(encoding="utf-8")) if EXAMPLES.is_file() else []
FIELDS = {"rich": "rich_text"}


def mismatches(got: Any, expected: dict[str, Any]) -> list[str]:
    """Fields that differ; only those named in the example count, in its candidates too."""
    found = []
    for name, value in expected.items():
        actual = getattr(got, FIELDS.get(name, name.removesuffix("_without")))
        if name == "table_html":
            same = (actual is not None) == value
        elif name == "table_html_without":
            same = value not in actual
        elif name == "text" and value is None:
            same = True
        elif name == "candidates":
            same = len(actual) == len(value) and all(a[key] == v[key] for a, v in zip(actual, value, strict=True) for key in v)
        else:
            same = actual == value
        if not same:
            found.append(f"{name}: {actual!r}, expected {value!r}")
    return found


@pytest.mark.skipif(not CASES, reason="needs the folder `shared` beside the checkout (the examples of the specification)")
@pytest.mark.parametrize("case", CASES, ids=[f"{case['id']}-{case['rule'].replace(' ', '_')}" for case in CASES])
def test_example_of_the_specification(case: dict[str, Any]) -> None:
    if case["stage"] == "markdown":
        assert render_markdown(blocks_of(case["html"], "document", case["base"])) == case["markdown"]
        return
    got = blocks_of(case["html"], case["stage"], case["base"])
    assert [(block.kind, block.text) for block in got] == [
        (expected["kind"], block.text if expected["text"] is None else expected["text"])
        for block, expected in zip(got, case["expect"], strict=True)
    ]
    assert [found for block, expected in zip(got, case["expect"], strict=True) for found in mismatches(block, expected)] == []
