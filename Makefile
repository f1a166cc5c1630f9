.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	@awk '/^uv==/{on=1} on{print} on&&!/\\$$/{exit}' requirements.lock > .venv/uv.lock
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r .venv/uv.lock
	$(BIN)/uv pip install -q --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

install: $(STAMP)  ## Make .venv with everything, from the lock

run: $(STAMP)  ## Start the whole product on this machine
	$(BIN)/rolecall up

test: $(STAMP)  ## Run the tests
	$(BIN)/pytest

lint: $(STAMP)  ## Style and layering
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(STAMP)  ## Strict types of the shipped code
	$(BIN)/mypy

bench: $(STAMP)  ## Benchmarks; each prints what it compares with
	@for file in bench/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

docs: $(STAMP)  ## Write the generated parts of docs/ and .env.example
	$(BIN)/python -m local.docs

lock: $(STAMP)  ## Renew the locks after pyproject.toml changed
	$(BIN)/uv pip compile -q pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes --no-header -o requirements.lock
	$(BIN)/uv pip compile -q pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header -c requirements.lock -o layers/vendor/base.lock
	$(BIN)/uv pip compile -q pyproject.toml --extra documents --universal --python-version 3.11 --generate-hashes --no-header -c requirements.lock $$(sed -n 's/^\([a-zA-Z0-9_.-]*\)[=[].*/--no-emit-package \1/p' layers/vendor/base.lock) -o layers/vendor/documents.lock

pr: lint types test  ## What CI runs, before you push

.PHONY: help install run test lint types bench docs lock pr
