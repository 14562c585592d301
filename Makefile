# Everything a developer runs. `make demo` and `make test` work on a fresh machine with Python 3.11+, a C++20
# compiler and the Python package index: cmake and ninja come from there too.
#
#   make demo            learn a tree from a bundled table, print it, its rules and one explained prediction
#   make studio          open a bundled table in the studio, in the browser; DATA=file opens another one
#   make test            C++ tests under sanitizers, then pytest; SLOW=1 adds the long ones, the thread sanitizer,
#                        clang++ (or CLANG=clang++-16), standard C++ alone, and aarch64; ARGS=... goes to
#                        pytest, JOBS=2 is how many tests run at a time
#   make docs            the documentation site in build/docs: no network, warnings are errors; then open index.html
#   make lint            ruff, mypy, import-linter, clang-format
#   make arm-check       the C++ tests on aarch64: cross-compiled, run by qemu; part of SLOW=1
#   make clang-check     the C++ sources through clang++, syntax and warnings only: the builds here use g++
#   make web-check       the viewer's modules: their tests, and their types if there is TSC (npm install typescript)
#   make oldest          the tests on the oldest supported numpy, scikit-learn, ... (Python 3.11 or 3.12);
#                        WHEEL=file installs a wheel instead of compiling
#   make peers           environments with the packages the benchmarks compare with; what cannot be installed is named
#   make bench           the benchmarks in it; BENCH=benchmarks.bench_grow for one, DATA=folder of made tables, ARGS=...
#   make wheel           source distribution and wheel into dist/, the wheel for any Linux (auditwheel); SLOW=1 compiles it
#                        from the former
#   make wheel-check     the wheel in a new environment without a compiler, and tests of the package there
#   make wheels-list     the wheels of a release, as cibuildwheel would build them
#   make clean           remove everything made here
#
# An environment is reinstalled only when pyproject.toml, CMakeLists.txt or the C++ sources changed; the Python
# sources are used in place.

PYTHON ?= python3
WERROR ?= OFF
SLOW ?=
JOBS ?= 2
DATA ?=
ARGS ?=
WHEEL ?=
BENCH ?= benchmarks
CLANG ?= clang++
ARM_CXX ?= aarch64-linux-gnu-g++
ARM_RUN ?= qemu-aarch64-static -L /usr/aarch64-linux-gnu
TSC ?= $(shell command -v tsc)
comma := ,
# Tests start Python hundreds of times: what they import becomes bytecode once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

CPP := $(sort $(shell find cpp -name '*.cpp' -o -name '*.hpp'))
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(filter-out cpp/tests/%,$(CPP))
# The builds of the C++ tests, a folder each: which sanitizers, which compiler if not the usual one, or nothing but
# standard C++ (portable).
CPP_BUILDS := address $(if $(SLOW),thread portable $(if $(shell command -v $(CLANG)),clang))

# Editable, and without build isolation so that only changed C++ files are compiled again.
# Modules become bytecode when they are first imported: pip would compile all of them, one after another.
PIP = -m pip install --quiet --no-compile
INSTALL = $(@D)/bin/python $(PIP) --no-build-isolation \
  --config-settings=build-dir=build/$(@D) --config-settings=cmake.define.HORNBEAM_WERROR=$(WERROR)
# Where versions of other packages matter: tables come in, estimators are checked, everything is used once. Choices of
# slots are our own code: of the checks by scikit-learn those of representative estimators have to do with versions.
OLDEST_TESTS := $(addprefix tests/,$(addsuffix .py,estimators/test_sklearn data/test_table* data/test_target* data/test_columns \
  estimators/test_estimators estimators/test_parameters house/test_package docs/test_examples estimators/test_same_as_sklearn \
  teaching/test_cases tree/test_tree* reading/test_readers reading/test_row_explanations estimators/test_forests* estimators/test_density* \
  pruning/test_pruning_api))
# What shows that a wheel works: every kind of estimator grows, reads, saves and prints.
WHEEL_TESTS := $(addprefix tests/,$(addsuffix .py,house/test_portability estimators/test_estimators estimators/test_same_as_sklearn \
  growing/test_ways_to_grow estimators/test_forests* estimators/test_density* tree/test_tree* reading/test_readers \
  reading/test_row_explanations))
PYTEST_ARGS = -n $(JOBS) --dist=worksteal $(if $(SLOW),-m "slow or not slow") $(ARGS)

.PHONY: demo studio docs test test-cpp arm-check test-python lint clang-check web-check oldest peers bench wheel wheel-check wheels-list clean

demo: .venv/installed
	.venv/bin/python examples/demo.py

studio: .venv/installed-studio
	.venv/bin/hornbeam studio $(or $(DATA),demo:tennis) $(ARGS)

