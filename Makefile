# jaxreport - build, test, demo.  `make help` lists the targets.
#
# All outputs are below $(BUILD). The user owns CC, CFLAGS, CPPFLAGS and LDFLAGS; the Makefile appends
# what the project needs.

ifeq ($(origin CC),default)
CC := gcc
endif
# If CC is for another machine: the compiler for this one, the name of pkg-config for that one, and the command
# that runs its programs here (qemu-aarch64-static).
CC_FOR_BUILD ?= $(if $(findstring -linux-,$(notdir $(lastword $(CC)))),cc,$(CC))
PKG_CONFIG   ?= pkg-config
EMULATOR     ?=
BUILD  ?= build
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
SHARED ?= ../shared
ifneq ($(words $(BUILD)),1)
$(error BUILD='$(BUILD)': make cannot build in a folder with a blank in its name; choose another)
endif

PKGS := sqlite3 libprotobuf-c libzip cairo libxml-2.0 liblzma libzstd zlib libcrypto
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wformat=2 -Wundef -Wstrict-prototypes \
	-Wmissing-prototypes -Wcast-qual
ifdef DEVELOPER
WARNINGS += -Werror
endif
ifdef SANITIZE
SANFLAGS := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

# $(call short,CC,$<) before a command prints one short line per file instead of it.
# V=1 prints the commands themselves, -s neither.
SILENT := $(findstring s,$(filter-out ---%,$(firstword -$(MAKEFLAGS))))
short   = $(if $(filter-out 0,$(V)),,@$(if $(SILENT),,printf '%-7s %s\n' $1 '$2'; ))
# $(call next,'LINE'...), lines without commas, prints the last lines of a target that was requested by name.
next    = @$(if $(SILENT)$(filter-out 0,$(MAKELEVEL)),,\
	$(if $(filter $@,$(or $(MAKECMDGOALS),all)),printf '%s\n' $1))

# pkg-config runs once per make, and only if the packages are installed: `make deps` and
# `make help` must work on a bare machine.
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) -lsnappy -lm -lpthread

# STATIC=1 links everything into the program, which then needs no shared library. Debian has static libraries of
# all but libzip (src/tools/libzip). glibc would load a few parts at run time even then, but they are never used:
# no names of hosts or users are looked up, SQLite loads no extensions, and iconv's modules convert no text.
ifdef STATIC
STATIC_ZIP  := $(BUILD)/libzip/libzip.a
STATIC_LIBS := $(filter-out -lgobject-2.0 -lffi,$(shell $(PKG_CONFIG) --static --libs $(filter-out libzip,$(PKGS)) 2>/dev/null))
PKG_LIBS = -static-pie -Wl,--gc-sections -Wl,--no-warnings -Wl,-Map=$@.map -Wl,--start-group $(STATIC_ZIP) -lbz2 \
	$(STATIC_LIBS) -lsnappy -lstdc++ -Wl,--end-group -lm -lpthread
endif

# Neither its C header nor the library gives it.
SNAPPY_VERSION := $(or $(shell $(PKG_CONFIG) --modversion snappy 2>/dev/null),unknown)

# Assertions that scan whole tables for our own bugs are not part of a release (base/error.h). Only the files that
# contain some get the definition, so a cache of compiled objects serves developers' builds and releases.
CHECKED := $(if $(DEVELOPER)$(SANITIZE),-DJR_CHECKED=1)

