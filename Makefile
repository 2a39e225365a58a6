# make demo and make test do everything, set-up included, on a fresh Debian 12.
.PHONY: setup build demo test test-fast bench format format-check tidy sanitize sanitize-core fuzz clean

setup:
	@tools/setup

build: setup
	@cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log
	@cmake --build build

demo: build
	@build/dalaup demo --out demo-out

test: build
	@ctest --test-dir build --output-on-failure --no-tests=error

test-fast: build
	@ctest --test-dir build --output-on-failure --no-tests=error -L fast

bench: setup
	@cmake --preset release -DDALAUP_BENCH=ON >/dev/null
	@cmake --build build
	@bench/run

format: setup
	@tools/format --write

format-check: setup
	@tools/format

tidy: build
	@run-clang-tidy -quiet -p build '(src|apps)/.*\.cpp$$'

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

# Every reader for 20 seconds.
fuzz: setup
	@tools/fuzz 20

clean:
	@rm -rf build build-* demo-out