docs: .venv/installed-docs
	.venv/bin/python -m sphinx --fail-on-warning --keep-going --quiet -b html -d build/docs-trees docs build/docs
	@echo "the site: build/docs/index.html"

test: test-cpp test-python

test-python: .venv/installed-test
	.venv/bin/python -m pytest $(PYTEST_ARGS)

# Reads the digests that some builds print, and complains unless they are one and the same.
SAME_TREES = sort | uniq -c | { read n digest && ! read other && echo "the same trees on $$n paths: $$digest" || \
  { echo "trees differ between these builds or kernels: $$digest, $$other"; exit 1; }; }

test-cpp: $(CPP_BUILDS:%=build/cpp-%/hornbeam_tests)
	for tests in $^; do echo $$tests; $$tests || exit 1; done
	@{ for tests in $^; do $$tests --digest; done; for path in vectors plain; do HORNBEAM_PORTABLE=$$path $< --digest; done; } \
	  | $(SAME_TREES)
	$(if $(SLOW),@command -v $(CLANG) >/dev/null || echo "$(CLANG) is not installed: these were the tests built with g++")
	$(if $(SLOW),@$(MAKE) --no-print-directory arm-check)

# The same tests on another architecture: cross-compiled, and run by an emulator.
ARM_MISSING := $(if $(shell command -v $(ARM_CXX)),,$(ARM_CXX)) $(if $(shell command -v $(firstword $(ARM_RUN))),,$(firstword $(ARM_RUN)))
arm-check: $(if $(strip $(ARM_MISSING)),,build/cpp-arm/hornbeam_tests build/cpp-address/hornbeam_tests)
	$(if $(strip $(ARM_MISSING)),@echo "not tested on aarch64: $(strip $(ARM_MISSING)) is not installed \
	  (on Debian: apt-get install g++-aarch64-linux-gnu qemu-user-static)",$(ARM_RUN) $<)
	$(if $(strip $(ARM_MISSING)),,@{ $(ARM_RUN) $< --digest; $(word 2,$^) --digest; } | $(SAME_TREES))

lint: .venv/installed-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/clang-format --dry-run -Werror $(CPP)

clang-check: | .venv/tools
	@command -v $(CLANG) >/dev/null || { echo "clang-check needs $(CLANG) on the path; nothing was checked"; exit 1; }
	@printf '%s\n' $(filter %.cpp,$(CPP)) | xargs -n 1 -P $(JOBS) $(CLANG) -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Icpp \
	  -DHORNBEAM_VERSION='""' -isystem "$$(.venv/bin/python -m nanobind --include_dir)" \
	  -isystem "$$(.venv/bin/python -c "import sysconfig; print(sysconfig.get_path('include'))")"
	@echo "$(CLANG) compiles all $(words $(filter %.cpp,$(CPP))) sources without a warning"

# Users need no Node; whoever changes the viewer does.
web-check:
	@command -v node >/dev/null || { echo "web-check needs Node 20 or newer on the path"; exit 1; }
	node --test tests/display/web/js/
	$(if $(TSC),$(TSC) -p tests/display/web/tsconfig.json,@echo "types not checked: give TSC=path/to/tsc, or npm install -g typescript")

oldest: .venv-oldest/installed
	.venv-oldest/bin/python -m pytest $(OLDEST_TESTS) $(if $(SLOW),,-k "not in-part") $(PYTEST_ARGS)

peers: .venv-peers/installed .venv-linear-tree/installed

bench: .venv-peers/installed .venv-linear-tree/installed
	.venv-peers/bin/python -m $(BENCH) $(if $(DATA),--cache $(DATA)) $(ARGS)

