"""A hash of what an image shows: near for images that look alike, whatever their size, format and quality (images.md 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

SIDE = 8


def perceptual_hash(image: Image.Image) -> str:
    """The difference hash: 64 bits in hexadecimal, one for each pair of neighbours of a 9 x 8 grey image, row by row.

    A bit is set where the right one is brighter. Transparency is laid over white. Hashes of images that look alike differ in few
    bits, those of others in about half.
    """
    import numpy
    from PIL import Image

    size = (SIDE + 1, SIDE)
    if image.has_transparency_data:
        small = image.convert("RGBA").resize(size, Image.Resampling.BOX)
        image = Image.alpha_composite(Image.new("RGBA", size, "white"), small)
    # `convert` would cut samples of more than eight bits off at 255.
    grey = image.convert("F" if image.mode.startswith(("I", "F")) else "L").resize(size, Image.Resampling.BOX)
    pixels = numpy.asarray(grey)
    return numpy.packbits(pixels[:, 1:] > pixels[:, :-1]).tobytes().hex()
