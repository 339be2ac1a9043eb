"""What a finished graph shuffled, by the shuffle's label: numbers that Beam's local runner keeps of every collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ELEMENT_COUNT = "beam:metric:element_count:v1"
SAMPLED_SIZE = "beam:metric:sampled_byte_size:v1"
SHUFFLES = ("beam:transform:group_by_key:v1", "beam:transform:combine_per_key:v1")


@dataclass(frozen=True)
class Shuffle:
    """What went into one shuffle. bytes: elements times the mean of those that the runner encoded to learn their size."""

    elements: float
    bytes: float


def measure_shuffles(pipeline: Any, result: Any) -> dict[str, Shuffle]:
    """The shuffles of a pipeline that ran on the local engine (FnApiRunner), whose result it is."""
    from apache_beam.metrics import monitoring_infos

    transforms = pipeline.to_runner_api().components.transforms.values()
    label_of = {next(iter(t.inputs.values())): t.unique_name for t in transforms if t.spec.urn in SHUFFLES}
    elements = dict.fromkeys(label_of.values(), 0)
    sampled, size = dict.fromkeys(elements, 0), dict.fromkeys(elements, 0)
    for info in result.monitoring_infos():
        label = label_of.get(info.labels.get("PCOLLECTION", ""))
        if label is None:
            continue
        if info.urn == ELEMENT_COUNT:
            elements[label] += monitoring_infos.extract_metric_result_map_value(info)
        elif info.urn == SAMPLED_SIZE:
            count, total, _, _ = monitoring_infos.extract_distribution(info)
            sampled[label] += count
            size[label] += total
    return {label: Shuffle(count, count * size[label] / max(1, sampled[label])) for label, count in elements.items()}
