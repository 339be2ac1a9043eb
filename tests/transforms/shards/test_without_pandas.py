"""Arrow does without pandas where it is told to, and only there."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
import pyarrow as pa
from transforms.shards.without_pandas import leave_pandas_out

leave_pandas_out()
assert pa.array([[{"a": "x"}], None], pa.list_(pa.struct([("a", pa.string())]))).null_count == 1
assert "pandas" not in sys.modules
assert pa.table({"a": pa.array([1], pa.int64())}).to_pandas()["a"].tolist() == [1]
import pandas
assert pa.Table.from_pandas(pandas.DataFrame({"a": [1.0, None]}))["a"].to_pylist() == [1.0, None]
"""


def test_arrays_are_made_without_pandas_and_tables_still_go_to_it() -> None:
    result = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
