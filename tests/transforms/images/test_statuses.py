"""The closed list of statuses is that of images.md section 10."""

from __future__ import annotations

import re
from pathlib import Path

from transforms.images.statuses import REFUSALS, RETRIED_IN_RUN, STATUS_CLASSES


def test_statuses_classes_and_retries_are_those_of_the_specification(shared: Path) -> None:
    text = (shared / "spec" / "images.md").read_text(encoding="utf-8")
    table = text[text.index("## 10.") : text.index("## 11.")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| `")]
    classes, retried = {}, set()
    for names, kind, _, in_run, _ in rows:
        for status in re.findall(r"`(\w+)`", names):
            classes[status] = kind
            if in_run == "yes":
                retried.add(status)
    assert classes == STATUS_CLASSES
    assert retried == RETRIED_IN_RUN
    assert {STATUS_CLASSES[status] for status in REFUSALS} == {"policy"}
