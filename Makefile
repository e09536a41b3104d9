PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test browser lint cluster bench papers docs gallery tour curves clean

demo: $(STAMP)-run  ## install into .venv and run end to end on bundled data
	$(BIN)/sfumato compile --kind trajectories
	$(BIN)/sfumato demo

test: $(STAMP)-test  ## install what tests need and run them all
	$(BIN)/python -m pytest -n auto --dist worksteal --ignore=tests/engines
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto --dist worksteal tests

browser: $(STAMP)-browser  ## walk through the workbench in Chromium, which must be installed
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
		{ echo "Chromium is missing. Install it: sudo apt-get install chromium"; exit 2; }
	@test -f browser/node_modules/axe-core/axe.min.js || npm install --prefix browser --no-package-lock --no-audit --no-fund --silent || \
		{ echo "axe-core is missing, which checks accessibility. Install npm and let it fetch it: sudo apt-get install npm"; exit 2; }
	$(BIN)/python -m pytest browser -n 0

lint: $(STAMP)-lint  ## style, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy src
	$(BIN)/lint-imports

cluster: $(STAMP)-cluster  ## the engines side by side, Spark on local[2]; needs Java
	@command -v java >/dev/null || test -n "$$JAVA_HOME" || { echo "make cluster needs Java 17 or later: apt install openjdk-17-jre-headless (Debian, Ubuntu), dnf install java-17-openjdk-headless (Fedora) or brew install openjdk@17 (macOS)." >&2; exit 1; }
	$(BIN)/python -m pytest -n 0 tests/engines

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
	$(BIN)/python -m benchmarks.waiting
	$(BIN)/python -m benchmarks.study
	$(BIN)/python -m benchmarks.explore
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.front_door
	$(BIN)/python -m benchmarks.workbench
	$(BIN)/python -m benchmarks.warehouse

papers: $(STAMP)-test  ## remake the papers' tables and curves on the data at hand; writes docs/papers.md
	$(BIN)/python -m benchmarks.papers

docs: $(STAMP)-docs gallery  ## build the site into site/, stopping at a broken link
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/notebooks.py
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --doctree-dir build/doctrees docs site
	@echo "open site/index.html"

gallery: $(STAMP)-docs  ## make the reports of the gallery anew; python docs/gallery.py --pictures draws its plots too
	$(BIN)/python docs/gallery.py

tour: $(STAMP)-browser  ## take pictures of every page of the workbench anew; needs Chromium
	$(BIN)/python -m docs.tour

curves: $(STAMP)-docs  ## measure the trade-off curves of the guide anew, from examples/studies
	$(BIN)/python docs/curves.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP)-run: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(STAMP)-test: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[test]"
	@touch $@

$(STAMP)-browser: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[test,browser]"
	@touch $@

$(STAMP)-lint: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[test,lint]"
	@touch $@

$(STAMP)-cluster: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[test,cluster]"
	@touch $@

$(STAMP)-docs: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[docs]"
	@touch $@

clean:
	rm -rf $(VENV) site build dist sfumato-demo docs/reference docs/reports
