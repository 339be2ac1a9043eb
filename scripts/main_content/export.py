"""A trained booster as the file that `transforms.blocks.main_content.model` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from transforms.blocks.main_content.features import COLUMNS
from transforms.blocks.main_content.model import FORMAT

if TYPE_CHECKING:
    import lightgbm

LEAF_DECIMALS = 6


def model_text(booster: lightgbm.Booster, tokens: Mapping[str, float]) -> str:
    """The model file's content; equal models give equal texts."""
    names: list[str] = booster.feature_name()
    to_column = [COLUMNS.index(name) for name in names]
    trees = [tree_splits(tree["tree_structure"], to_column) for tree in booster.dump_model()["tree_info"]]
    parts = [
        f'"format":{FORMAT}',
        f'"columns":{_compact(COLUMNS)}',
        '"trees":[\n' + ",\n".join(_compact(tree) for tree in trees) + "\n]",
        '"tokens":' + json.dumps(dict(sorted(tokens.items())), separators=(",", ":"), ensure_ascii=True),
    ]
    return "{" + ",\n".join(parts) + "}\n"


def tree_splits(root: Mapping[str, Any], to_column: list[int]) -> dict[str, list[Any]]:
    """The splits of a tree and its leaves from left to right."""
    columns: list[int] = []
    thresholds: list[float] = []
    left: list[tuple[int, int]] = []
    leaves: list[float] = []
    # Nodes still to visit; a number stands for the end of that split's left side.
    pending: list[Mapping[str, Any] | int] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, int):
            left[node] = (left[node][0], len(leaves))
        elif "leaf_value" in node:
            leaves.append(round(node["leaf_value"], LEAF_DECIMALS))
        else:
            if node["decision_type"] != "<=":
                raise ValueError(f"a split by {node['decision_type']!r} cannot be stored; allowed: '<='")
            columns.append(to_column[node["split_feature"]])
            thresholds.append(_rounded_down(node["threshold"]))
            left.append((len(leaves), -1))
            pending += (node["right_child"], len(left) - 1, node["left_child"])
    return {"columns": columns, "thresholds": thresholds, "left": left, "leaves": leaves}


def _rounded_down(threshold: float) -> float:
    """The greatest 32-bit number that is not above a threshold: 32-bit values compare with both alike."""
    single = np.float32(threshold)
    if float(single) > threshold:
        single = np.nextafter(single, np.float32(-np.inf))
    return float(str(single))


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
