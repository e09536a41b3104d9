PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint bench papers docs clean

demo: $(STAMP)-run  ## install into .venv and run end to end on bundled data
	$(BIN)/sfumato compile --kind trajectories
	$(BIN)/sfumato demo

test: $(STAMP)-test  ## install what tests need and run them all
	$(BIN)/python -m pytest -n auto
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto tests --ignore-glob="*/verifiers/*" --ignore=tests/cli --ignore=tests/damages --ignore-glob="*/tests/test_*.py" --ignore=tests/docs

lint: $(STAMP)-lint  ## style, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy src
	$(BIN)/lint-imports

bench: $(STAMP)-test  ## print a table of times, memory and growth; writes benchmarks/results
	$(BIN)/python -m benchmarks.trajectories
	$(BIN)/python -m benchmarks.sequences
	$(BIN)/python -m benchmarks.sets
	$(BIN)/python -m benchmarks.timeline
	$(BIN)/python -m benchmarks.snapshots
	$(BIN)/python -m benchmarks.activity
	$(BIN)/python -m benchmarks.table
	$(BIN)/python -m benchmarks.table_local
	$(BIN)/python -m benchmarks.table_utility
	$(BIN)/python -m benchmarks.peers_of_tables
	$(BIN)/python -m benchmarks.rt
	$(BIN)/python -m benchmarks.local_trajectories
	$(BIN)/python -m benchmarks.local_sets
	$(BIN)/python -m benchmarks.hidden_delays
	$(BIN)/python -m benchmarks.reports
	$(BIN)/python -m benchmarks.study
	$(BIN)/python -m benchmarks.front_door

papers: $(STAMP)-test  ## remake the papers' tables and curves on the data at hand; writes docs/papers.md
	$(BIN)/python -m benchmarks.papers

docs: $(STAMP)-docs  ## build the site into site/
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/notebooks.py
	$(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP)-run: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(STAMP)-test: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[test]"
	@touch $@

$(STAMP)-lint: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[test,lint]"
	@touch $@

$(STAMP)-docs: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[docs]"
	@touch $@

clean:
	rm -rf $(VENV) site build dist sfumato-demo
