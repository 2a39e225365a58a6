# make demo and make test do everything, set-up included, on a fresh Debian 12.
.PHONY: setup build build-tests demo test test-fast bench format format-check tidy sanitize sanitize-core fuzz soak clean

setup:
	@tools/setup

# The program alone: no tests, and only the packages it needs.
build:
	@tools/setup program
	@tools/configure -DDALAUP_TESTS=OFF
	@cmake --build build --target dalaup

build-tests: setup
	@tools/configure -DDALAUP_TESTS=ON
	@cmake --build build

demo: build
	@build/dalaup demo --out demo-out

test: build-tests
	@ctest --test-dir build --output-on-failure --no-tests=error

test-fast: build-tests
	@ctest --test-dir build --output-on-failure --no-tests=error -L fast

bench: setup
	@tools/configure -DDALAUP_BENCH=ON
	@cmake --build build
	@bench/run

format: setup
	@tools/format --write

format-check: setup
	@tools/format

tidy: build-tests
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

# Every reader, studies, models and the API for 20 seconds each.
fuzz: setup
	@tools/fuzz 20

# All attacks, power losses, kills, load and the fuzzers for an hour, or SECONDS.
soak: setup
	@tools/soak $(or $(SECONDS),3600)

clean:
	@rm -rf build build-* demo-out
