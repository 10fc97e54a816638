# Everything runs in local environments (.venv, .venv-sanitize, …) made by plain `venv` and `pip`, and in
# node_modules: a machine needs Python 3.11 or newer, a C++20 compiler and make, nothing else.

PYTHON ?= python3
JOBS ?= 3
PYTEST_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
SANITIZE_VENV := .venv-sanitize
SANITIZE_BIN := $(SANITIZE_VENV)/bin
THREADS_VENV := .venv-sanitize-threads
THREADS_BIN := $(THREADS_VENV)/bin

# node is of the environment too: a machine needs none of its own.
TSC := $(BIN)/node node_modules/typescript/bin/tsc --project .
PRETTIER := $(BIN)/node node_modules/prettier/bin/prettier.cjs --log-level warn
PAGE_FILES := 'src/thresher/lab/**/*.{js,ts,css,html}'

CPP_FILES := $(shell find src -name '*.hpp' -o -name '*.cpp')
NATIVE := $(CPP_FILES) CMakeLists.txt pyproject.toml

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Of nine thousand modules most are never imported; those that are, are compiled then.
export PIP_NO_COMPILE := 1
MAKEFLAGS += --no-builtin-rules
.NOTPARALLEL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

.PHONY: help demo lab test pytest lint format types bench sanitize sanitize-threads docs clean

help: ## list the targets
	@echo "Targets:"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 19
	@echo "Settings: PYTHON=python3.12 (the interpreter), JOBS=3 (test processes), PYTEST_ARGS='-k winnow'"

demo: $(VENV)/.package ## install the package and watch the learners at work
	@$(BIN)/python -m thresher.demo

lab: $(VENV)/.extra-lab ## open the lab: learners at work, in a page of this machine
	@$(BIN)/thresher lab

test: lint pytest ## run the linters, then the whole test suite, as CI does

pytest: $(VENV)/.extra-test ## run the test suite alone
	$(BIN)/pytest -n $(JOBS) --dist worksteal $(PYTEST_ARGS)

lint: $(VENV)/.extra-test $(VENV)/.node-modules ## run the linters alone (style, types, layers, formats)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(TSC)
	$(PRETTIER) --check $(PAGE_FILES)
	@echo "clang-format --dry-run -Werror ($(words $(CPP_FILES)) files)"
	@$(BIN)/clang-format --dry-run -Werror $(CPP_FILES)

format: $(VENV)/.extra-test $(VENV)/.node-modules ## rewrite Python, C++ and JavaScript in the house style
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(PRETTIER) --write $(PAGE_FILES)
	@$(BIN)/clang-format -i $(CPP_FILES)

types: $(VENV)/.extra-test $(VENV)/.node-modules ## check the types alone, of Python and of JavaScript
	$(BIN)/mypy
	$(TSC)

bench: $(VENV)/.extra-bench ## measure speed against other libraries
	$(BIN)/python benchmarks/run.py

# The sanitizers' runtimes must be loaded before the interpreter, which was built without them.
# libstdc++ comes along so that exceptions are intercepted; Python's leaks at exit are not ours.
# pytest leaves the file descriptors alone, or it would swallow the report of a process that dies.
sanitize: $(SANITIZE_VENV)/.extra-test ## run the suite with memory and undefined-behaviour checks
	@preload=; \
	for name in libasan.so libubsan.so libstdc++.so; do \
	    library=$$($(CXX) -print-file-name=$$name); \
	    test -f "$$library" || { echo "$(CXX) has no $$name: set CXX to a g++ with sanitizers" >&2; exit 1; }; \
	    preload="$$preload $$library"; \
	done; \
	set -x; \
	env LD_PRELOAD="$${preload# }" PYTHONMALLOC=malloc \
	    ASAN_OPTIONS=detect_leaks=0:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1 \
	    $(SANITIZE_BIN)/python -m pytest -n $(JOBS) --capture=sys -m "not nosanitize" $(PYTEST_ARGS)

# Threads that learn, predict, save and read at once. The interpreter was built without this sanitizer:
# it knows the interpreter's lock, and looks at what our own code does with and without it.
sanitize-threads: $(THREADS_VENV)/.extra-test ## run the tests of threads with the thread sanitizer
	@library=$$($(CXX) -print-file-name=libtsan.so); \
	test -f "$$library" || { echo "$(CXX) has no libtsan.so: set CXX to a g++ with sanitizers" >&2; exit 1; }; \
	set -x; \
	env LD_PRELOAD="$$library" TSAN_OPTIONS="halt_on_error=0 exitcode=66 suppressions=tests/threads.supp" \
	    setarch -R $(THREADS_BIN)/python -m pytest -p no:xdist -p no:cacheprovider --capture=sys \
	    tests/contracts/test_threads.py tests/contracts/test_promises.py tests/data_plane/test_same_model.py \
	    tests/test_race.py -k "thread or together or while or at_once" $(PYTEST_ARGS)

docs: $(VENV)/.extra-docs ## build the documentation into site/
	$(BIN)/mkdocs build --strict

clean: ## remove environments, builds and caches
	rm -rf .venv .venv-sanitize .venv-sanitize-threads node_modules build dist site src/thresher/_core.pyi
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: a file in the environment says what has been installed into it.

%/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "Thresher needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
	    echo "Name another one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@command -v $(CXX) >/dev/null || command -v c++ >/dev/null || { \
	    echo "Thresher needs a C++20 compiler: install g++ or clang++, or name one: make CXX=..." >&2; \
	    exit 1; }
	$(PYTHON) -m venv --clear $*
	@touch $@

# The package is installed editable: a change in Python needs nothing, a change in C++ comes here.
# Editors and mypy find the native module's stub beside the sources.
$(VENV)/.package: $(NATIVE) | $(VENV)/.made
	@echo "Building thresher (the first time takes a minute or two)"
	$(BIN)/pip install --quiet --editable .
	@cp "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/thresher/_core.pyi" src/thresher/
	@$(BIN)/python -m compileall -q src/thresher
	@touch $@

# $(1): the environment, $(2): the sanitizers
define SANITIZED
$(1)/.package: $(NATIVE) | $(1)/.made
	@echo "Building thresher with -fsanitize=$(2) (takes a minute or two)"
	CXX="$(CXX)" $(1)/bin/pip install --quiet --editable . \
	    --config-settings=build-dir=build/$(1) \
	    --config-settings=cmake.build-type=Debug \
	    --config-settings=cmake.define.THRESHER_SANITIZE=$(2)
	@touch $$@
endef
comma := ,
$(eval $(call SANITIZED,$(SANITIZE_VENV),address$(comma)undefined))
$(eval $(call SANITIZED,$(THREADS_VENV),thread))

# The package is there already, so this installs what the extra adds to it and builds nothing.
define EXTRA
$(1)/.extra-%: pyproject.toml | $(1)/.package
	$(1)/bin/pip install --quiet 'thresher[$$*]'
	@touch $$@
endef
$(eval $(call EXTRA,$(VENV)))
$(eval $(call EXTRA,$(SANITIZE_VENV)))
$(eval $(call EXTRA,$(THREADS_VENV)))

$(VENV)/.node-modules: package.json package-lock.json | $(VENV)/.extra-test
	$(BIN)/npm ci --no-audit --no-fund --loglevel=error
	@touch $@
