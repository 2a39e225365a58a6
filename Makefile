# make demo and make test do everything, set-up included, on a fresh Debian 12.
PYTHON = $(if $(VENV),$(abspath $(VENV))/bin/python,/usr/bin/python3)

.PHONY: setup build build-tests python package demo test test-fast screenshots bench format format-check tidy sanitize sanitize-core fuzz fuzz-core soak clean

setup:
	@tools/setup

# The program alone: no tests, and only the packages it needs.
build:
	@tools/setup program
	@tools/configure -DDALAUP_TESTS=OFF
	@cmake --build build --target dalaup

build-tests: setup
	@tools/configure -DDALAUP_TESTS=ON -DDALAUP_PYTHON=ON -DPython3_EXECUTABLE=$(PYTHON)
	@cmake --build build

# The Python package in build/python and as a wheel in build/wheel; VENV=DIR installs it into that environment.
python:
	@tools/setup python
	@tools/configure -DDALAUP_TESTS=OFF -DDALAUP_PYTHON=ON -DPython3_EXECUTABLE=$(PYTHON)
	@cmake --build build --target dalaup_wheel
	@$(if $(VENV),$(PYTHON) -m pip install --quiet --no-index --no-deps --force-reinstall build/wheel/*.whl)

# build/packages: a .deb for each of program, library and Python package, and all of them as a relocatable .tar.gz.
package:
	@tools/setup python
	@tools/configure -DDALAUP_TESTS=OFF -DDALAUP_PYTHON=ON -DPython3_EXECUTABLE=$(PYTHON)
	@cmake --build build --target dalaup man_pages dalaup_shared dalaup_static dalaup_python
	@cd build && cpack --config CPackConfig.cmake | grep -E 'generated|rror'

demo: build
	@build/dalaup demo --out demo-out

test: build-tests
	@ctest --test-dir build --output-on-failure --no-tests=error

test-fast: build-tests
	@ctest --test-dir build --output-on-failure --no-tests=error -L fast

# The pictures in docs/use/images, taken by the browser tests.
screenshots: build
	@DALAUP_SCREENSHOTS=$(CURDIR)/docs/use/images DALAUP_PICTURES="label label-dark label-phone partner find review progress report-desktop-light report-phone-dark" tests/browser/run build/dalaup pictures.test.mjs team.test.mjs report.test.mjs

bench: setup
	@tools/configure -DDALAUP_BENCH=ON
	@cmake --build build
	@bench/run

format: setup
	@tools/format --write

format-check: setup
	@tools/format

# Nothing is built: clang-tidy needs only the command of every file.
tidy: setup
	@cmake --preset tidy >/dev/null
	@run-clang-tidy -quiet -p build-tidy '/(src|apps)/$(MODULE).*\.cpp$$'

# The fast tests with assertions, address and undefined-behaviour sanitizers.
sanitize: setup
	@cmake --preset asan >/dev/null
	@cmake --build build-asan
	@ctest --test-dir build-asan --output-on-failure --no-tests=error -L fast -j 2

# The same for the core modules only, in a third of the time.
sanitize-core: setup
	@cmake --preset asan >/dev/null
	@cmake --build build-asan --target core_tests
	@ctest --test-dir build-asan --output-on-failure --no-tests=error -L core -j 2

# Every reader, studies, models and the API for 20 seconds each.
fuzz: setup
	@tools/fuzz 20

# The readers of files alone, which build in a third of the time, for 5 seconds each.
fuzz-core: setup
	@tools/fuzz 5 readers

# All attacks, power losses, kills, load and the fuzzers for an hour, or SECONDS.
soak: setup
	@tools/soak $(or $(SECONDS),3600)

clean:
	@rm -rf build build-* demo-out