ALL_CPPFLAGS = -D_GNU_SOURCE -Isrc -I. -I$(BUILD)/gen $(PKG_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS   = -std=c17 $(WARNINGS) -Werror=implicit-function-declaration $(SANFLAGS) $(CFLAGS)
ALL_LDFLAGS  = $(SANFLAGS) $(LDFLAGS)

LAYERS   := base formats model record analysis report compare cli
# Layers, and rooms within them.
sources = $(sort $(wildcard $(foreach l,$1,src/$l/*.c src/$l/*/*.c)))
LIB_SRCS := $(call sources,$(filter-out cli,$(LAYERS))) $(sort $(wildcard render/*.c))
CLI_SRCS := $(call sources,cli)
ASSETS   := $(sort $(filter-out templates/README.md,$(wildcard templates/*)))
PROTOS   := hlo pprof
GEN_SRCS := $(PROTOS:%=$(BUILD)/gen/%.pb-c.c) $(BUILD)/gen/assets.c
LIB_OBJS := $(LIB_SRCS:%.c=$(BUILD)/obj/%.o) \
	$(addprefix $(BUILD)/obj/gen/,$(PROTOS:%=%.pb-c.o) hlo_schema_text.o assets.o)
CLI_OBJS := $(CLI_SRCS:%.c=$(BUILD)/obj/%.o)
LIB      := $(BUILD)/libjaxreport.a

# The generator of sample archives: a separate program with the same libraries.
GENERATOR_SRCS := $(sort $(wildcard tests/generator/*.c))
GENERATOR_OBJS := $(GENERATOR_SRCS:%.c=$(BUILD)/obj/%.o)

# Keep objects of tests, although no rule names them.
.SECONDARY:

# --- building --------------------------------------------------------------------------------

.PHONY: all
all: $(BUILD)/jaxreport ## build the program
	$(call next,'$< $(VERSION) is built.' \
		'Next: make demo (a report of a sample) or $< out.zip (of your own profile)')

$(BUILD)/jaxreport: $(CLI_OBJS) $(LIB) $(BUILD)/flags
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(CLI_OBJS) $(LIB) $(PKG_LIBS)

$(STATIC_ZIP): src/tools/libzip
	$(call short,LIBZIP,$@)CC='$(CC)' $< $@

$(LIB): $(LIB_OBJS) | $(STATIC_ZIP)
	$(call short,AR,$@)rm -f $@ && ar rcs $@ $(LIB_OBJS)

$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(PROTOS:%=$(BUILD)/gen/%.pb-c.h) $(BUILD)/gen/assets.h
	@mkdir -p $(@D)
	$(call short,CC,$<)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(patsubst %.c,$(BUILD)/obj/%.o,$(shell grep -lws JR_CHECKED $(LIB_SRCS) $(CLI_SRCS) tests/*/*.c)): \
	private ALL_CPPFLAGS += $(CHECKED)
$(BUILD)/obj/src/cli/core/confine.o: private ALL_CPPFLAGS += $(if $(findstring --coverage,$(CFLAGS)),-DJR_COVERAGE)
$(BUILD)/obj/src/cli/core/versions.o: private ALL_CPPFLAGS += -DJR_SNAPPY_VERSION='"$(SNAPPY_VERSION)"'

# Generated C is built without our warnings, because it is protobuf-c's code.
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call short,CC,$<)$(CC) $(ALL_CPPFLAGS) -std=c17 $(SANFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/gen/%.pb-c.c $(BUILD)/gen/%.pb-c.h: proto/%.proto | $(BUILD)/packages
	@mkdir -p $(BUILD)/gen
	$(call short,PROTOC,$<)protoc-c --proto_path=proto --c_out=$(BUILD)/gen $*.proto

# The same schema as text, for archives.
$(BUILD)/gen/hlo_schema_text.c: proto/hlo.proto
	@mkdir -p $(BUILD)/gen
	$(call short,EMBED,$<){ echo 'const char jr_hlo_schema_text[] ='; \
		sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $<; echo ';'; } >$@

# One line about missing packages, before the compiler fails with its own message.
$(BUILD)/packages: src/tools/deps
	@mkdir -p $(@D)
	@CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' CPPFLAGS='$(CPPFLAGS)' src/tools/deps --tell build
	@touch $@

# Templates, styles and scripts are ordinary files; a tool turns them into one C table.
$(BUILD)/embed: src/tools/embed.c | $(BUILD)/packages
	@mkdir -p $(@D)
	$(call short,CC,$<)$(CC_FOR_BUILD) -std=c17 -O1 -D_GNU_SOURCE -o $@ $<

$(BUILD)/gen/assets.c $(BUILD)/gen/assets.h &: $(BUILD)/embed $(ASSETS)
	@mkdir -p $(BUILD)/gen
	$(call short,EMBED,templates)$(BUILD)/embed $(BUILD)/gen/assets.c $(BUILD)/gen/assets.h $(ASSETS)

# Objects are rebuilt when the flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS)' | cmp -s - $@ || \
		echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS)' > $@
