# Every target works on a fresh clone: it makes .venv when there is none and installs what constraints.txt
# pins. `make PYTHON=python3.13 test` makes (or remakes) .venv with that interpreter.

ifneq ($(filter-out undefined default,$(origin PYTHON)),)
  PYTHON_GIVEN := yes
endif
PYTHON ?= python3

VENV  := .venv
STAMP := $(VENV)/.installed
BIN   := $(VENV)/bin
CDEF  := src/typemeta/llvm/_cdef.py

# pip builds the package in an environment of its own, and the pins hold there too: older versions of pip
# read PIP_CONSTRAINT for it, newer ones PIP_BUILD_CONSTRAINT.
PIP_PINS := PIP_CONSTRAINT=$(CURDIR)/constraints.txt PIP_BUILD_CONSTRAINT=$(CURDIR)/constraints.txt

# Further arguments: `make test ARGS=tests/model`, `make bench ARGS='--rounds 9'`.
ARGS ?=

export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Is the interpreter one that typemeta runs on? In $(VENV), is it the one asked for?
SUPPORTED    := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))
VERSION      := import sys; print(*sys.version_info[:3], sep='.')
SAME_VERSION  = [ "$$($(PYTHON) -c "$(VERSION)" 2>/dev/null)" = "$$($(BIN)/python -c "$(VERSION)" 2>/dev/null)" ]

# The other versions of LLVM that the declarations describe; each is a wheel on PyPI.
LLVMS := 19.1.7 20.1.8 21.1.8 22.1.8
# Tests that need no bitcode of the newest clang, which an older LLVM cannot read.
VERSION_TESTS := tests/llvm/test_init_arrays.py tests/model tests/lower tests/execute tests/property

# An LLVM with all targets, for `make targets`: Debian's llvm-22.
LLVM_TOOLS ?= /usr/lib/llvm-22/bin

.PHONY: help demo test lint bench fuzz versions targets clean venv
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help:
	@echo 'typemeta: LLVM type metadata as a library and a command'
	@echo
	@echo '  make demo    compile a real C++ library under CFI, lower it with typemeta, run it (about 4 minutes)'
	@echo '  make test    run all tests'
	@echo '  make lint    check style, types, imports and spelling'
	@echo '  make bench   time typemeta beside opt'
	@echo '  make fuzz    run the tests with many more random inputs'
	@echo '  make versions  run the tests that fit on LLVM 19 to 22 as well'
	@echo '  make targets   compare jump tables of all targets with those of the LLVM in LLVM_TOOLS=FOLDER'
	@echo '  make clean   remove all that make has put into this folder (downloads stay in the user cache)'
	@echo
	@echo '  PYTHON=python3.12   the interpreter for .venv (3.11 to 3.13; python3 if not given)'
	@echo '  ARGS=...            further arguments for pytest, the demo or the benchmark'

demo: $(STAMP)
	@$(BIN)/python examples/demo/demo.py $(ARGS)

test: $(STAMP)
	@$(BIN)/python -m pytest $(ARGS)

lint: $(STAMP)
	@echo 'ruff check';          $(BIN)/ruff check --quiet .
	@echo 'ruff format --check'; $(BIN)/ruff format --check --quiet .
	@echo 'mypy';                $(BIN)/mypy --no-error-summary
	@echo 'lint-imports';        $(BIN)/lint-imports --no-logo
	@echo 'codespell';           $(BIN)/codespell
	@echo 'lint: all clean'

bench: $(STAMP)
	@$(BIN)/python bench/lower.py $(ARGS)

fuzz: $(STAMP)
	@TYPEMETA_FUZZ=1 $(BIN)/python -m pytest $(ARGS)

versions: $(STAMP)
	@for version in $(LLVMS); do \
	  place=.cache/llvm-$$version; \
	  [ -x $$place/bin/python ] || $(BIN)/python -m venv $$place; \
	  $$place/bin/python -m pip install -qq karellen-llvm-core==$$version && $$place/bin/python -c pass || exit 1; \
	  echo "LLVM $$version"; \
	  TYPEMETA_LIBLLVM=$$(ls $(CURDIR)/$$place/lib/libLLVM.so.*) $(BIN)/python -m pytest -q $(VERSION_TESTS) $(ARGS) || exit 1; \
	done

targets: $(STAMP)
	@LLVM_TOOLS='$(LLVM_TOOLS)' $(BIN)/python -m pytest tests/targets $(ARGS)

clean:
	@rm -rf $(VENV) .cache build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@rm -f $(CDEF)
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv: $(STAMP)
	@:

# Install again, whatever the stamp says, when what the build writes is gone or another interpreter is asked for.
ifeq ($(wildcard $(CDEF)),)
.PHONY: $(STAMP)
endif
ifeq ($(PYTHON_GIVEN),yes)
ifneq ($(shell $(SAME_VERSION) && echo same),same)
.PHONY: $(STAMP)
endif
endif

# The LLVM wheels put their links (clang++, llvm-ar, ...) in place when Python first starts, hence the last step.
$(STAMP): pyproject.toml constraints.txt hatch_build.py src/typemeta/llvm/cdef.h
	@$(PYTHON) -c '$(SUPPORTED)' || \
	  { echo '$(PYTHON) is not a Python 3.11 to 3.13: name one with make PYTHON=python3.12' >&2; exit 1; }
	@if [ "$(PYTHON_GIVEN)" = yes ] && ! $(SAME_VERSION); then rm -rf $(VENV); fi
	@[ -x $(BIN)/python ] || { echo 'making $(VENV) with $(PYTHON)'; $(PYTHON) -m venv $(VENV); }
	@echo 'installing typemeta and its tools into $(VENV) (about 150 MB the first time)'
	@$(PIP_PINS) $(BIN)/python -m pip install -qq -e '.[dev]'
	@$(BIN)/python -c pass
	@$(BIN)/python -m compileall -q src
	@touch $@
