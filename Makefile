# Every target makes .venv and installs what it needs; nothing is done that is up to date.
#   make demo       train, compare, save and draw: a tour of the library
#   make test       all tests, and the examples in the docstrings
#   make lint       ruff, mypy, clang-format
#   make bench      plboost and its peers side by side
#   make sanitize   unit and oracle tests under the address, undefined and thread sanitizers
#   make format     rewrite Python and C++ in the house's format
#   make stubs      write src/plboost/_core/*.pyi from the built extension
#   make clean      remove .venv, build and caches

PYTHON ?= python3
PYTEST_ARGS ?=
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Keeps __pycache__ out of src, whose folders are prerequisites below.
export PYTHONDONTWRITEBYTECODE := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

BIN := .venv/bin
STAMPS := .venv/stamps
BUILD_TOOLS := "scikit-build-core>=1.1" nanobind==3.1.0 cmake ninja
# Folders count too: they change when a file is added or removed.
SOURCES := $(shell find cpp src -name __pycache__ -prune -o -print) \
           pyproject.toml CMakeLists.txt README.md LICENSE
CPP_FILES = $$(find cpp tests -name '*.cpp' -o -name '*.hpp')
PYTHON_FOLDERS = $(wildcard src tests benchmarks examples)
# PYTEST_ARGS may choose tests of one group only; pytest ends with 5 where there is none.
NONE_CHOSEN = || [ $$? -eq 5 ]
PARALLEL_TESTS := tests/conformance tests/oracle tests/property tests/reference
INSTALL := $(BIN)/pip install --quiet --no-build-isolation --check-build-dependencies

.PHONY: demo test lint bench sanitize format stubs clean

demo: $(STAMPS)/package $(STAMPS)/extra-plot
	$(BIN)/python examples/demo.py

# One of scikit-learn's estimator checks is skipped unless SCIPY_ARRAY_API is set.
# What compares many generated cases with the reference runs on all processors; the rest, which
# watches threads, signals and processes, by itself.
test: $(STAMPS)/package $(STAMPS)/extra-test
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest -n auto $(PARALLEL_TESTS) $(PYTEST_ARGS) $(NONE_CHOSEN)
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest tests $(PARALLEL_TESTS:%=--ignore=%) $(PYTEST_ARGS) $(NONE_CHOSEN)
	$(BIN)/python -m pytest --doctest-modules --pyargs plboost

lint: $(STAMPS)/extra-dev $(STAMPS)/extra-test
	$(BIN)/ruff check $(PYTHON_FOLDERS)
	$(BIN)/ruff format --check $(PYTHON_FOLDERS)
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CPP_FILES)

bench: $(STAMPS)/package $(STAMPS)/extra-bench
	$(BIN)/python -m benchmarks.peers

sanitize: $(STAMPS)/extra-test
	tests/sanitize/run address
	tests/sanitize/run thread

format: $(STAMPS)/extra-dev
	$(BIN)/ruff check --fix $(PYTHON_FOLDERS)
	$(BIN)/ruff format $(PYTHON_FOLDERS)
	$(BIN)/clang-format -i $(CPP_FILES)

stubs: $(STAMPS)/package
	rm -rf src/plboost/_core
	$(BIN)/python -m nanobind.stubgen -q -r -m plboost._core -O src/plboost

clean:
	rm -rf .venv build dist
	find . -path ./.git -prune -o -type d \( -name __pycache__ -o -name .hypothesis -o -name '.*_cache' \) \
	  -prune -exec rm -rf {} +

$(STAMPS)/venv:
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet $(BUILD_TOOLS)
	mkdir -p $(STAMPS)
	touch $@

# The build folder under build/ is kept, so only changed C++ files are compiled again.
$(STAMPS)/package: $(SOURCES) | $(STAMPS)/venv
	touch $@.started
	$(INSTALL) .
	mv $@.started $@

$(STAMPS)/extra-%: pyproject.toml | $(STAMPS)/package
	$(INSTALL) '.[$*]'
	touch $@
