"""The dataset card: a README.md that `datasets` reads and people understand."""

from __future__ import annotations

import os
from pathlib import Path
from string import Template
from typing import Any

import pyarrow as pa
import yaml

from pipelines.run_folder import read_plan, read_run
from transforms.dataset.rows import yaml_features
from transforms.sizes import format_size
from transforms.stored_path import StoredPath, publish_text

_BODY = Template("""
# Interleaved image-text documents

Made by interleaf ${version} from ${input_files} archive files (${input_size}). One row is one web page, or one part of a long one:
its texts and images in reading order.
${retuned}
| | |
|---|---|
| documents | ${documents} |
| rows | ${rows} |
| images in rows | ${images} |
| words | ${words} |
| pages read | ${pages} |

## Load

```python
from datasets import load_dataset

rows = load_dataset("parquet", data_dir="data", split="train")
```
${images_text}
## Columns

* `id`, `part`: the page (32 hexadecimal digits) and the number of its part; together they are unique.
* `url`, `domain`, `date`, `title`, `language`, `language_score`: of the page. `und` is an unknown language.
* `source`: archive file, offset and length of the record in it (compressed for `.gz`), record id, payload digest.
* `texts`, `images`: equal lengths; at each position exactly one of the two is not null.
* `nodes`: what each position is: `index` among the page's nodes before filtering, element path, for texts the paragraphs with
  their blocks, character span and measures, for images the reference and the facts about the bytes.
* `scores`: the measures of the whole row.${extra_columns}

What was left out, and why, is in `drops/`; the funnel in `stats.json` and `report.html`; settings, versions and input in
`run.yaml`.
The texts and images remain their owners'; check the licence of your crawl before you publish.
""")

_REFERENCED = Template("""
Image bytes stand once each in `${images}/`, by sha256:

```python
images = load_dataset("parquet", data_dir="${images}", split="train")
row_of = {sha256: number for number, sha256 in enumerate(images["sha256"])}
body = images[row_of[sha256]]["bytes"]  # for a sha256 of rows[0]["images"]
```
""")

_RETUNED = Template("""
It judges the pages and images of the run `${run}` (key ${run_key}) by other settings: ${changes}.
""")

_INLINE = Template("""
The images are in the rows; `datasets` decodes them on access. Where they would be too many or too large, a row has the flag
`inline_images_capped`: an image over the cap is null in `images`, and its `sha256` in `nodes` is that of a row of `${images}/`.
""")

_EXTRA = {
    "blocks": "\n* `blocks`: the blocks of the page as a JSON list, fields with their default left out.",
    "markdown": "\n* `markdown`: the blocks of the page as Markdown.",
    "pii": "\n* `pii`: personal data in the texts, left there: position in `texts`, kind, code points from `start` to `stop`.",
}


def write_card(folder: StoredPath, schema: pa.Schema, rows: int, size: int, stats: dict[str, Any]) -> None:
    """Writes `README.md`: YAML with data files, features and sizes, then a text. Equal runs write equal cards.

    rows, size: of all data files; size in bytes.
    """
    description = read_run(folder)
    header = {
        "configs": [{"config_name": "default", "data_files": [{"split": "train", "path": "data/train-*.parquet"}]}],
        "dataset_info": {
            "features": yaml_features(schema),
            "splits": [{"name": "train", "num_bytes": size, "num_examples": rows}],
            "download_size": size,
            "dataset_size": size,
        },
        "tags": ["interleaf", "interleaved-image-text"],
    }
    dataset, retuned = stats["dataset"], description.get("retuned")
    plan = read_plan(folder)
    images = os.path.relpath(Path(plan.folder_of("images")) / "images", str(folder)) if plan.origins else "images"
    body = _BODY.substitute(
        version=description["versions"]["interleaf"],
        input_files=description["input"]["files"],
        input_size=format_size(description["input"]["bytes"]),
        documents=dataset.get("documents", 0),
        rows=rows,
        images=dataset.get("images", 0),
        words=dataset.get("words", 0),
        pages=stats["stages"]["documents"]["in"],
        retuned=_RETUNED.substitute({**retuned, "changes": _changes(retuned["changes"])}) if retuned is not None else "",
        images_text=(_INLINE if description["config"]["output"]["inline_images"] else _REFERENCED).substitute(images=images),
        extra_columns="".join(text for name, text in _EXTRA.items() if name in schema.names),
    )
    text = f"---\n{yaml.safe_dump(header, sort_keys=False, width=120)}---\n{body}"
    publish_text(text, folder / "README.md", folder)


def _changes(changes: dict[str, dict[str, Any]]) -> str:
    return ", ".join(f"`{key}` {change['to']} instead of {change['from']}" for key, change in changes.items()) or "none"
