# `make demo` and `make test` are all the set-up there is: each makes the virtual environment first if it is missing or stale.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: demo test lint spark prism bench clean

$(READY): pyproject.toml setup.py constraints.txt transforms/html/_nesting.c
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] < (3, 13))' \
		|| { echo "interleaf needs Python 3.10, 3.11 or 3.12; set it with: make PYTHON=python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

demo: $(READY)
	rm -rf demo
	$(BIN)/python -m scripts.make_demo_crawl --output demo/crawl
	$(BIN)/interleaf build --config demo --input demo/crawl --output demo/out
	$(BIN)/interleaf verify demo/out
	@echo
	@echo "The dataset is in demo/out/data, the report in demo/out/report.html. To look at them:"
	@echo "  $(BIN)/python -c 'from datasets import load_dataset; print(load_dataset(\"parquet\", data_dir=\"demo/out/data\", split=\"train\")[0])'"
	@echo "  $(BIN)/interleaf page demo/crawl/$$(ls demo/crawl | head -n 1)"

test: $(READY)
	$(BIN)/python -m pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What other engines need; tests of theirs are skipped without it. Spark: pyspark, and the job server by Maven. Prism: Go.
spark: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt pyspark
	$(BIN)/python -m scripts.spark_cluster jars

prism: $(READY)
	go install github.com/apache/beam/sdks/v2/go/cmd/prism@v$$($(BIN)/python -c 'from importlib.metadata import version; print(version("apache-beam"))')

# INPUT: archives as a pattern; without it a demo crawl is recorded. Installs what ours is measured beside.
bench: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python -m scripts.bench $(if $(INPUT),--input '$(INPUT)')

clean:
	rm -rf demo build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
