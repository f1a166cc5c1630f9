.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
WEB_SOURCES := $(wildcard web/*.html web/*.ts web/*.json) $(shell find web/src web/public -type f 2>/dev/null)

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
	@if ! command -v npm >/dev/null; then echo "Node.js is not here, so there is no page. Install Node.js 20.19 or newer to have it."; \
	else $(MAKE) -s web || echo "The page could not be built (see above). Everything else runs."; fi
	$(BIN)/rolecall up

web: web/dist/index.html  ## Build the page, if it is stale

web/node_modules/.installed: web/package-lock.json web/package.json web/.npmrc
	@node -e 'const [major, minor] = process.versions.node.split(".").map(Number); if (major < 20 || (major === 20 && minor < 19)) { console.error("Node.js 20.19 or newer is needed, this is " + process.version); process.exit(1); }'
	cd web && npm ci --no-progress --loglevel=error
	@touch $@

web/dist/index.html: web/node_modules/.installed $(WEB_SOURCES)
	cd web && npm run --silent build -- --logLevel warn
	@touch $@

web-check: web/node_modules/.installed  ## Style, types and tests of the page
	cd web && npm run --silent lint && npm run --silent types && npm run --silent test

e2e: $(STAMP) web  ## The page in a browser (Chromium)
	$(BIN)/pytest -m e2e tests/e2e

test: $(STAMP)  ## Run the tests, in two processes; those of the whole stack by themselves, so that each process starts it once
	$(BIN)/pytest -n 2 --dist loadfile tests/unit
	$(BIN)/pytest -n 2 --dist loadfile tests/functional

lint: $(STAMP)  ## Style and layering
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(STAMP)  ## Strict types of the shipped code
	$(BIN)/mypy

bench: $(STAMP)  ## Benchmarks; each prints what it compares with
	@for name in cold_start turn_overhead search; do echo "== $$name"; $(BIN)/python -m bench.$$name || exit 1; done

N ?= 1000000
SEED ?= 1

fuzz: $(STAMP)  ## Try N=1000000 damaged histories from SEED=1; the last line states the figures
	$(BIN)/python -m tests.fuzz --count $(N) --seed $(SEED)

docs: $(STAMP)  ## Write the generated parts of docs/ and .env.example
	$(BIN)/python -m local.docs

layers: $(STAMP)  ## Build the vendor layers for Lambda, from their locks
	$(BIN)/python -m infra.layers

infra: $(STAMP)  ## Synthesise the CDK app and check its templates (Node.js)
	rm -rf cdk.out
	$(BIN)/python -m infra.app
	$(BIN)/cfn-lint
	$(BIN)/pytest tests/infra

lock: $(STAMP)  ## Renew the locks after pyproject.toml changed
	$(BIN)/uv pip compile -q pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes --no-header -o requirements.lock
	$(BIN)/uv pip compile -q pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header -c requirements.lock -o layers/vendor/base.lock
	$(BIN)/uv pip compile -q pyproject.toml --extra documents --universal --python-version 3.11 --generate-hashes --no-header -c requirements.lock $$(sed -n 's/^\([a-zA-Z0-9_.-]*\)[=[].*/--no-emit-package \1/p' layers/vendor/base.lock) -o layers/vendor/documents.lock
	$(BIN)/uv pip compile -q pyproject.toml --extra providers --universal --python-version 3.11 --generate-hashes --no-header -c requirements.lock $$(sed -n 's/^\([a-zA-Z0-9_.-]*\)[=[].*/--no-emit-package \1/p' layers/vendor/base.lock) -o layers/vendor/providers.lock

pr: lint types test  ## What CI runs, before you push

.PHONY: help install run web web-check e2e test lint types bench fuzz docs layers infra lock pr
