PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# Compiled code that reports an index out of bounds; Numba must not mix it up with code that does not.
CHECKED := NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/checked-kernels

.PHONY: demo test slow goldens snapshots faults browser lint cluster bench papers docs gallery tour curves clean

demo: $(STAMP)-run  ## install into .venv and run end to end on bundled data
	$(BIN)/sfumato compile --kind trajectories
	$(BIN)/sfumato demo

test: $(STAMP)-test  ## install what tests need and run the fast ones, which decide whether a change is good
	$(CHECKED) $(PYTEST) -m "not slow" --ignore=tests/engines

slow: $(STAMP)-test  ## run the rest: slow tests, many random examples, kernels as plain Python
	SFUMATO_EXAMPLES=many $(PYTEST) -m "slow or hypothesis" --ignore=tests/engines
	SFUMATO_EXAMPLES=many NUMBA_DISABLE_JIT=1 $(PYTEST) tests

goldens: $(STAMP)-test  ## write the golden releases and answers anew; git diff says what changed
	$(BIN)/python -m tests.golden

snapshots: $(STAMP)-test  ## write the snapshots of public names and sentences anew; git diff says what changed
	$(BIN)/python -m tests.contracts

faults: $(STAMP)-test  ## plant faults in verifiers, one at a time, and say which of them the fast tests catch
	$(BIN)/python -m tests.faults run --tree . --out benchmarks/results/faults.json --marker "not slow"

browser: $(STAMP)-browser  ## walk through the workbench in Chromium, which must be installed
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
		{ echo "Chromium is missing. Install it: sudo apt-get install chromium"; exit 2; }
	@test -f browser/node_modules/axe-core/axe.min.js || npm install --prefix browser --no-package-lock --no-audit --no-fund --silent || \
		{ echo "axe-core is missing, which checks accessibility. Install npm and let it fetch it: sudo apt-get install npm"; exit 2; }
	$(CHECKED) $(BIN)/python -m pytest browser -n 0

lint: $(STAMP)-lint  ## style, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy src
	$(BIN)/lint-imports

cluster: $(STAMP)-cluster  ## the engines side by side, Spark on local[2]; needs Java
	@command -v java >/dev/null || test -n "$$JAVA_HOME" || { echo "make cluster needs Java 17 or later: apt install openjdk-17-jre-headless (Debian, Ubuntu), dnf install java-17-openjdk-headless (Fedora) or brew install openjdk@17 (macOS)." >&2; exit 1; }
	$(CHECKED) $(BIN)/python -m pytest -n 0 tests/engines

bench: $(STAMP)-test  ## measure phases of whole commands at two sizes; writes benchmarks/results/phases.json
	$(BIN)/python -m benchmarks.phases

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
