# Everything a newcomer needs: Python >= 3.11 and make. Each target brings what it needs; nothing is written outside this folder.
.DEFAULT_GOAL := help
.PHONY: help setup demo demo-all test test-rest test-all validators lint typecheck format bench mutants certify-soak certificates schemas lock changelog clean
FRAMEWORKS := claude-code llamacpp metaclaw nanobot openclaw opencode qwen-code

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready
export CLAW_HOME := $(CURDIR)/.claw
export UV_CACHE_DIR ?= $(CURDIR)/.claw/cache/uv
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Every `claw` that a test starts would compile all modules anew where this is set.
export PYTHONDONTWRITEBYTECODE :=
MEMBERS := core $(patsubst %/pyproject.toml,%,$(wildcard plugins/*/pyproject.toml scenarios/*/pyproject.toml))
MANIFESTS := $(addsuffix /pyproject.toml,$(MEMBERS))
SOURCES := $(addsuffix /src,$(MEMBERS))

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): requirements/dev.txt requirements/uv.txt $(MANIFESTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "claw-adapter needs Python >= 3.11; call: make PYTHON=/path/to/python3.11"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) \
	  || { echo "python3 -m venv does not work here; on Debian and Ubuntu: apt install python3-venv"; exit 2; }
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/uv.txt
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip sync --quiet --require-hashes --compile-bytecode requirements/dev.txt
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --offline --no-deps --no-build-isolation $(addprefix -e ,$(MEMBERS))
	@touch $@

setup: $(STAMP) ## the development environment in .venv

.claw/%: frameworks/%/framework.toml $(STAMP)
	$(BIN)/claw frameworks install $*
	@touch $@

demo: setup .claw/nanobot ## two harnesses under one fixed model on the demo scenario, with a table and a page
	$(BIN)/claw run demo --harness reference --harness nanobot --model reader --out runs/demo -j 2
	@$(BIN)/claw profile --from runs/demo

demo-all: setup $(FRAMEWORKS:%=.claw/%) ## the same with every harness and overlay; PicoClaw if it is on PATH
	$(BIN)/claw run demo -H reference -H openclaw -H openclaw:mode=acp -H claude-code -H nanobot \
	  $(if $(shell command -v picoclaw),-H picoclaw) -H openclaw+metaclaw -H nanobot+metaclaw \
	  --model reader --out runs/demo-all -j 2

# Most tests wait for programs, so that more workers than cores keep a machine busy; each test is handed out on its own, the
# longest first. The real harnesses are OpenClaw, Claude Code, NanoBot, MetaClaw, llama.cpp, and PicoClaw if it is on PATH.
JOBS   ?= $(shell expr 2 \* $$(nproc))
PYTEST  = $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup --no-loadscope-reorder
QUICK  := unit property golden integration smoke
REST   := scenarios forge certification faults security e2e

test: setup $(FRAMEWORKS:%=.claw/%) ## the tests for every change, in minutes: units, and for each real harness a demo and Bronze
	$(PYTEST) $(QUICK:%=tests/%)

test-rest: setup $(FRAMEWORKS:%=.claw/%) ## all other tests: suites, Forge, certification, faults, security, every real harness
	$(PYTEST) $(REST:%=tests/%)

.claw/validators/.ready: requirements/validators.txt $(STAMP)
	$(PYTHON) -m venv .claw/validators
	VIRTUAL_ENV=.claw/validators $(BIN)/uv pip sync --quiet --require-hashes requirements/validators.txt
	@touch $@

validators: .claw/validators/.ready ## other tools, such as those that read what `claw export` writes: their tests run then

test-all: setup $(FRAMEWORKS:%=.claw/%) ## all tests
	$(PYTEST)

lint: setup typecheck ## style, types, import contracts and circles
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

typecheck: setup
	$(BIN)/mypy $(SOURCES)

format: setup ## put the sources into the agreed form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup ## benchmarks: ratios within one run
	$(BIN)/python tools/bench/startup.py
	$(BIN)/python tools/bench/overhead.py
	$(BIN)/python tools/bench/trials.py
	$(BIN)/python tools/bench/tokens.py
	$(BIN)/python tools/bench/harnesses.py

mutants: setup ## broken harnesses: each must trip exactly its checks
	$(BIN)/python tools/mutants/run.py

REPEATS ?= 50
certify-soak: setup ## the reference certified again and again, without one failure
	for i in $$(seq $(REPEATS)); do $(BIN)/claw certify reference --level silver -q --out runs/certify-soak/$$i || exit 1; done

CERTIFIED ?= nanobot claude-code openclaw $(if $(shell command -v picoclaw),picoclaw)
certificates: setup $(FRAMEWORKS:%=.claw/%) ## certify the real harnesses at Gold, half an hour, and keep their certificates
	$(BIN)/python tools/certificates.py $(CERTIFIED)

schemas: setup ## write docs/spec/schemas and the table of docs/findings.md again
	$(BIN)/claw schema --out docs/spec/schemas
	$(BIN)/python tools/findings.py

changelog: setup ## write CHANGELOG.md again from changelog.d
	$(BIN)/python tools/changelog.py

lock: setup ## resolve all dependencies again, with hashes
	$(BIN)/python tools/lock.py

clean: ## remove everything that the targets made
	rm -rf $(VENV) .claw runs dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
