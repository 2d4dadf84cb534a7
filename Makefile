# Two commands for a newcomer: `make demo` and `make test`. Both install what is missing (with
# apt-get, through sudo when not root), build, and do their job.
SHELL := /bin/bash
BUILD := build
JOBS := $(shell nproc)

CONFIGURE = cmake -S . -G Ninja -Wno-dev
RUN_TESTS = ctest --output-on-failure -j $(JOBS)

.PHONY: all demo test bench check release asan tsan valgrind coverage fuzz clean format
all: release

release:
	@tools/install_packages.sh build test
	@tools/fetch_sundials.sh $(BUILD)/deps/sundials
	@$(CONFIGURE) -B $(BUILD) -DCMAKE_BUILD_TYPE=Release --log-level=WARNING > /dev/null
	@cmake --build $(BUILD)

# The control loop of three FMUs from the founding papers, coupled with the default settings.
demo: release
	@mkdir -p $(BUILD)/demo
	@$(BUILD)/takt run examples/math003/math003.ssd --output-file $(BUILD)/demo/math003.csv

# Every test twice: as released, and under the address and undefined-behaviour sanitizers.
# SciPy reads our MAT files as an independent judge.
test: release
	@tools/install_packages.sh scipy
	@$(CONFIGURE) -B $(BUILD)/asan -DCMAKE_BUILD_TYPE=Debug -DTAKT_SANITIZE=address,undefined \
	    -DTAKT_WERROR=ON --log-level=WARNING > /dev/null
	@cmake --build $(BUILD)/asan
	@$(RUN_TESTS) --test-dir $(BUILD)
	@$(RUN_TESTS) --test-dir $(BUILD)/asan

check: release
	@tools/install_packages.sh check
	@tools/check.sh $(BUILD)

bench: release
	@tools/install_packages.sh valgrind check
	@python3 tools/bench.py $(BUILD)

# ---- for developers ------------------------------------------------------------------------------
asan tsan: SANITIZERS_asan = address,undefined
asan tsan: SANITIZERS_tsan = thread
asan tsan: release # the examples use its FMUs
	@tools/install_packages.sh build test
	@tools/fetch_sundials.sh $(BUILD)/deps/sundials
	@$(CONFIGURE) -B $(BUILD)/$@ -DCMAKE_BUILD_TYPE=Debug -DTAKT_SANITIZE=$(SANITIZERS_$@) \
	    -DTAKT_WERROR=ON --log-level=WARNING > /dev/null
	@cmake --build $(BUILD)/$@
	@$(RUN_TESTS) --test-dir $(BUILD)/$@

# The unit tests under memcheck; tests that start other programs are left to the sanitizers.
valgrind: release
	@tools/install_packages.sh valgrind
	@tools/valgrind.sh $(BUILD)

coverage:
	@tools/install_packages.sh build test
	@tools/fetch_sundials.sh $(BUILD)/deps/sundials
	@$(CONFIGURE) -B $(BUILD)/coverage -DCMAKE_BUILD_TYPE=Debug -DTAKT_COVERAGE=ON > /dev/null
	@cmake --build $(BUILD)/coverage
	@$(RUN_TESTS) --test-dir $(BUILD)/coverage
	@tools/coverage.sh $(BUILD)/coverage

# Each fuzzer for FUZZ_SECONDS; the corpus that it starts from is in tests/fuzz/corpus.
FUZZ_SECONDS := 60
fuzz:
	@tools/install_packages.sh build test fuzz
	@tools/fetch_sundials.sh $(BUILD)/deps/sundials
	@CC=clang CXX=clang++ $(CONFIGURE) -B $(BUILD)/fuzz -DCMAKE_BUILD_TYPE=Debug -DTAKT_FUZZ=ON \
		-DTAKT_SANITIZE=address,undefined > /dev/null
	@cmake --build $(BUILD)/fuzz
	@tools/fuzz.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

format:
	@git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

clean:
	@rm -rf $(BUILD)
