"""What all stages that make shards have in common as Beam steps: a process whose garbage collector is called rarely."""

from __future__ import annotations

import apache_beam as beam

from transforms.garbage import collect_rarely


class ShardMaker(beam.DoFn):  # type: ignore[misc]
    """A step that makes shards. Whoever overrides `setup` calls this one as well."""

    def setup(self) -> None:
        """Once a process, and for all that runs in it."""
        collect_rarely()
