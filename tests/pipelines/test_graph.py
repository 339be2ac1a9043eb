"""Heavy data crosses no shuffle, and the graph does not grow with the input (beam.md 3, 12)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.coders import Coder
from apache_beam.portability import common_urns, python_urns
from apache_beam.portability.api import schema_pb2
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.runners.worker import bundle_processor

from pipelines.config import load_config
from pipelines.graph import build, retune
from pipelines.retune_keys import MEASURING
from pipelines.run_folder import Run, plan_run
from transforms.coders import SHUFFLED, RecordCoder
from transforms.records import InputRange, Outcome, Page, Response
from transforms.shards.plan import Origin

NETWORK = ("images.source=both", "images.network.user_agent_contact=https://crawler.example/")


def plan(tmp_path: Path, files: int = 3, overrides: Sequence[str] = ()) -> Run:
    for number in range(files):
        (tmp_path / f"{number}.warc").write_bytes(b"x")
    return plan_run(tmp_path / "out", load_config(None, overrides), [str(tmp_path / "*.warc")])


def proto(run: Run):  # type: ignore[no-untyped-def]
    pipeline = beam.Pipeline()
    build(pipeline, run, started=0.0)
    return pipeline.to_runner_api()


def proto_of_retune(tmp_path: Path):  # type: ignore[no-untyped-def]
    """The graph that measures the documents of another run again."""
    run = plan(tmp_path)
    origins = {stage: Origin("other", "key") for stage in run.plan.stages if stage not in MEASURING}
    pipeline = beam.Pipeline()
    retune(pipeline, dataclasses.replace(run, plan=dataclasses.replace(run.plan, origins=origins)), started=0.0)
    return pipeline.to_runner_api()


@dataclasses.dataclass(frozen=True)
class Boundary:
    """What crosses between two fused stages: coder names, and the field names of each kind of row in it."""

    coders: frozenset[str]
    rows: frozenset[frozenset[str]]


def boundaries(pipeline_proto) -> dict[str, Boundary]:  # type: ignore[no-untyped-def]
    """The collections that the local runner materialises between fused stages."""
    context, stages = FnApiRunner().create_stages(pipeline_proto)
    components = context.components
    produced: dict[str, int] = {}
    crossing = set()
    for number, stage in enumerate(stages):
        for transform in stage.transforms:
            produced.update(dict.fromkeys(transform.outputs.values(), number))
            if transform.spec.urn in (bundle_processor.DATA_INPUT_URN, bundle_processor.DATA_OUTPUT_URN):
                crossing.update([*transform.inputs.values(), *transform.outputs.values()])
    for number, stage in enumerate(stages):
        for transform in stage.transforms:
            crossing.update(p for p in transform.inputs.values() if produced.get(p, number) != number)
    return {name: boundary(components.pcollections[name].coder_id, components.coders) for name in crossing}


def boundary(coder_id: str, coders) -> Boundary:  # type: ignore[no-untyped-def]
    coder = coders[coder_id]
    inner = [boundary(component, coders) for component in coder.component_coder_ids]
    rows = set().union(*(b.rows for b in inner))
    name = coder.spec.urn
    if name == common_urns.coders.ROW.urn:
        schema = schema_pb2.Schema.FromString(coder.spec.payload)
        rows.add(frozenset(field.name for field in schema.fields))
    if name == python_urns.PICKLED_CODER and isinstance(pickled := Coder.from_runner_api(coder, None), RecordCoder):
        name = "record"
        rows.add(field_names(pickled.record))
    return Boundary(frozenset({name}).union(*(b.coders for b in inner)), frozenset(rows))


def field_names(record: type) -> frozenset[str]:
    return frozenset(field.name for field in dataclasses.fields(record))


LIGHT_ROWS = {field_names(record) for record in SHUFFLED}


@pytest.mark.parametrize("overrides", [(), NETWORK])
def test_only_registered_light_records_cross_a_boundary(tmp_path: Path, overrides: Sequence[str]) -> None:
    crossing = boundaries(proto(plan(tmp_path, overrides=overrides)))
    assert {row for b in crossing.values() for row in b.rows} == LIGHT_ROWS
    # A pickle could hold anything. Beam's own Reshuffle brings one for the windows of the ranges.
    pickled = {name for name, found in crossing.items() if any("pickled" in urn for urn in found.coders)}
    assert {row for name in pickled for row in crossing[name].rows} <= {field_names(InputRange)}


def test_a_retune_shuffles_light_records_and_spreads_what_it_reads(tmp_path: Path) -> None:
    crossing = boundaries(proto_of_retune(tmp_path))
    found = {row for b in crossing.values() for row in b.rows}
    assert found <= LIGHT_ROWS
    assert field_names(Outcome) in found
    # All manifests come from one element; the tables that they name are not all read where that is.
    _, stages = FnApiRunner().create_stages(proto_of_retune(tmp_path))
    fused = [{transform.unique_name for transform in stage.transforms} for stage in stages]
    assert any(any("ReadOutcomes" in name for name in names) for names in fused)
    assert not any({"Origins", "ReadOutcomes"} <= {name.rpartition("/")[2] for name in names} for names in fused)


@pytest.mark.parametrize("record", [Page, Response])
def test_a_heavy_record_at_a_boundary_would_be_seen(record: type) -> None:
    """The test above can fail: a graph that shuffles pages is caught by the same walk."""
    beam.coders.registry.register_row(record)
    pipeline = beam.Pipeline()
    heavy = pipeline | beam.Create([b"x"]) | beam.Map(lambda body: None).with_output_types(record)
    _ = heavy | beam.Reshuffle() | "After" >> beam.Map(lambda response: None)
    crossing = boundaries(pipeline.to_runner_api())
    assert not {row for b in crossing.values() for row in b.rows} <= LIGHT_ROWS


@pytest.mark.parametrize("record", SHUFFLED)
def test_what_is_shuffled_has_no_field_for_heavy_data(record: type) -> None:
    names = {field.name for field in dataclasses.fields(record)}
    assert not names & {"body", "html", "text", "nodes", "blocks", "texts", "document"}


NETWORK = ["images.source=both", "images.network.user_agent_contact=https://crawler.example/about"]


@pytest.mark.parametrize("overrides", [[], NETWORK], ids=["archive", "network"])
def test_the_graph_does_not_grow_with_the_input(tmp_path: Path, overrides: list[str]) -> None:
    """Nor with the length of the manifest: what runs holds the path of a list, never the list."""
    sizes = []
    earlier = tmp_path / "out/stages/earlier/fetched-1"
    earlier.mkdir(parents=True)
    for files in (10, 100_000):
        manifest = tmp_path / f"{files}.jsonl"
        manifest.write_text("".join(f'{{"path": "gs://bucket/{n:06d}.warc.gz", "bytes": 100000000}}\n' for n in range(files)))
        run = plan_run(tmp_path / "out", load_config(None, ["input.format=warc", *overrides]), [], [str(manifest)])
        assert run.plan.documents > files
        for number in range(files // 100):
            (earlier / f"part-{number:05d}.parquet").touch()
        sizes.append(len(proto(run).SerializeToString()))
    assert abs(sizes[1] - sizes[0]) < 10_000
    assert sizes[1] < 1_000_000


@pytest.mark.parametrize("overrides", [(), NETWORK, None], ids=["archive", "network", "retune"])
def test_nothing_reads_a_collection_beside_a_flatten_and_with_a_side_input(tmp_path: Path, overrides: Sequence[str] | None) -> None:
    """Such a graph ends on Spark, before it begins, in "PCollectionNodes were consumed but never produced"."""
    graph = proto_of_retune(tmp_path) if overrides is None else proto(plan(tmp_path, overrides=overrides))
    transforms = graph.components.transforms.values()
    flattened = {p for t in transforms if t.spec.urn == common_urns.primitives.FLATTEN.urn for p in t.inputs.values()}
    with_side_inputs = [t for t in transforms if t.spec.urn == common_urns.primitives.PAR_DO.urn and len(t.inputs) > 1]
    assert with_side_inputs
    assert [t.unique_name for t in with_side_inputs if flattened & set(t.inputs.values())] == []
