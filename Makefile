# The one interface: every target sets up what it needs, once, in .venv, and asks for nothing else.

PYTHON ?= $(shell for python in python3 python3.15 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
DONE := $(VENV)/done#               what has been set up, one empty file each
FUZZ_SECONDS ?= 60
APART := .venv-apart#            environments of one dependency group each: their pins fight
NAME ?=#                         a framework, for test-framework
SHARED_OUT ?= --numprocesses auto --dist loadfile# how the suite uses this machine's cores
WITH ?=#                         more groups for the suite; tests of what is not installed are skipped

export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
unexport PYTHONPATH PYTHONHOME

# Rust is used where it is new enough. Without it the plain-Python twin gives the same answers, slower.
MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
CARGO := $(shell have=$$(cargo --version 2>/dev/null | cut -d' ' -f2); \
	[ -n "$$have" ] && printf '%s\n%s\n' $(MSRV) $$have | sort -V -C && echo cargo)
CORE := $(if $(CARGO),rust,python)
BACKENDS := $(if $(CARGO),python rust,python)
RUST_SOURCES := Cargo.toml Cargo.lock $(shell find rust -name '*.rs' -not -path 'rust/fuzz/*' 2>/dev/null)
EXTRAS := $(WITH:%=$(DONE)/group-%)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo dev test test-rs test-py test-old-sdks test-more-sdks test-framework coverage lint golden format bench accuracy bench-smoke docs picture wheels test-wheels fuzz clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1@\2/p' Makefile | awk -F@ '{ printf "make %-12s %s\n", $$1, $$2 }'

# --- set-up ------------------------------------------------------------------------------------

$(DONE)/venv:
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "longturn needs Python 3.11 or newer; looked at $(or $(PYTHON),python3 and python3.11 to 3.15)."; \
		echo "Install one, or name one: make PYTHON=/path/to/python $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip  # --group needs pip 25.1
	@mkdir -p $(DONE) && touch $@

$(DONE)/group-%: pyproject.toml $(DONE)/venv
	$(BIN)/pip install --quiet --group $*
	@touch $@

# An optimised build, put into python/longturn; Python edits are seen at once.
$(DONE)/core-rust: $(RUST_SOURCES) $(DONE)/group-build
	$(BIN)/maturin develop --release --quiet
	@rm -f $(DONE)/core-python && touch $@

$(DONE)/core-python: packaging/pure/pyproject.toml $(DONE)/venv
	@echo "No cargo $(MSRV) or newer here: using the plain-Python estimator (same answers, slower)."
	@echo "For the Rust core install Rust from rustup.rs and run make again."
	$(BIN)/pip install --quiet --editable packaging/pure
	@rm -f $(DONE)/core-rust && touch $@

dev: $(DONE)/core-$(CORE) $(DONE)/group-test $(DONE)/group-lint $(DONE)/group-docs  ## set up .venv for work on longturn

# --- use ---------------------------------------------------------------------------------------

demo: $(DONE)/core-$(CORE) $(DONE)/group-demo  ## a long agent turn, with and without longturn
	$(BIN)/python examples/demo/run.py

test: test-rs test-py  ## Rust tests, then the Python suite on both backends

test-rs:  ## Rust tests alone; no Python involved
	$(if $(CARGO),cargo test --locked --quiet,@echo "No cargo $(MSRV) or newer here: Rust tests left out.")

test-py: $(DONE)/core-$(CORE) $(DONE)/group-test $(EXTRAS)  ## the Python suite, once per backend
	$(foreach backend,$(BACKENDS),LONGTURN_BACKEND=$(backend) $(BIN)/pytest --benchmark-disable $(SHARED_OUT) &&) true

test-old-sdks: $(DONE)/core-$(CORE) $(APART)/sdks-old/done  ## what real SDKs send when they are refused, with the oldest ones
	PYTHONPATH=python $(APART)/sdks-old/bin/python -m pytest --quiet tests/sdk

test-more-sdks: $(DONE)/core-$(CORE) $(APART)/sdks-more/done  ## how refusals come through SDKs that the other tests don't have
	PYTHONPATH=python $(APART)/sdks-more/bin/python -m pytest --quiet tests/failures/test_sdks.py

# A file whose tests are all skipped while it is collected fails. Pages are about what is new, not what is oldest.
test-framework: $(APART)/framework-$(NAME)/done  ## the tests of one framework in an environment of its own, as in NAME=openai
	for tests in tests/integrations/test_$(subst -,_,$(NAME:%-oldest=%)).py $(wildcard docs/frameworks/$(NAME).md) $(EXAMPLE); do \
		PYTHONPATH=python $(APART)/framework-$(NAME)/bin/python -m pytest --quiet $$tests || exit 1; done

EXAMPLE = $(if $(wildcard examples/frameworks/$(AGENT).py),"tests/integrations/test_framework_examples.py::test_an_example_stays_in_its_window[$(AGENT)]")
AGENT = $(subst -,_,$(NAME))_agent

$(APART)/framework-/done:
	@echo "name a framework: make test-framework NAME=... (one of$$(sed -n 's/^framework-\([^ ]*\).*/ \1/p' pyproject.toml | tr -d '\n'))"
	@exit 1

$(APART)/%/done: pyproject.toml $(DONE)/venv
	$(BIN)/python -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --upgrade pip
	$(@D)/bin/pip install --quiet --group $*
	@touch $@

coverage: $(DONE)/core-$(CORE) $(DONE)/group-coverage $(EXTRAS)  ## lines and branches that no Python test reaches
	LONGTURN_BACKEND=python $(BIN)/coverage run -m pytest --benchmark-disable --quiet
	$(BIN)/coverage report

lint: $(DONE)/core-$(CORE) $(DONE)/group-lint  ## format, style, types, import rules, workflows
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/zizmor --offline --quiet --persona=pedantic .github
ifneq ($(CARGO),)
	$(BIN)/stubtest longturn._core
	cargo fmt --check
	cargo clippy --locked --quiet --all-targets -- -D warnings
	cargo clippy --locked --quiet --all-targets --features python -- -D warnings
endif

golden: $(DONE)/core-$(CORE)  ## write down anew what tests compare with; review its diff
	$(BIN)/python tests/golden/write.py

format: $(DONE)/group-lint  ## put code into shape, and fix what can be fixed without thinking
	$(BIN)/ruff check --fix --exit-zero --quiet
	$(BIN)/ruff format --quiet
	$(if $(CARGO),cargo fmt)

# Slow work is repeated three times, fast work for a third of a second; texts larger than any cache need 3 GB.
bench: export LONGTURN_BENCH_LARGE := 1
bench: export LONGTURN_BENCH_COMMAND := make bench
bench: $(DONE)/core-$(CORE) $(DONE)/group-bench  ## one table of timings, beside everything we compare with
	@mkdir -p .benchmarks && rm -f .benchmarks/lanes.txt
	$(if $(CARGO),cargo bench --locked --quiet > .benchmarks/lanes.txt)
	$(BIN)/python -m pytest benches --quiet --benchmark-only --benchmark-quiet --benchmark-min-time=0.0001 \
		--benchmark-max-time=0.3 --benchmark-json=.benchmarks/measured.json
	$(BIN)/python -m benches.table .benchmarks/measured.json .benchmarks/lanes.txt

# Of the texts in LONGTURN_DATA, or of tables of counted texts: make accuracy TABLE=pieces.jsonl
accuracy: $(DONE)/core-$(CORE) $(DONE)/group-bench  ## how far off estimates are, into docs/accuracy.md
	$(BIN)/python -m benches.accuracy $(TABLE)

bench-smoke: $(DONE)/core-$(CORE) $(DONE)/group-test $(EXTRAS)  ## every bench once, untimed: benches that nobody runs rot
	$(if $(CARGO),cargo test --locked --quiet --bench '*' >/dev/null)
	$(BIN)/python -m pytest benches --quiet --benchmark-disable

docs: $(DONE)/core-$(CORE) $(DONE)/group-docs  ## HTML pages in docs/_build
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --builder dirhtml docs docs/_build

picture: $(DONE)/core-$(CORE) $(DONE)/group-test  ## draw docs/replay.png anew
	$(BIN)/longturn demo --png docs/replay.png > /dev/null

wheels: $(DONE)/group-build  ## sdist, the wheel built from it, and the py3-none-any wheel, in dist
	.github/scripts/build_dists.sh $(BIN) dist

test-wheels: wheels  ## each wheel in an empty environment, with the quick part of the suite
	.github/scripts/test_dists.sh $(BIN)/python dist

fuzz:  ## compare the fast counters with the naive one for FUZZ_SECONDS; needs nightly Rust and cargo-fuzz
	for target in $$(cargo +nightly fuzz list --fuzz-dir rust/fuzz); do \
		cargo +nightly fuzz run --fuzz-dir rust/fuzz $$target -- -max_total_time=$(FUZZ_SECONDS) || exit 1; done

clean:  ## remove what the other targets made
	rm -rf $(VENV) $(APART) target dist docs/_build .benchmarks .demo .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	rm -f python/longturn/_core*.so
