# jaxreport - build, test, demo.  `make help` lists the targets.
#
# Everything that is made goes below $(BUILD). The user owns CC, CFLAGS, CPPFLAGS and LDFLAGS;
# what the project needs is appended to them.

ifeq ($(origin CC),default)
CC := gcc
endif
BUILD  ?= build
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
SHARED ?= ../shared

PKGS := sqlite3 libprotobuf-c libzip cairo libxml-2.0 liblzma libzstd zlib libcrypto
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wformat=2 -Wundef -Wstrict-prototypes \
	-Wmissing-prototypes -Wcast-qual
ifdef DEVELOPER
WARNINGS += -Werror
endif
ifdef SANITIZE
SANFLAGS := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

# pkg-config is asked once a make run, and only where the packages are there: `make deps` and
# `make help` must work on a bare machine.
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lsnappy -lm -lpthread

ALL_CPPFLAGS = -D_GNU_SOURCE -Isrc -I. -I$(BUILD)/gen $(PKG_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS   = -std=c17 $(WARNINGS) $(SANFLAGS) $(CFLAGS)
ALL_LDFLAGS  = $(SANFLAGS) $(LDFLAGS)

LAYERS   := base formats model analysis report cli
LIB_SRCS := $(sort $(wildcard $(addsuffix /*.c,$(addprefix src/,$(filter-out cli,$(LAYERS)))) render/*.c))
CLI_SRCS := $(sort $(wildcard src/cli/*.c))
ASSETS   := $(sort $(filter-out templates/README.md,$(wildcard templates/*)))
GEN_SRCS := $(BUILD)/gen/hlo.pb-c.c $(BUILD)/gen/assets.c
LIB_OBJS := $(LIB_SRCS:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/hlo.pb-c.o $(BUILD)/obj/gen/assets.o
CLI_OBJS := $(CLI_SRCS:%.c=$(BUILD)/obj/%.o)
LIB      := $(BUILD)/libjaxreport.a

UNIT_SRCS := $(sort $(wildcard tests/unit/test_*.c))
UNIT_BINS := $(UNIT_SRCS:tests/unit/%.c=$(BUILD)/unit/%)
# The generator of sample archives: a program of its own over the same libraries.
GENERATOR_SRCS := $(sort $(wildcard tests/generator/*.c))
GENERATOR_OBJS := $(GENERATOR_SRCS:%.c=$(BUILD)/obj/%.o)
FUZZ_SRCS := $(sort $(wildcard tests/fuzz/fuzz_*.c))

.PHONY: all
all: $(BUILD)/jaxreport ## build the program

$(BUILD)/jaxreport: $(CLI_OBJS) $(LIB) $(BUILD)/flags
	$(CC) $(ALL_LDFLAGS) -o $@ $(CLI_OBJS) $(LIB) $(PKG_LIBS)

$(LIB): $(LIB_OBJS)
	rm -f $@
	ar rcs $@ $(LIB_OBJS)

$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(BUILD)/gen/hlo.pb-c.h $(BUILD)/gen/assets.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Generated C is built without our warning set: it is protobuf-c's code, not ours.
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -std=c17 $(SANFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/gen/hlo.pb-c.c $(BUILD)/gen/hlo.pb-c.h &: proto/hlo.proto
	@mkdir -p $(BUILD)/gen
	protoc-c --proto_path=proto --c_out=$(BUILD)/gen hlo.proto

# Templates, styles and scripts are ordinary files, turned into one C table.
$(BUILD)/embed: src/tools/embed.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -O1 -D_GNU_SOURCE -o $@ $<

$(BUILD)/gen/assets.c $(BUILD)/gen/assets.h &: $(BUILD)/embed $(ASSETS)
	@mkdir -p $(BUILD)/gen
	$(BUILD)/embed $(BUILD)/gen/assets.c $(BUILD)/gen/assets.h $(ASSETS)

# Objects are remade when the flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS)' | cmp -s - $@ || \
		echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS)' > $@
.PHONY: FORCE
FORCE:

# --- tests -----------------------------------------------------------------------------------

$(BUILD)/unit/%: $(BUILD)/obj/tests/unit/%.o $(LIB) $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(PKG_LIBS) -lcmocka

.PHONY: unit
unit: $(UNIT_BINS) ## build and run the unit tests
	@tests/run-unit $(BUILD) $(UNIT_BINS)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

.PHONY: clean
clean: ## remove all that was built
	rm -rf $(BUILD) report

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16
	@echo 'knobs: CC CFLAGS LDFLAGS BUILD=dir DEVELOPER=1 SANITIZE=address,undefined PREFIX DESTDIR'
