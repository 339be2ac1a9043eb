"""Small pictures for the report, within the page itself."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from html import escape

from pipelines.report.samples import image_bodies
from transforms.shards.plan import ShardPlan

SIDE = 112
"""Pixels of the longer side."""

MAX_THUMBNAILS = 400
"""Pictures of a report; at about 4 KB each they bound its size."""


def make_thumbnails(plan: ShardPlan, wanted: Iterable[str]) -> dict[str, str]:
    """`img` elements by sha256, for the first so many that are wanted and that the run has stored."""
    chosen = list(dict.fromkeys(wanted))[:MAX_THUMBNAILS]
    bodies = image_bodies(plan, chosen)
    made = ((sha256, _thumbnail(bodies[sha256])) for sha256 in chosen if sha256 in bodies)
    return {sha256: element for sha256, element in made if element is not None}


def _thumbnail(body: bytes) -> str | None:
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(body)) as image:
            image.draft("RGB", (2 * SIDE, 2 * SIDE))  # a JPEG is decoded at a fraction of its size
            small = ImageOps.exif_transpose(image)
            small.thumbnail((SIDE, SIDE))
            backed = Image.new("RGB", small.size, "white")
            backed.paste(small, mask=small.convert("RGBA").getchannel("A"))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None  # what this library cannot decode was stored by another version of it
    out = io.BytesIO()
    backed.save(out, "JPEG", quality=60)
    data = escape(base64.b64encode(out.getvalue()).decode("ascii"))
    return f'<img src="data:image/jpeg;base64,{data}" width="{backed.width}" height="{backed.height}" alt="">'
