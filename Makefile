# SPDX-License-Identifier: GPL-2.0-or-later
# The commands a person types; Meson does the work. `make help` lists them.
.DEFAULT_GOAL := build
MESON_SETUP = meson setup
NINJA = ninja

build:            ## build build/halfload
	@scripts/setup
	@test -f build/build.ninja || $(MESON_SETUP) build >/dev/null
	@$(NINJA) -C build --quiet

test: build       ## set up, build and run all tests
	@scripts/test build

help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

.PHONY: build test help
