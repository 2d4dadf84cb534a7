# Two commands for a newcomer: `make demo` and `make test`. Both install what is missing (with
# apt-get, through sudo when not root), build, and do their job.
SHELL := /bin/bash
BUILD := build
JOBS := $(shell nproc)

CONFIGURE = cmake -S . -G Ninja -Wno-dev
RUN_TESTS = ctest --output-on-failure -j $(JOBS)

.PHONY: all ui demo test bench check campaign torture kills isolated building-year ranks release asan tsan valgrind coverage fuzz clean format install deb ci ci-clang ci-tsan ci-fuzz ci-path
all: release

# What every build needs: packages, SUNDIALS, and a configured folder.
define prepare # folder, options of CMake
	@tools/install_packages.sh build test
	@tools/fetch_sundials.sh $(BUILD)/deps/sundials
	@$(CONFIGURE) -B $(1) $(2) --log-level=WARNING > /dev/null
endef

release:
	$(call prepare,$(BUILD),-DCMAKE_BUILD_TYPE=Release)
	@cmake --build $(BUILD)

# The control loop of three FMUs from the founding papers, right to the default tolerance. (The project has a step size, which
# alone would mean fixed steps, as in the papers.) Builds only what it needs.
demo:
	$(call prepare,$(BUILD),-DCMAKE_BUILD_TYPE=Release)
	@cmake --build $(BUILD) --target takt Math003Part1_fmu Math003Part2_fmu Math003Part3_fmu
	@mkdir -p $(BUILD)/demo
	@$(BUILD)/takt run examples/math003/math003.ssd --tolerance 1e-4 --output-file $(BUILD)/demo/math003.csv
	@$(BUILD)/takt plot $(BUILD)/demo/math003.csv --output-file $(BUILD)/demo/math003.svg --quiet
	@printf '\nValues at the end:\n'; sed -n '1p;$$p' $(BUILD)/demo/math003.csv
	@printf '%s\n' '' 'A picture, to be opened in a browser: $(BUILD)/demo/math003.svg' '' 'Try next:' \
	  '  $(BUILD)/takt run examples/math003/math003.ssd --tolerance 1e-7 -o exact.csv     # more exactly' \
	  '  $(BUILD)/takt run examples/math003/math003.ssd -o fixed.csv     # fixed steps of 0.1 s: coarse' \
	  '  $(BUILD)/takt compare fixed.csv exact.csv     # how coarse' \
	  '  $(BUILD)/takt graph examples/math003/math003.ssd     # who depends on whom'

# `make install PREFIX=/usr DESTDIR=folder`: program, library, headers, FMU kit, Python package, manual page, completions, packages of
# pkg-config and CMake. SUNDIALS is not part of the kit. `make deb`: the same as a Debian package in build/.
PREFIX := /usr/local
install: release
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

