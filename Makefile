# Two commands for a newcomer: `make demo` and `make test`. Both install what is missing (with
# apt-get, through sudo when not root), build, and do their job.
BUILD := build
SHELL := /bin/bash

.PHONY: all demo test check bench asan valgrind clean packages packages-test packages-check
all: packages
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@cmake --build $(BUILD)

packages:
	@tools/install_packages.sh build
packages-test:
	@tools/install_packages.sh build test
packages-check:
	@tools/install_packages.sh build test check
