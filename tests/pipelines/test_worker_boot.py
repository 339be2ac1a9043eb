"""Our boot program: from what a runner provides to what Beam's worker reads (beam.md 9.1)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from apache_beam.portability.api import beam_provision_api_pb2, beam_provision_api_pb2_grpc
from google.protobuf.struct_pb2 import Struct
from run_helpers import ROOT

from pipelines import worker_boot


class Provision(beam_provision_api_pb2_grpc.ProvisionServiceServicer):  # type: ignore[misc]
    """A runner that tells one job's options, and remembers which worker asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.endpoints: dict[str, str] = {}

    def GetProvisionInfo(self, request, context):  # type: ignore[no-untyped-def]  # noqa: N802
        self.asked.append(dict(context.invocation_metadata())["worker_id"])
        options = Struct()
        options.update({"beam:option:storage_level:v1": "MEMORY_AND_DISK"})
        info = beam_provision_api_pb2.ProvisionInfo(pipeline_options=options, runner_capabilities=["a", "b"])
        for name, url in self.endpoints.items():
            getattr(info, name).url = url
        return beam_provision_api_pb2.GetProvisionInfoResponse(info=info)


@pytest.fixture
def provision() -> Iterator[tuple[Provision, str]]:
    server = grpc.server(ThreadPoolExecutor(2))
    servicer = Provision()
    beam_provision_api_pb2_grpc.add_ProvisionServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield servicer, f"127.0.0.1:{port}"
    server.stop(None)


def test_the_worker_reads_what_the_runner_provides(provision: tuple[Provision, str]) -> None:
    servicer, endpoint = provision
    settings = worker_boot.worker_environment("5-1", endpoint, control="h:1", logging="h:2")
    assert json.loads(settings.pop("PIPELINE_OPTIONS")) == {"beam:option:storage_level:v1": "MEMORY_AND_DISK"}
    assert settings == {
        "WORKER_ID": "5-1",
        "CONTROL_API_SERVICE_DESCRIPTOR": 'url: "h:1"\n',
        "LOGGING_API_SERVICE_DESCRIPTOR": 'url: "h:2"\n',
        "RUNNER_CAPABILITIES": "a b",
    }
    assert servicer.asked == ["5-1"]


def test_an_endpoint_of_the_runner_wins_over_that_of_the_command(provision: tuple[Provision, str]) -> None:
    servicer, endpoint = provision
    servicer.endpoints = {"control_endpoint": "r:1", "logging_endpoint": "r:2"}
    settings = worker_boot.worker_environment("5-1", endpoint, control="h:1", logging="h:2")
    assert settings["CONTROL_API_SERVICE_DESCRIPTOR"] == 'url: "r:1"\n'
    assert settings["LOGGING_API_SERVICE_DESCRIPTOR"] == 'url: "r:2"\n'


@pytest.mark.parametrize("given", ["job-1_env", "'job-1_env'"])  # Prism quotes the name
def test_it_becomes_the_worker_in_the_folder_of_the_job(
    provision: tuple[Provision, str], given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servicer, endpoint = provision
    replaced = []
    monkeypatch.setenv(worker_boot.DIRECTORY, str(tmp_path))
    monkeypatch.setattr(worker_boot, "_redirect_output", lambda log: None)
    monkeypatch.setattr(os, "execve", lambda *call: replaced.append(call))
    monkeypatch.chdir("/")
    worker_boot.main([f"--id={given}", f"--provision_endpoint={endpoint}", "--semi_persist_dir=/x", "--artifact_endpoint=h:9"])
    ((program, command, environment),) = replaced
    assert [program, *command[1:]] == [sys.executable, "-m", "apache_beam.runners.worker.sdk_worker_main"]
    assert environment["WORKER_ID"] == "job-1_env"
    assert environment["PATH"] == os.environ["PATH"]
    assert servicer.asked == ["job-1_env"]
    assert os.getcwd() == str(tmp_path)


def test_a_folder_that_is_not_on_the_node_is_named_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "workers.log"
    settings = {worker_boot.LOG: str(log), worker_boot.DIRECTORY: str(tmp_path / "absent")}
    command = [sys.executable, "-m", "pipelines.worker_boot", "--id=1", "--provision_endpoint=127.0.0.1:1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "")
    assert f"{tmp_path}/absent: No such file or directory" in log.read_text()


def test_what_a_worker_prints_never_fills_the_pipe_of_the_pool(tmp_path: Path) -> None:
    """Beam's worker pool gives a pipe for standard output and reads nothing from it."""
    code = "from pipelines.worker_boot import _redirect_output\n_redirect_output(None)\nprint('said', flush=True)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert (result.stdout, result.stderr) == ("", "said\n")
