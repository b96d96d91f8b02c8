# SPDX-License-Identifier: GPL-2.0-or-later
# The commands a person types; Meson does the work. `make help` lists them.
.DEFAULT_GOAL := build
SECONDS = 60
SAN = -Db_sanitize=address,undefined
# A failing check must stop the program, or a test would pass over it.
SAN_ENV = ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

# $(call compile,FOLDER,SETUP): sets the folder up once and builds it.
compile = test -f $(1)/build.ninja || $(2) meson setup $(1) $(3) >$(1).setup.log 2>&1 || \
	{ cat $(1).setup.log; rm -rf $(1).setup.log; exit 1; }; rm -f $(1).setup.log; ninja -C $(1) --quiet

build:            ## build build/halfload (installs what is missing)
	@scripts/setup build
	@$(call compile,build,CC=gcc)

demo: build       ## the published table beside the simulated one, then real builds on this machine
	@scripts/demo build/halfload

test: build       ## build and run all tests
	@scripts/test build

test-clang:       ## the same, compiled by clang
	@scripts/setup build clang
	@$(call compile,build-clang,CC=clang)
	@scripts/test build-clang

test-san:         ## the same under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/setup build
	@$(call compile,build-san,CC=gcc,$(SAN))
	@$(SAN_ENV) scripts/test build-san -t 5

fuzz:             ## fuzz every parser; SECONDS=N in all; prints coverage
	@scripts/setup build fuzz
	@$(call compile,build-fuzz,CC=clang,-Dfuzz=true $(SAN) -Db_lundef=false)
	@scripts/fuzz build-fuzz $(SECONDS)

bench: build      ## figures: events per second, seconds per table, harness overhead
	@build/bench/bench build/bench.json

accuracy: build   ## write docs/accuracy.md: simulated against published
	@scripts/accuracy build/halfload >docs/accuracy.md.new && mv docs/accuracy.md.new docs/accuracy.md

golden-update: build ## rewrite the expected output of the golden tests; review the diff
	@tests/golden_update build

format:           ## lay out all C files
	@scripts/setup format
	@find src tests bench -name '*.[ch]' -exec clang-format -i {} +

help:             ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

.PHONY: build demo test test-clang test-san fuzz bench accuracy golden-update format help