wheel: .venv/installed-dev .venv/installed-wheels
	rm -rf dist build/wheel
	.venv/bin/python -m build --sdist --no-isolation
	$(if $(SLOW),.venv/bin/python -m pip wheel dist/*.tar.gz --quiet --no-deps --wheel-dir build/wheel,\
	  .venv/bin/python -m pip wheel . --quiet --no-build-isolation --no-deps --wheel-dir build/wheel \
	  --config-settings=build-dir=build/.venv --config-settings=cmake.define.HORNBEAM_WERROR=$(WERROR))
	$(if $(filter Linux,$(shell uname)),PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/auditwheel repair --wheel-dir dist build/wheel/*.whl,\
	  mv build/wheel/*.whl dist/)

# The wheel where nothing can compile: a new environment, and no other program on the path.
wheel-check: wheel
	rm -rf build/wheel-check
	$(PYTHON) -m venv build/wheel-check
	build/wheel-check/bin/python $(PIP) "$$(ls $(CURDIR)/dist/*.whl)[test]"
	rm -f $(addprefix build/wheel-check/bin/,cmake ninja)
	PATH="$(CURDIR)/build/wheel-check/bin" HORNBEAM_TEST_WHEEL=1 \
	  build/wheel-check/bin/python -m pytest $(WHEEL_TESTS) $(PYTEST_ARGS)

wheels-list: .venv/installed-wheels
	@for platform in linux macos windows; do .venv/bin/cibuildwheel --platform $$platform --print-build-identifiers .; done

clean:
	rm -rf .venv .venv-oldest .venv-peers .venv-linear-tree build dist docs/_api docs/_gallery .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests examples benchmarks -name __pycache__ -prune -exec rm -rf {} +

# --- environments -------------------------------------------------------------------------------------------

# A bare environment holds what building without isolation needs: the requirements of [build-system], cmake, ninja.
%/tools: pyproject.toml
	test -x $*/bin/python || $(PYTHON) -m venv $*
	$*/bin/python -c "import tomllib; \
	  print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'], 'cmake>=3.26', 'ninja>=1.11', sep='\n')" > $@.txt
	$*/bin/python $(PIP) -r $@.txt
	mv $@.txt $@

# What Hornbeam needs is downloaded while it is compiled.
.venv/installed: .venv/tools $(BUILD_INPUTS)
	$(@D)/bin/python -c "import tomllib; \
	  print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" > $@.txt
	$(INSTALL) --no-deps --editable . & build=$$!; \
	  $(@D)/bin/python $(PIP) -r $@.txt; needed=$$?; wait $$build && exit $$needed
	mv $@.txt $@

.venv/installed-studio: .venv/tools $(BUILD_INPUTS)
	$(INSTALL) --editable ".[studio]"
	touch $@

.venv/installed-docs: .venv/tools $(BUILD_INPUTS)
	$(INSTALL) --editable ".[docs]"
	touch $@

# What tests use where it is there: browsers' driver, engines that run exports. Without it they skip, and say so.
EXTRAS := web-test studio-test exports excel dask fuzz

.venv/installed-test .venv/installed-dev: .venv/installed-%: .venv/tools $(BUILD_INPUTS)
	$(INSTALL) --editable ".[$*]"
	for extra in $(EXTRAS); do \
	  $(@D)/bin/python -c "import sys, tomllib; \
	    print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies'][sys.argv[1]], sep='\n')" \
	    $$extra > $@.$$extra.txt; \
	  $(@D)/bin/python $(PIP) -r $@.$$extra.txt || echo "tests that need '$$extra' will be skipped"; \
	done
	touch $@ .venv/installed-test  # tests need nothing that `dev` does not have

# What makes a wheel run on other machines than this one, and what would build those of other machines.
.venv/installed-wheels: .venv/tools
	$(@D)/bin/python -c "import tomllib; \
	  print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['wheels'], sep='\n')" > $@.txt
	$(@D)/bin/python $(PIP) -r $@.txt
	mv $@.txt $@

.venv-oldest/installed: .venv-oldest/tools requirements/oldest.txt $(BUILD_INPUTS)
	$(if $(WHEEL),$(@D)/bin/python $(PIP) --constraint requirements/oldest.txt "$(WHEEL)[test]",\
	  $(INSTALL) --constraint requirements/oldest.txt --editable ".[test]")
	touch $@

.venv-peers/installed: .venv-peers/tools requirements/peers.txt $(BUILD_INPUTS)
	$(INSTALL) --editable .
	$(@D)/bin/python $(PIP) -r requirements/peers.txt || \
	  for peer in $$(grep -v '^#' requirements/peers.txt); do \
	    $(@D)/bin/python $(PIP) $$peer || echo "not installed: $$peer; the benchmarks name it as missing"; \
	  done
	touch $@

# linear-tree needs an older scikit-learn than the others: an environment of its own, without Hornbeam.
.venv-linear-tree/installed: requirements/linear-tree.txt
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) -r $< || echo "not installed: linear-tree; the benchmarks name it as missing"
	touch $@

# --- the C++ tests ------------------------------------------------------------------------------------------

# An emulator has no room for the address sanitizer.
SANITIZE_thread := thread
SANITIZE_arm := none
OPTIONS_clang := -DCMAKE_CXX_COMPILER=$(CLANG)
OPTIONS_portable := -DHORNBEAM_PORTABLE=ON
OPTIONS_arm := -DCMAKE_CXX_COMPILER=$(ARM_CXX) -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64

build/cpp-%/hornbeam_tests: .venv/tools CMakeLists.txt $(CPP)
	.venv/bin/cmake -S . -B $(@D) -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/.venv/bin/ninja \
	  -DHORNBEAM_SANITIZE=$(or $(SANITIZE_$*),address$(comma)undefined) -DHORNBEAM_WERROR=$(WERROR) $(OPTIONS_$*)
	.venv/bin/cmake --build $(@D)
	touch $@
