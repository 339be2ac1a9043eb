"""What can be wrong with the options of a Dataflow job is said before anything is written (beam.md 12)."""

from __future__ import annotations

import re
from typing import Any

from pipelines.errors import UsageError

BUCKET_FOLDER = re.compile(r"gs://[a-z0-9][-_.a-z0-9]+[a-z0-9](?:/.*)?")
"""A folder of a bucket, by the rules for names of buckets."""


def check_dataflow_options(options: Any) -> None:
    """Checks Beam's PipelineOptions as Dataflow would.

    Raises:
        UsageError: Google's libraries are missing, or an option cannot be right.
    """
    from apache_beam.options.pipeline_options import GoogleCloudOptions
    from apache_beam.options.pipeline_options_validator import PipelineOptionsValidator
    from apache_beam.runners.runner import create_runner

    try:
        runner = create_runner("DataflowRunner")
    except ImportError:
        raise UsageError("--runner dataflow: Google's libraries are missing; pip install 'interleaf[gcp]'") from None
    for name in ("temp_location", "staging_location"):
        place = getattr(options.view_as(GoogleCloudOptions), name)
        if place is not None and not BUCKET_FOLDER.fullmatch(place):
            # Beam itself would make a bucket of its own in its place, or try to for minutes.
            raise UsageError(f"--{name} {place}: must be a folder of a bucket, gs://BUCKET/FOLDER, the name in small letters")
    errors = PipelineOptionsValidator(options, runner).validate()
    if errors:
        raise UsageError(f"--runner dataflow: {'; '.join(' '.join(error.split()) for error in errors)}")
