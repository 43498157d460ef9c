# Two commands on a fresh machine: `make run` and `make test`. The rest is for those who change the project.
PYTHON ?= python3
PORT   ?= 8501
BIN    := .venv/bin
# Three groups of tests have a browser each and often wait for it; the rest runs beside them: tests/conftest.py.
PYTEST := $(BIN)/python -m pytest -n 4
# Nothing is compiled when it is installed (tools/install.py): without its bytecode each process would compile it again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-fast test-all lint types contracts next bench parity pretrained screenshots docs clean help

help:            ## What can be made
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/'

.venv/.app: requirements.txt
	@$(PYTHON) -m tools.install requirements.txt
	@touch $@

.venv/.dev: requirements.txt requirements-models.txt requirements-site.txt requirements-dev.txt
	@$(PYTHON) -m tools.install requirements-dev.txt
	@touch $@ .venv/.app

run: .venv/.app  ## Start the app on this machine (ADDRESS=0.0.0.0: for the network too)
	@$(BIN)/python -m alibi_viz run --port $(PORT) $(if $(ADDRESS),--host $(ADDRESS))

test: .venv/.dev lint types contracts  ## Linters, types, contracts and every test but the slow ones
	@$(BIN)/python tests/ensure_browser.py
	$(PYTEST) -m "not slow"

test-fast: .venv/.dev  ## The tests of pages, ui and units: no browser, no training, nothing published, hostile or damaged
	$(PYTEST) -n 2 -m "not slow" tests/pages tests/ui tests/unit

test-all: .venv/.dev lint types contracts  ## All tests, the slow ones too
	@$(BIN)/python tests/ensure_browser.py
	$(PYTEST)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/oxlint --quiet alibi_viz
	DENO_NO_UPDATE_CHECK=1 $(BIN)/deno check --quiet --no-remote alibi_viz
	DENO_NO_UPDATE_CHECK=1 $(BIN)/deno fmt --check --quiet
	$(BIN)/python -m tools.rooms

types: .venv/.dev
	$(BIN)/mypy

contracts: .venv/.dev
	$(BIN)/lint-imports --no-cache

next: .venv/.dev  ## Try the newest Streamlit and Plotly: which of our hooks into them can go
	@$(BIN)/python tests/ensure_browser.py
	@$(BIN)/python -m tests.next_streamlit

bench: .venv/.dev  ## Measure this machine: ratios against peers and limits
	@$(BIN)/python tests/ensure_browser.py
	$(BIN)/python -m benchmarks

parity: .venv/.dev  ## Compare with published implementations, and write the differences for the Sources page
	ALIBI_VIZ_RECORD_PARITY=1 $(BIN)/python -m pytest tests/parity

pretrained: .venv/.app  ## Train and measure the shipped runs again (a night; may be interrupted), then their costs and texts
	for process in 1 2; do $(BIN)/python -m tools.pretrained data/pretrained & done; wait
	$(BIN)/python -m tools.pretrained data/pretrained alibi_viz/results/pretrained
	$(BIN)/python -m tools.costs
	$(BIN)/python -m tools.writing
	$(BIN)/python -m tools.facts

screenshots: .venv/.dev  ## Make the README's picture again
	@$(BIN)/python tests/ensure_browser.py
	$(BIN)/python -m benchmarks.screenshots

docs: .venv/.dev  ## List what others build on again, the plan of a lesson, and the kernels of a training in the browser
	@$(BIN)/python -m benchmarks.interface
	@$(BIN)/python -m benchmarks.lesson_plan
	@$(BIN)/python -m benchmarks.kernels

clean:           ## Remove what the other commands made
	rm -rf .venv out .pytest_cache .mypy_cache .ruff_cache .hypothesis
