# Two commands for a new user: `make demo` and `make test`. Both make .venv themselves.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test test-laws test-long lint bench replay wheel clean

demo: $(VENV)/.installed
	$(BIN)/agentctx demo --html report.html

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-long: $(VENV)/.dev
	AGENTCTX_TEST_PROFILE=long $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-laws: $(VENV)/.dev
	AGENTCTX_TEST_PROFILE=long $(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests/test_laws.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python -m pytest benchmarks --benchmark-only --benchmark-columns=min,median,max,rounds

replay: $(VENV)/.installed
	$(BIN)/agentctx eval replay $(DATA) --jobs $(JOBS)

wheel: $(VENV)/.dev
	$(BIN)/python -m build

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "agentctx needs Python 3.11 or newer: install it, or say make PYTHON=/path/to/python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build dist *.egg-info report.html
