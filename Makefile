# Two commands for a new user: `make demo` and `make test`. Each makes .venv and installs by itself.
# Written for GNU make 3.81, which macOS ships.
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
DATA ?= ../shared/data/trajectories/*.gz
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LONG := AGENTCTX_TEST_PROFILE=long

# The first Python that is new enough and can make environments; asked for only when there is none yet.
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3.14 python3; do \
	"$$python" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && \
	echo "$$python" && break; done)
NO_PYTHON = agentctx needs Python 3.11 or newer that can make environments (Debian: apt install python3-venv, \
	macOS: brew install python), or name one: make PYTHON=/path/to/python3.12

.PHONY: demo test test-long test-laws test-marked lint format bench bench-memory replay wheel clean

demo: $(VENV)/.installed
	$(BIN)/agentctx demo --html report.html

test: $(VENV)/.dev
	$(PYTEST)

test-long: $(VENV)/.dev
	$(LONG) $(PYTEST)

test-laws: $(VENV)/.dev
	$(LONG) $(PYTEST) tests/test_laws.py

test-marked: $(VENV)/.dev
	$(LONG) $(PYTEST) -m long

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python -m pytest benchmarks --benchmark-only --benchmark-columns=min,median,max,rounds

# Takes four minutes; FLAGS=--quick takes one. Beside contexa too where it is installed.
bench-memory: $(VENV)/.installed
	$(BIN)/python -m benchmarks.memory $(FLAGS)

replay: $(VENV)/.installed
	$(BIN)/agentctx eval replay $(DATA) --jobs $(JOBS)

wheel: $(VENV)/.dev
	$(BIN)/python -m build

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "$(NO_PYTHON)" >&2; exit 1; }
	"$(PYTHON)" -m venv "$(VENV)"
	$(PIP) install --upgrade pip

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing agentctx into $(VENV)"
	$(PIP) install --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "installing agentctx and what its tests need into $(VENV): some minutes the first time"
	$(PIP) install --editable ".[dev]"
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build dist *.egg-info report.html