.PHONY: FORCE
FORCE:

.PHONY: deps
deps: ## install what is missing of the packages that building and rendering take (Debian)
	@src/tools/deps build render

# --- samples ---------------------------------------------------------------------------------

# The generator of sample archives has its Python sources built in.
GENERATOR_TEXTS := $(sort $(wildcard tests/generator/sources/*.py))

$(BUILD)/gen/generator_sources.c: $(BUILD)/embed $(GENERATOR_TEXTS)
	@mkdir -p $(BUILD)/gen
	$(call short,EMBED,tests/generator/sources)\
		$(BUILD)/embed $@ $(BUILD)/gen/generator_sources.h $(GENERATOR_TEXTS) && \
		sed -i -e 's/jr_assets/gen_sources/' -e 's/jr_n_assets/gen_n_sources/' $@

# GENERATOR=PROGRAM: an instrumented build takes the generator of another build, because only what reads its
# archives is tested.
ifdef GENERATOR
$(BUILD)/jr-generate: $(GENERATOR)
	@mkdir -p $(@D)
	ln -f $< $@
else
$(BUILD)/jr-generate: $(GENERATOR_OBJS) $(BUILD)/obj/gen/generator_sources.o $(LIB) $(BUILD)/flags
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(PKG_LIBS)
endif

.PHONY: generator
generator: $(BUILD)/jr-generate ## build jr-generate, which writes sample archives

SAMPLES := examples/mnist_vae.zip examples/transformer_fsdp4.zip
.PHONY: examples
examples: $(SAMPLES) ## make the sample archives of examples/

# Moved into place, because concurrent suites read them; members are named after the file.
$(SAMPLES): examples/%.zip: $(BUILD)/jr-generate
	$(call short,SAMPLE,$@)d=$$(mktemp -d -p $(@D)) && $(EMULATOR) $< $* -o $$d/$(@F) && mv $$d/$(@F) $@ && rmdir $$d

# One job per processor, unless -j gives a number.
SIDE_BY_SIDE = $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc))

SAMPLE := examples/transformer_fsdp4.zip
.PHONY: demo
demo: deps ## from nothing to report/index.html: build, make the samples, render one
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) all examples
	$(BUILD)/jaxreport $(SAMPLE) -o report -f
	$(call next,'Next: open that page in a browser; your own profile: $(BUILD)/jaxreport out.zip')

include tests/tests.mk src/packaging/packaging.mk

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# --- housekeeping ----------------------------------------------------------------------------

.PHONY: readme
readme: all $(BUILD)/jr-generate $(BUILD)/describe ## put the keys of report.json into src/report/README.md
	src/tools/readme-keys $(BUILD) src/report/README.md

.PHONY: clean
clean: ## remove all that was built
	rm -rf $(BUILD) report

.PHONY: help
SHOWN := all demo quick check unit golden lint asan browser bench install dist dist-static deb readme clean
help: ## list the targets; ALL=1 with a line for each
	@awk -v shown=' $(if $(ALL),,$(SHOWN)) ' ' \
		function rest() { if (also != "") { printf "  also:%s\n", also } also = ""; width = 0 } \
		/^# --- [a-z]+ -+$$/ { rest(); heading = $$3 } \
		/^[a-z0-9-]+:[^\#]*\#\# / { \
			name = $$0; sub(/:.*/, "", name); text = $$0; sub(/^[^\#]*\#\# /, "", text); \
			if (heading != "") { print heading ":"; heading = "" } \
			if (shown == "  " || index(shown, " " name " ")) { printf "  %-16s %s\n", name, text; next } \
			if (also == "" || width + length(name) > 76) { also = also (also == "" ? "" : "\n       "); width = 7 } \
			also = also " " name; width += 1 + length(name) } \
		END { rest() }' $(wordlist 1,3,$(MAKEFILE_LIST))
	@echo 'make help ALL=1 says what each is for.'
	@printf '%s\n' 'knobs: V=1 CC CFLAGS LDFLAGS BUILD=dir DEVELOPER=1 SANITIZE=address,undefined PREFIX DESTDIR' \
		'       across: CC_FOR_BUILD PKG_CONFIG EMULATOR'
