# Everything runs in .venv, which is made on first use and again when the requirements change.
PYTHON ?= python3
# Neighbours run in one process, which makes the fixtures of a module once.
PYTEST_ARGS ?= -n auto --dist worksteal

BIN := .venv/bin
REQUIREMENTS := pyproject.toml constraints.txt
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test quick lint coverage fix bench docs

help:  ## Show this list.
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: .venv/.report  ## Compare texts of a small model with human text; writes texts and a report to demo/.
	$(BIN)/mauve demo --out demo

test: lint  ## Run all checks: lint, format, types, layers, tests.
	$(BIN)/python -m pytest $(PYTEST_ARGS)

quick: .venv/.dev  ## Run the quick tests, in about a minute on two cores.
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m "not slow" --hypothesis-profile=quick

lint: .venv/.dev  ## Check lint, format, types and the directions of imports.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo

coverage: .venv/.dev  ## Run all tests and print the share of lines they cover.
	$(BIN)/python -m pytest $(PYTEST_ARGS) --cov=mauve --cov-report=term:skip-covered

fix: .venv/.dev  ## Repair lint and format, and regenerate docs/cli.md.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/python docs/make_cli.py

bench: .venv/.report  ## Print the benchmarks that need nothing but the package.
	$(BIN)/python benchmarks/path.py
	$(BIN)/python benchmarks/speed.py --growth
	$(BIN)/python benchmarks/coverage.py --n 500 --cases 40 --fresh 20000

# The demo needs no torch, so it is ready much sooner than the tests.
.venv/.report: $(REQUIREMENTS)
	$(PYTHON) -m venv .venv
	$(INSTALL) --editable '.[report]'
	@touch $@

.venv/.dev: $(REQUIREMENTS)
	$(PYTHON) -m venv .venv
	$(INSTALL) --editable '.[dev]'
	@touch .venv/.report $@

docs: .venv/.dev  ## Build the documentation site in docs/_build, offline; warnings are errors.
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
