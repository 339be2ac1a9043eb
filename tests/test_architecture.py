"""The house keeps its shape: one direction of imports, and no heavy import where none is needed (design.md)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("apache_beam", "img2dataset", "datasets", "fasttext", "PIL")

# Names that notebooks, benchmarks and acceptance checks import (design.md, "Names that others rely on").
NAMES = {
    "transforms.records": "Page Source Block Node ImageRef Document Drop ShardManifest",
    "transforms.html.tree": "parse_html",
    "transforms.html.readerable": "is_probably_readerable readerable_score",
    "transforms.blocks": "extract_blocks",
    "transforms.blocks.markdown": "render_markdown",
    "transforms.archives.warc": "read_warc",
    "transforms.archives.encoding": "decode_html",
    "transforms.documents.extract": "extract_document",
    "filters.measures": "measure_text",
    "pipelines.config": "load_config",
}


def imports(folder: str) -> Iterator[tuple[Path, str]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((path, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield path, node.module


@pytest.mark.parametrize("folder", ["transforms", "filters"])
def test_nothing_below_knows_the_pipelines(folder: str) -> None:
    assert [(str(path), name) for path, name in imports(folder) if name.split(".")[0] in ("pipelines", "scripts")] == []


def test_filters_know_nothing_of_transforms_but_the_records() -> None:
    known = {"transforms.records"}
    assert [(str(path), name) for path, name in imports("filters") if name.startswith("transforms") and name not in known] == []


def test_only_the_stages_know_beam() -> None:
    packages = [path.name for path in (ROOT / "transforms").iterdir() if (path / "__init__.py").is_file()]
    assert "archives" in packages
    for package in packages:
        found = [(str(path), name) for path, name in imports(f"transforms/{package}") if name.split(".")[0] == "apache_beam"]
        assert found == []


def test_only_the_tree_module_knows_the_parser() -> None:
    found = [item for folder in ("transforms", "filters", "pipelines") for item in imports(folder)]
    places = {path.relative_to(ROOT).as_posix() for path, name in found if name.split(".")[0] == "selectolax"}
    assert places == {"transforms/html/tree.py"}


@pytest.mark.parametrize("module", NAMES)
def test_what_others_rely_on_is_there_and_light(module: str) -> None:
    code = (
        f"import sys; from {module} import {', '.join(NAMES[module].split())}\n"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == []


@pytest.mark.parametrize("arguments", [["--help"], ["build", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom pipelines.cli import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        f"sys.stderr.write(' '.join(name for name in {(*HEAVY, 'selectolax', 'pyarrow')!r} if name in sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0
    assert result.stderr == ""


def test_constraints_hold_exact_versions_and_no_address() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert all("==" in line and "://" not in line for line in lines if line.strip())


def package_of(module: str) -> str:
    """`transforms.blocks.walk` -> `transforms.blocks`; a module at the top of `transforms` or `filters` is a package of its own."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] in ("transforms", "filters") else parts[0]


def test_packages_import_each_other_in_one_direction() -> None:
    # `Document.markdown()` is a name that others rely on; it looks for its renderer when it is called.
    known = {("transforms.records", "transforms.blocks")}
    edges: dict[str, set[str]] = {}
    for folder in ("configs", "filters", "pipelines", "transforms"):
        for path, name in imports(folder):
            if name.split(".")[0] in ("configs", "filters", "pipelines", "transforms"):
                package = package_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
                if package != package_of(name) and (package, package_of(name)) not in known:
                    edges.setdefault(package, set()).add(package_of(name))
    order: list[str] = []
    while edges:
        free = {package for targets in edges.values() for package in targets} | set(edges)
        free = {package for package in free if not edges.get(package)}
        assert free, f"in a circle: {edges}"
        order += sorted(free)
        edges = {package: targets - free for package, targets in edges.items() if package not in free}
    assert order.index("transforms.html") < order.index("transforms.blocks") < order.index("transforms.documents")
