"""Dataflow without a cloud account, in four steps: options, graph, job description, and that graph run here (beam.md 12).

What no step can see: whether the service takes the job, pulls the image, starts workers, and how it shuffles.
"""

from __future__ import annotations

import base64
import bz2
import importlib.util
import io
import json
import time
import zlib
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from run_helpers import ROOT, run_build, tree_hash
from test_graph import LIGHT_ROWS, boundaries

from pipelines.config import load_config
from pipelines.errors import UsageError
from pipelines.graph import build
from pipelines.run_folder import Run, plan_run, prepare_folder
from pipelines.runners import resolve_runner

if importlib.util.find_spec("google.cloud") is None or importlib.util.find_spec("google.cloud.dataflow_v1beta3") is None:
    pytest.skip("Google's libraries are not here: pip install 'interleaf[gcp]'", allow_module_level=True)

pytestmark = [pytest.mark.dataflow, pytest.mark.timeout(200)]

IMAGE = "place.example/interleaf:0.1.0"
GIVEN = {
    "project": "some-project", "region": "europe-west4", "temp_location": "gs://some-bucket/tmp",
    "staging_location": "gs://some-bucket/staging", "job_name": "interleaf", "sdk_container_image": IMAGE,
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing asks for a machine's metadata or for a bucket."""
    from apache_beam.options.pipeline_options import GoogleCloudOptions

    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setattr(GoogleCloudOptions, "_warn_if_soft_delete_policy_enabled", lambda self, name: None)


def arguments(**changes: str) -> list[str]:
    """Options as a user gives them to `--runner dataflow`."""
    return [f"--{name}={value}" for name, value in {**GIVEN, **changes}.items()]


def pipeline_for(run: Run, *more: str) -> beam.Pipeline:
    """The pipeline as `interleaf build` makes it, and what keeps it from being submitted."""
    engine = resolve_runner("dataflow", None, [*arguments(), *more])
    pipeline = beam.Pipeline(runner=engine.name, options=PipelineOptions([*engine.arguments, "--no_save_main_session"]))
    build(pipeline, run, started=time.time())
    return pipeline


def dry_run(run: Run) -> Any:
    """The job that would be submitted."""
    return pipeline_for(run, "--dry_run=True", "--no_auth").run().job


def decoded(payload: bytes) -> bytes:
    """A pickled function as it is after Beam's own packing, or the payload itself."""
    for unpack in (bz2.decompress, zlib.decompress):
        try:
            return unpack(base64.b64decode(payload))
        except (ValueError, OSError, zlib.error):
            continue
    return payload


def payloads(proto: Any) -> dict[str, bytes]:
    """What each transform carries, unpacked."""
    from apache_beam.portability.api import beam_runner_api_pb2

    found = {}
    for transform in proto.components.transforms.values():
        payload = transform.spec.payload
        if transform.spec.urn == "beam:transform:pardo:v1":
            payload = decoded(beam_runner_api_pb2.ParDoPayload.FromString(payload).do_fn.payload)
        if payload:
            found[transform.unique_name] = payload
    return found


# Step 1: options.


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"project": "No_Such.Project!"}, "Invalid Project ID"),
        ({"temp_location": "bucket/tmp"}, "--temp_location bucket/tmp: must be a folder of a bucket"),
        ({"staging_location": "/tmp/x"}, "--staging_location /tmp/x: must be"),
        ({"temp_location": "gs://Not_A_Bucket!/tmp"}, "must be a folder of a bucket"),
        ({"job_name": "Not a name!"}, "Invalid job_name"),
    ],
)
def test_options_that_cannot_be_right_are_told_before_anything_is_written(
    crawl: Path, tmp_path: Path, changes: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        run_build([str(crawl)], tmp_path / "out", runner="dataflow", workers=None, beam_arguments=arguments(**changes))
    assert not (tmp_path / "out").exists()


def test_options_that_are_missing_are_named(crawl: Path, tmp_path: Path) -> None:
    given = [argument for argument in arguments() if not argument.startswith(("--region", "--sdk_container_image"))]
    with pytest.raises(UsageError, match="needs --region, --sdk_container_image"):
        run_build([str(crawl)], tmp_path / "out", runner="dataflow", workers=None, beam_arguments=given)


# Step 2: the graph.


@pytest.fixture(scope="module")
def proto(crawl: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_GCE_CHECK", "true")
        return dry_run(plan_run("gs://some-bucket/runs/first", load_config(None), [str(crawl)])).proto_pipeline


def test_the_graph_is_small_and_carries_no_lists(proto: Any) -> None:
    assert len(proto.SerializeToString()) < 10_000_000
    sizes = {name: len(payload) for name, payload in payloads(proto).items()}
    assert max(sizes.values()) < 100_000, max(sizes, key=lambda name: sizes[name])


def test_functions_go_by_the_names_of_their_modules(proto: Any) -> None:
    """Code that was pickled by value would name its file; the image's own interleaf is what runs."""
    carried = payloads(proto)
    assert any(b"transforms.extract_documents" in payload for payload in carried.values())
    assert [name for name, payload in carried.items() if str(ROOT).encode() in payload or b"__main__" in payload] == []


def test_no_heavy_data_crosses_a_boundary(proto: Any) -> None:
    rows = {row for boundary in boundaries(_embedded(proto)).values() for row in boundary.rows}
    assert rows == LIGHT_ROWS


def test_workers_run_the_image_that_was_given(proto: Any) -> None:
    from apache_beam.portability.api import beam_runner_api_pb2

    images = {
        beam_runner_api_pb2.DockerPayload.FromString(environment.payload).container_image
        for environment in proto.components.environments.values()
        if environment.urn == "beam:env:docker:v1"
    }
    assert images == {IMAGE}


# Step 3: the job description, as a template has it.


def test_the_job_description_says_what_was_asked_for(crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from apache_beam.runners.dataflow.internal import apiclient

    staged: dict[str, bytes] = {}

    def stage(self: Any, folder: str, name: str, stream: Any, *rest: Any, **named: Any) -> None:
        content = stream.read() if isinstance(stream, io.IOBase) else Path(stream).read_bytes()
        staged[name] = content

    monkeypatch.setattr(apiclient.DataflowApplicationClient, "stage_file_with_retry", stage)
    asked = [f"--template_location={tmp_path}/job.json", "--no_auth", "--max_num_workers=7", "--no_wait_until_finish"]
    given = [*arguments(), *asked]
    status, said = run_build([str(crawl)], tmp_path / "out", runner="dataflow", workers=None, beam_arguments=given)
    assert status == 0
    assert "submitted;" in said
    assert not (tmp_path / "out/_SUCCESS").exists()
    # No pickled main session, no package.
    assert set(staged) == {"job.json", "pipeline.pb", "submission_environment_dependencies.txt"}
    job = json.loads(staged["job.json"])
    (pool,) = job["environment"]["workerPools"]
    assert pool["machineType"] == "n2-standard-4"
    assert pool["autoscalingSettings"]["maxNumWorkers"] == 7
    assert {image["containerImage"] for image in pool["sdkHarnessContainerImages"]} == {IMAGE}
    options = job["environment"]["sdkPipelineOptions"]["options"]
    assert options["number_of_worker_harness_threads"] == 4
    assert options["save_main_session"] is False


# Step 4: the submitted graph, run here.


def test_the_graph_for_dataflow_makes_the_same_bytes(finished: Path, crawl: Path, tmp_path: Path) -> None:
    from apache_beam.runners.portability.fn_api_runner import FnApiRunner

    run = plan_run(tmp_path / "out", load_config(None), [str(crawl)])
    prepare_folder(run)
    proto = _embedded(dry_run(run).proto_pipeline)
    result = FnApiRunner().run_via_runner_api(proto, PipelineOptions(["--direct_running_mode=in_memory"]))
    result.wait_until_finish()
    assert tree_hash(tmp_path / "out") == tree_hash(finished)


def _embedded(proto: Any) -> Any:
    """The graph with workers in this process instead of containers."""
    from apache_beam.transforms.environments import EmbeddedPythonEnvironment

    copy = type(proto)()
    copy.CopyFrom(proto)
    for environment in copy.components.environments.values():
        if environment.urn == "beam:env:docker:v1":
            environment.CopyFrom(EmbeddedPythonEnvironment.default().to_runner_api(None))
    return copy