deb: ui
	@$(MAKE) --no-print-directory release
	@tools/install_packages.sh deb
	@cd $(BUILD) && cpack -G DEB > deb.log || { cat deb.log; exit 1; }
	@ls $(BUILD)/*.deb

# The page of `takt ui`, which the next build packs into the program. Needs Node.js 18 or later and the packages of ui/package-lock.json.
ui: ui/dist/app.js.gz
ui/dist/app.js.gz: ui/package-lock.json ui/vite.config.js ui/index.html $(wildcard ui/src/*)
	@command -v npm > /dev/null || tools/install_packages.sh node
	@[ ui/node_modules/.package-lock.json -nt ui/package-lock.json ] || (cd ui && npm ci --ignore-scripts --loglevel=error)
	@cd ui && npm run --silent build -- --logLevel warn

# Every test twice: as released, and under the address and undefined-behaviour sanitizers.
# SciPy reads our MAT files as an independent judge. FMUs for Windows are tested where Wine can be had,
# takt-mpi with OpenMPI.
test: ui
	@tools/install_packages.sh wine || echo 'NOT TESTED: FMUs for Windows, because Wine or mingw-w64 cannot be installed' >&2
	@tools/install_packages.sh linux32 || echo 'NOT TESTED: FMUs with 32 bits, because gcc-multilib cannot be installed' >&2
	@tools/install_packages.sh mpi
	@$(MAKE) --no-print-directory release
	@tools/install_packages.sh scipy browser
	@$(CONFIGURE) -B $(BUILD) -DTAKT_WINDOWS_FMUS=ON --log-level=WARNING > /dev/null # a browser may have come, too
	@cmake --build $(BUILD)
	$(call prepare,$(BUILD)/asan,$(SANITIZE_asan))
	@cmake --build $(BUILD)/asan
	@$(RUN_TESTS) --test-dir $(BUILD)
	@$(RUN_TESTS) --test-dir $(BUILD)/asan
	@[ -e $(BUILD)/takt-worker-linux32 ] || echo 'NOT TESTED: FMUs with 32 bits (gcc-multilib is missing)' >&2
	@[ -e $(BUILD)/tests/hostile.dll ] || echo 'NOT TESTED: FMUs for Windows (Wine and mingw-w64 are missing)' >&2

check: release
	@tools/install_packages.sh check
	@tools/check.sh $(BUILD)

# 20,000 random systems with all algorithms against independent references. Writes nothing but a table to the terminal,
# and ends at the first result that is wrong without a warning.
CAMPAIGN_FIRST := 0
CAMPAIGN_COUNT := 20000
campaign:
	$(call prepare,$(BUILD),-DCMAKE_BUILD_TYPE=Release)
	@cmake --build $(BUILD) --target campaign
	@TMPDIR=$(BUILD)/tmp $(BUILD)/tests/campaign $(CAMPAIGN_FIRST) $(CAMPAIGN_COUNT)

# Runs of all kinds, each KILLS times killed, interrupted and resumed; half an hour. A sample of it is part of `make test`.
# KILLS_FROM=N begins with the N-th of them.
KILLS := 100
KILLS_FROM := 1
kills: release
	@mkdir -p $(BUILD)/tmp
	@TMPDIR=$(CURDIR)/$(BUILD)/tmp TAKT_CACHE_DIR=$(CURDIR)/$(BUILD)/cache TAKT_TEST_KILLS=$(KILLS) TAKT_TEST_KILLS_FROM=$(KILLS_FROM) \
	  sh -c '$(BUILD)/tests/system test_isolated_kills && $(BUILD)/tests/system test_resume'

# The building over a year, coupled and in one piece; half an hour, which goes on where it was interrupted.
building-year: release
	@TMPDIR=$(CURDIR)/$(BUILD)/tmp TAKT_CACHE_DIR=$(CURDIR)/$(BUILD)/cache python3 tools/building_year.py $(BUILD)

# Every example with every algorithm, in the process and isolated: the same results, byte by byte; some minutes. A sample of
# it is part of `make test`.
isolated: release
	@mkdir -p $(BUILD)/tmp
	@TMPDIR=$(CURDIR)/$(BUILD)/tmp TAKT_CACHE_DIR=$(CURDIR)/$(BUILD)/cache TAKT_TEST_ISOLATE=all \
	  $(BUILD)/tests/system test_isolate

# The same with `takt-mpi` on 1, 2, 3, 4 and 8 ranks.
ranks:
	@tools/install_packages.sh mpi
	@$(MAKE) --no-print-directory release
	@mkdir -p $(BUILD)/tmp
	@TMPDIR=$(CURDIR)/$(BUILD)/tmp TAKT_CACHE_DIR=$(CURDIR)/$(BUILD)/cache TAKT_TEST_RANKS=all \
	  $(BUILD)/tests/system test_mpi

# Every allocation and every system call of the commands fails once, in Takt and in its libraries; a report, which
# also goes to docs/reliability.md. Many minutes.
torture: release
	@mkdir -p $(BUILD)/tmp
	@TMPDIR=$(CURDIR)/$(BUILD)/tmp python3 tools/torture.py $(BUILD) --write

bench: release
	@tools/install_packages.sh valgrind check
	@python3 tools/bench.py $(BUILD)

# ---- for developers ------------------------------------------------------------------------------
SANITIZE_asan = -DCMAKE_BUILD_TYPE=Debug -DTAKT_WERROR=ON -DTAKT_SANITIZE=address,undefined
SANITIZE_tsan = -DCMAKE_BUILD_TYPE=Debug -DTAKT_WERROR=ON -DTAKT_SANITIZE=thread
asan tsan: release # the examples use its FMUs
	$(call prepare,$(BUILD)/$@,$(SANITIZE_$@))
	@cmake --build $(BUILD)/$@
	@$(RUN_TESTS) --test-dir $(BUILD)/$@

# The unit tests under memcheck; tests that start other programs are left to the sanitizers.
valgrind: release
	@tools/install_packages.sh valgrind
	@tools/valgrind.sh $(BUILD)

coverage:
	$(call prepare,$(BUILD)/coverage,-DCMAKE_BUILD_TYPE=Debug -DTAKT_COVERAGE=ON)
	@cmake --build $(BUILD)/coverage
	@$(RUN_TESTS) --test-dir $(BUILD)/coverage
	@tools/coverage.sh $(BUILD)/coverage

# Each fuzzer for FUZZ_SECONDS; the corpus that it starts from is in tests/fuzz/corpus.
FUZZ_SECONDS := 60
SANITIZE_fuzz = -DTAKT_SANITIZE=address,undefined
fuzz: export CC = clang
fuzz: export CXX = clang++
fuzz:
	@tools/install_packages.sh clang fuzz
	$(call prepare,$(BUILD)/fuzz,-DCMAKE_BUILD_TYPE=Debug -DTAKT_FUZZ=ON $(SANITIZE_fuzz))
	@cmake --build $(BUILD)/fuzz --target fuzzers
	@tools/fuzz.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

# ---- what .ci/run adds to `make check` and `make test` ---------------------------------------------
ci: ci-clang ci-tsan ci-fuzz ci-path

# clang warns about other things than gcc.
ci-clang: export CC = clang
ci-clang: export CXX = clang++
ci-clang:
	@tools/install_packages.sh clang
	$(call prepare,$(BUILD)/clang,-DCMAKE_BUILD_TYPE=Release -DTAKT_WERROR=ON)
	@cmake --build $(BUILD)/clang

# The thread sanitizer on the tests that use threads.
ci-tsan: release # with its FMUs
	$(call prepare,$(BUILD)/tsan,$(SANITIZE_tsan) -DTAKT_TEST_FMUS="$(CURDIR)/$(BUILD)/fmus")
	@cmake --build $(BUILD)/tsan --target threads
	@$(RUN_TESTS) --test-dir $(BUILD)/tsan -L threads

ci-fuzz:
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=10

# All tests in a folder with a long and odd name.
ci-path:
	@tools/install_packages.sh build test check scipy lintian
	@tools/fetch_sundials.sh $(BUILD)/deps/sundials
	@tools/try_odd_path.sh $(BUILD)

format:
	@git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

clean:
	@rm -rf $(BUILD)
