# jaxreport - build, test, demo.  `make help` lists the targets.
#
# Everything that is made goes below $(BUILD). The user owns CC, CFLAGS, CPPFLAGS and LDFLAGS;
# what the project needs is appended to them.

ifeq ($(origin CC),default)
CC := gcc
endif
# Where CC is for another machine: the compiler for this one, how pkg-config is called for that one, and what
# runs its programs here (qemu-aarch64-static).
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

# $(call short,CC,$<) in front of a command stands for it when it is told: one short line a file.
# V=1 shows the commands themselves, -s neither.
SILENT := $(findstring s,$(filter-out ---%,$(firstword -$(MAKEFLAGS))))
short   = $(if $(filter-out 0,$(V)),,@$(if $(SILENT),,printf '%-7s %s\n' $1 '$2'; ))
# $(call next,'LINE'...), lines without commas, ends a target that somebody asked for by name, and not where it serves others.
next    = @$(if $(SILENT)$(filter-out 0,$(MAKELEVEL)),,\
	$(if $(filter $@,$(or $(MAKECMDGOALS),all)),printf '%s\n' $1))

# pkg-config is asked once a make run, and only where the packages are there: `make deps` and
# `make help` must work on a bare machine.
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) -lsnappy -lm -lpthread

# STATIC=1 links everything into the program, which then needs no shared library. Debian has an archive of all
# but libzip (src/tools/libzip). What glibc would load at run time even then is never used: no names of hosts
# or users are looked up, SQLite loads no extensions, no text is converted by iconv's modules.
ifdef STATIC
STATIC_ZIP  := $(BUILD)/libzip/libzip.a
STATIC_LIBS := $(filter-out -lgobject-2.0 -lffi,$(shell $(PKG_CONFIG) --static --libs $(filter-out libzip,$(PKGS)) 2>/dev/null))
PKG_LIBS = -static-pie -Wl,--gc-sections -Wl,--no-warnings -Wl,-Map=$@.map -Wl,--start-group $(STATIC_ZIP) -lbz2 \
	$(STATIC_LIBS) -lsnappy -lstdc++ -Wl,--end-group -lm -lpthread
endif

# Its C header does not tell, nor does the library.
SNAPPY_VERSION := $(or $(shell $(PKG_CONFIG) --modversion snappy 2>/dev/null),unknown)

# What looks through whole tables for what we may have got wrong is not part of a release (base/error.h).
CHECKED := $(if $(DEVELOPER)$(SANITIZE),-DJR_CHECKED=1)

ALL_CPPFLAGS = -D_GNU_SOURCE $(CHECKED) -Isrc -I. -I$(BUILD)/gen $(PKG_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS   = -std=c17 $(WARNINGS) -Werror=implicit-function-declaration $(SANFLAGS) $(CFLAGS)
ALL_LDFLAGS  = $(SANFLAGS) $(LDFLAGS)

LAYERS   := base formats model record analysis report compare cli
# Layers, and rooms within them.
sources = $(sort $(wildcard $(foreach l,$1,src/$l/*.c src/$l/*/*.c)))
LIB_SRCS := $(call sources,$(filter-out cli,$(LAYERS))) $(sort $(wildcard render/*.c))
CLI_SRCS := $(call sources,cli)
ASSETS   := $(sort $(filter-out templates/README.md,$(wildcard templates/*)))
GEN_SRCS := $(BUILD)/gen/hlo.pb-c.c $(BUILD)/gen/assets.c
LIB_OBJS := $(LIB_SRCS:%.c=$(BUILD)/obj/%.o) \
	$(addprefix $(BUILD)/obj/gen/,hlo.pb-c.o hlo_schema_text.o assets.o)
CLI_OBJS := $(CLI_SRCS:%.c=$(BUILD)/obj/%.o)
LIB      := $(BUILD)/libjaxreport.a

UNIT_SRCS := $(sort $(wildcard tests/unit/test_*.c))
UNIT_BINS := $(UNIT_SRCS:tests/unit/%.c=$(BUILD)/unit/%)
# The generator of sample archives: a program of its own over the same libraries.
GENERATOR_SRCS := $(sort $(wildcard tests/generator/*.c))
GENERATOR_OBJS := $(GENERATOR_SRCS:%.c=$(BUILD)/obj/%.o)
# The driver of damaged inputs, over the same libraries.
MUTATE_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/mutate/*.c)))
FUZZ_SRCS := $(filter-out %_planted.c,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

# Objects of tests are kept, though nothing names them.
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

$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(BUILD)/gen/hlo.pb-c.h $(BUILD)/gen/assets.h
	@mkdir -p $(@D)
	$(call short,CC,$<)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/src/cli/core/confine.o: ALL_CPPFLAGS += $(if $(findstring --coverage,$(CFLAGS)),-DJR_COVERAGE)
$(BUILD)/obj/src/cli/core/versions.o: ALL_CPPFLAGS += -DJR_SNAPPY_VERSION='"$(SNAPPY_VERSION)"'

# Generated C is built without our warning set: it is protobuf-c's code, not ours.
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call short,CC,$<)$(CC) $(ALL_CPPFLAGS) -std=c17 $(SANFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/gen/hlo.pb-c.c $(BUILD)/gen/hlo.pb-c.h &: proto/hlo.proto | $(BUILD)/packages
	@mkdir -p $(BUILD)/gen
	$(call short,PROTOC,$<)protoc-c --proto_path=proto --c_out=$(BUILD)/gen hlo.proto

# The same schema as text, which archives carry.
$(BUILD)/gen/hlo_schema_text.c: proto/hlo.proto
	@mkdir -p $(BUILD)/gen
	$(call short,EMBED,$<){ echo 'const char jr_hlo_schema_text[] ='; \
		sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $<; echo ';'; } >$@

# One line on the packages that lack, before a compiler says it in its own words.
$(BUILD)/packages: src/tools/deps
	@mkdir -p $(@D)
	@CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' CPPFLAGS='$(CPPFLAGS)' src/tools/deps --tell build
	@touch $@

# Templates, styles and scripts are ordinary files, turned into one C table.
$(BUILD)/embed: src/tools/embed.c | $(BUILD)/packages
	@mkdir -p $(@D)
	$(call short,CC,$<)$(CC_FOR_BUILD) -std=c17 -O1 -D_GNU_SOURCE -o $@ $<

$(BUILD)/gen/assets.c $(BUILD)/gen/assets.h &: $(BUILD)/embed $(ASSETS)
	@mkdir -p $(BUILD)/gen
	$(call short,EMBED,templates)$(BUILD)/embed $(BUILD)/gen/assets.c $(BUILD)/gen/assets.h $(ASSETS)

# Objects are remade when the flags change.
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

$(BUILD)/jr-generate: $(GENERATOR_OBJS) $(BUILD)/obj/gen/generator_sources.o $(LIB) $(BUILD)/flags
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(PKG_LIBS)

.PHONY: generator
generator: $(BUILD)/jr-generate ## build jr-generate, which writes sample archives

SAMPLES := examples/mnist_vae.zip examples/transformer_fsdp4.zip
.PHONY: examples
examples: $(SAMPLES) ## make the sample archives of examples/

# Moved into place, for suites that run side by side read them; members are called after the file.
$(SAMPLES): examples/%.zip: $(BUILD)/jr-generate
	$(call short,SAMPLE,$@)d=$$(mktemp -d -p $(@D)) && $(EMULATOR) $< $* -o $$d/$(@F) && mv $$d/$(@F) $@ && rmdir $$d

# As many jobs as there are processors, unless somebody said how many.
SIDE_BY_SIDE = $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc))

SAMPLE := examples/transformer_fsdp4.zip
.PHONY: demo
demo: deps ## from nothing to report/index.html: build, make the samples, render one
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) all examples
	$(BUILD)/jaxreport $(SAMPLE) -o report -f
	$(call next,'Next: open that page in a browser; your own profile: $(BUILD)/jaxreport out.zip')

# --- tests -----------------------------------------------------------------------------------

# EVERY=n: of what repeats one thing with other jobs, names, schemas or calls each n-th, from PART on. `check`
# takes one of three, CI another with each commit. FULL=1: more seeds, and simulations whose rates are judged.
EVERY ?=
PART  ?=
export EVERY PART FULL
FULL ?=

# One program has the main() of each test file, under that file's name: a link takes as long as a test.
UNIT_NAMES := $(UNIT_BINS:$(BUILD)/unit/%=%)
UNIT_OBJS  := $(UNIT_NAMES:%=$(BUILD)/unit/%.o)
UNIT_PARTS := $(addprefix $(BUILD)/obj/tests/unit/,all.o compressors.o)
$(UNIT_OBJS): $(BUILD)/unit/%.o: $(BUILD)/obj/tests/unit/%.o
	@mkdir -p $(@D)
	$(call short,MAIN,$@)objcopy --redefine-sym main=$*_main $< $@

$(BUILD)/gen/units.c: FORCE
	@mkdir -p $(@D)
	@{ printf 'int %s_main(void);\n' $(UNIT_NAMES); \
		echo 'const struct { const char *name; int (*main)(void); } jr_units[] = {'; \
		for unit in $(UNIT_NAMES); do echo "{\"$$unit\", $${unit}_main},"; done; echo '{0, 0}};'; } >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(BUILD)/unit/all: $(UNIT_OBJS) $(BUILD)/obj/gen/units.o $(UNIT_PARTS) $(LIB) $(BUILD)/flags
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(PKG_LIBS) -lcmocka

$(UNIT_BINS): $(BUILD)/unit/all
	@ln -sf all $@

.PHONY: unit
unit: $(UNIT_BINS) ## build and run the unit tests
	@$(if $(FULL),,JR_FEW_SEEDS=1) tests/run-unit $(BUILD) \
		$(filter-out $(if $(QUICK),$(SLOW_UNITS:%=$(BUILD)/unit/test_%)),$(UNIT_BINS))

# What a fuzz target does with an input is checked twice: by libFuzzer (make fuzz) and, over the
# inputs kept in tests/fuzz/corpus/T, by a plain main() (make replay).
REPLAY_BINS := $(FUZZ_SRCS:tests/fuzz/fuzz_%.c=$(BUILD)/replay/%)

$(BUILD)/replay/%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/obj/tests/fuzz/replay_main.o $(LIB) \
		$(BUILD)/flags
	@mkdir -p $(@D)
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(PKG_LIBS)

.PHONY: replay
replay: $(REPLAY_BINS) all examples ## run the fuzz targets over the kept inputs
	@tests/fuzz/seeds $(BUILD)
	@BUILD=$(BUILD) tests/fuzz/replay $(SHARED) $(REPLAY_BINS)

T    ?= zip
SECS ?= 60
FUZZ_TARGETS := $(FUZZ_SRCS:tests/fuzz/fuzz_%.c=%)
# OSS-Fuzz hands over its own compiler, flags and engine (tests/fuzz/oss-fuzz.sh), all of them as these.
FUZZ_FLAGS  := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
FUZZ_ENGINE ?= -fsanitize=fuzzer
FUZZ_LD     ?= $(CC)
FUZZ_DEFINES := -DJR_FUZZING -DJR_CHECKED=1
FUZZ_BUILD   = $(MAKE) BUILD=$(BUILD)/fuzz CC=clang CFLAGS='$(FUZZ_FLAGS) $(FUZZ_DEFINES)' \
	LDFLAGS='$(FUZZ_FLAGS)'
.PHONY: fuzz fuzz-all fuzz-targets oss-fuzz-test
fuzz: all examples ## fuzz one parser with clang: make fuzz T=zip SECS=60
	@src/tools/deps build test fuzz
	tests/fuzz/seeds $(BUILD)
	+$(FUZZ_BUILD) $(BUILD)/fuzz/fuzz_$(T)
	@BUILD=$(BUILD) tests/fuzz/run $(T) $(SECS)

fuzz-all: all examples ## fuzz each of them for SECS, two at a time
	@src/tools/deps build test fuzz
	tests/fuzz/seeds $(BUILD)
	+$(FUZZ_BUILD) fuzz-targets
	@echo $(FUZZ_TARGETS) | BUILD=$(BUILD) xargs -n1 -P2 sh -c 'tests/fuzz/run $$1 $(SECS)' fuzz

fuzz-targets: $(FUZZ_TARGETS:%=$(BUILD)/fuzz_%)

oss-fuzz-test: all examples $(BUILD)/jr-generate ## what OSS-Fuzz gets: each target, its seeds, dictionary and options
	@src/tools/deps build test fuzz
	+@BUILD=$(BUILD) CFLAGS='$(FUZZ_FLAGS)' LIB_FUZZING_ENGINE='$(FUZZ_ENGINE)' \
		tests/fuzz/oss-fuzz-test $(FUZZ_TARGETS)

# Without the two that write pages, by libraries that are not instrumented (tests/fuzz/README.md). They
# run for two seconds: what takes time is compiling, hence -O0.
MSAN_BINS := $(patsubst %,$(BUILD)/replay/%,$(filter-out json report,$(FUZZ_TARGETS)) planted)
MSAN_BORDER := $(shell sed -nE 's/^BORDER[^,]*, ([a-z0-9A-Z_]*),.*/-Wl,--wrap=\1/p' tests/fuzz/msan_libraries.c)
.PHONY: msan msan-built
msan: all examples ## readers over the inputs of their fuzz targets under MemorySanitizer
	@src/tools/deps build test fuzz
	@tests/fuzz/seeds $(BUILD)
	+@$(MAKE) --no-print-directory BUILD=$(BUILD)/msan CC=clang SANITIZE=memory \
		CFLAGS='-O0 -gline-tables-only -DJR_FUZZING' msan-built
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/fuzz/msan $(patsubst $(BUILD)/%,$(BUILD)/msan/%,$(MSAN_BINS))

msan-built: $(MSAN_BINS)
ifeq ($(SANITIZE),memory)
$(MSAN_BINS): $(BUILD)/obj/tests/fuzz/msan_libraries.o
$(MSAN_BINS): ALL_LDFLAGS += $(MSAN_BORDER)
endif

.PHONY: fuzz-coverage
fuzz-coverage: all examples ## what of the parsers the inputs of the fuzz targets reach, by llvm-cov
	@src/tools/deps build test fuzz
	tests/fuzz/seeds $(BUILD)
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/reached CC=clang \
		CFLAGS='-O1 -g -fprofile-instr-generate -fcoverage-mapping' \
		LDFLAGS=-fprofile-instr-generate $(FUZZ_TARGETS:%=$(BUILD)/reached/replay/%)
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/fuzz/coverage $(FUZZ_TARGETS:%=$(BUILD)/reached/replay/%)

# Libraries, and those that they need (hence no new tags), lie beside a target that runs elsewhere.
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(LIB)
	$(call short,LD,$@)$(FUZZ_LD) $(ALL_LDFLAGS) $(FUZZ_ENGINE) \
		-Wl,--disable-new-dtags,-rpath,'$$ORIGIN/lib' -o $@ $^ $(PKG_LIBS)

.PHONY: golden
golden: all examples $(BUILD)/jr-generate $(BUILD)/describe ## compare what commands print with the kept text; BLESS=1 keeps the new
	@BUILD=$(BUILD) EVERY=$(GOLDEN_EVERY) tests/golden/run $(CASES) $(if $(QUICK),$(QUICK_CASES))

.PHONY: golden-terminal
golden-terminal: all examples
	@BUILD=$(BUILD) tests/golden/run $(notdir $(patsubst %/,%,$(dir \
		$(shell grep -rl '^# on a terminal' tests/golden/cases))))

.PHONY: fault ends
fault: all examples $(BUILD)/fault.so $(BUILD)/fault-calls.so ## let the n-th read, write, allocation... fail, for n = 1, 2, 3...
	@BUILD=$(BUILD) tests/fault/run
	@BUILD=$(BUILD) tests/fault/ends
	@BUILD=$(BUILD) tests/fault/signals 60

ends: all examples
	@BUILD=$(BUILD) tests/fault/ends

RUNS ?= 1000
.PHONY: signals
signals: all examples ## interrupt RUNS runs at any moment: none hangs, none leaves anything behind
	@BUILD=$(BUILD) tests/fault/signals $(RUNS)

.PHONY: fault-calls
fault-calls: all examples $(BUILD)/fault.so $(BUILD)/fault-calls.so
	@BUILD=$(BUILD) tests/fault/run

$(BUILD)/fault.so: tests/fault/fault.c
	@mkdir -p $(@D)
	$(call short,CC,$<)$(CC) -std=c17 -O1 -D_GNU_SOURCE -shared -fPIC -o $@ $< -ldl

$(BUILD)/fault-calls.so: tests/fault/fault.c
	@mkdir -p $(@D)
	$(call short,CC,$<)$(CC) -std=c17 -O1 -D_GNU_SOURCE -DJR_FAULT_CALLS_ONLY -shared -fPIC -o $@ $< -ldl

$(BUILD)/jr-mutate: $(MUTATE_OBJS) $(LIB) $(BUILD)/flags
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(PKG_LIBS)

SEEDS ?= $(if $(FULL),40,20)
.PHONY: mutate
mutate: all examples $(BUILD)/jr-generate $(BUILD)/jr-mutate ## damage inputs in SEEDS ways and hold what comes of it against rules
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/mutate/run $(SEEDS)

REAL_SEEDS ?= 40
.PHONY: mutate-real
mutate-real: all $(BUILD)/jr-mutate ## the same for XSpace files, exports and HLO of other programs, in REAL_SEEDS ways
	@BUILD=$(BUILD) SHARED=$(SHARED) ONLY=real tests/mutate/run $(REAL_SEEDS)

# Kinds of text that each field is given; none named is all of them. FIELD_EVERY: as EVERY.
FIELD_KINDS ?=
FIELD_EVERY ?= $(if $(FULL),1,$(if $(EVERY),6,3))
.PHONY: hostile
hostile: all examples $(BUILD)/jr-generate ## inputs made to do harm: bombs, names, devices, loops, each limit, each text
	@BUILD=$(BUILD) tests/hostile/run
	@BUILD=$(BUILD) KINDS='$(FIELD_KINDS)' EVERY=$(FIELD_EVERY) tests/hostile/fields
	@BUILD=$(BUILD) tests/hostile/memory

.PHONY: hostile-all
hostile-all: all examples $(BUILD)/jr-generate ## members of 2 GiB, files of others in place of each member, reports of other types
	@BUILD=$(BUILD) tests/hostile/memory all
	@BUILD=$(BUILD) tests/hostile/types
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/hostile/foreign

.PHONY: sandbox
sandbox: all examples $(BUILD)/jr-generate $(BUILD)/attempt.so ## what the program has given up cannot be done from inside
	@BUILD=$(BUILD) tests/sandbox/run

$(BUILD)/attempt.so: tests/sandbox/attempt.c tests/sandbox/kernel.h
	@mkdir -p $(@D)
	$(call short,CC,$<)$(CC) -std=c17 -O1 -D_GNU_SOURCE -shared -fPIC -o $@ $< -ldl

.PHONY: repro
repro: all examples $(BUILD)/jr-generate ## the same input must give the same bytes, whatever is around it; clang's build too
	@src/tools/deps build render test repro
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/clang CC=clang all
	@BUILD=$(BUILD) tests/repro/run $(BUILD)/clang/jaxreport

.PHONY: truth
truth: all $(BUILD)/jr-generate ## hold generated archives of every form against what is known of them
	@BUILD=$(BUILD) tests/truth

.PHONY: causes
causes: all $(BUILD)/jr-generate ## jobs that are slow for one reason: the first finding must name it
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/causes

WHAT_IF_SEEDS ?= $(if $(FULL),5,2)

.PHONY: what-if
what-if: all $(BUILD)/jr-generate ## predictions of WHAT_IF_SEEDS jobs a change against the same jobs with that change
	@BUILD=$(BUILD) SEEDS=$(WHAT_IF_SEEDS) tests/what-if

.PHONY: sentences
sentences: all $(BUILD)/jr-generate ## all sentences of all rules, with samples, to be read; fails where a rule has none
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/sentences

.PHONY: forms
forms: all $(BUILD)/jr-generate ## one job in every form of archive must give one report
	@BUILD=$(BUILD) tests/forms

.PHONY: exports
exports: all $(BUILD)/jr-generate ## Nsight exports against archives of the same job, and against SQL
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/exports

.PHONY: integrity
integrity: all $(BUILD)/jr-generate ## small inputs with faults, each of known truth, against what report.json says of them
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/integrity/run $(CASES)

.PHONY: record
record: all $(BUILD)/jr-generate ## archives made of exports: the same report, read back by others, what cannot be
	@BUILD=$(BUILD) tests/record

.PHONY: recording
recording: all $(BUILD)/jr-generate ## programs under a stand-in nsys: signals, ranks, each way that a run can end
	@BUILD=$(BUILD) tests/recording/run

.PHONY: record-signals
record-signals: all $(BUILD)/jr-generate ## what is kept of a profile where a signal comes: a stand-in nsys alone against record
	@BUILD=$(BUILD) tests/recording/signals

.PHONY: record-nsys
record-nsys: all ## the same under real versions of nsys, which need no GPU
	@BUILD=$(BUILD) tests/recording/real

.PHONY: record-slurm
record-slurm: all $(BUILD)/jr-generate ## four ranks under a real Slurm of this machine: four archives, one report
	@BUILD=$(BUILD) tests/recording/slurm

.PHONY: reference
reference: all $(BUILD)/jr-generate ## rows of NVIDIA's own loader against ours, of generated archives and of record's
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/recording/reference

.PHONY: comparisons
comparisons: all $(BUILD)/jr-generate ## a run against itself, a slow thunk, real profiles
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/compare

.PHONY: verdicts
verdicts: all $(BUILD)/jr-generate ## jobs that become slower for one known reason: comparisons and histories must find it
	@BUILD=$(BUILD) tests/verdicts

.PHONY: same
same: all $(BUILD)/jr-generate ## OLD=another jaxreport: the same bytes in each format, for a change that changes none
	@BUILD=$(BUILD) OLD='$(OLD)' tests/same

.PHONY: names
names: all $(BUILD)/jr-generate ## what all outputs of a job call by one name is one number
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/names

.PHONY: first-screens
first-screens: all $(BUILD)/jr-generate ## first screens of many jobs: headline, statistic and savings agree
	@BUILD=$(BUILD) tests/first-screens

.PHONY: ci-examples
ci-examples: all $(BUILD)/jr-generate ## lint examples/ci, and run its shell steps for real
	@BUILD=$(BUILD) tests/ci/run

.PHONY: cluster-examples
cluster-examples: all $(BUILD)/jr-generate ## lint examples/cluster, and record four processes by it
	@BUILD=$(BUILD) tests/recording/cluster

.PHONY: sizes
sizes: all $(BUILD)/jr-generate ## summaries and mails of the largest profile keep their bounds
	@BUILD=$(BUILD) tests/sizes

.PHONY: history
history: all $(BUILD)/jr-generate $(if $(SANITIZE),,$(BUILD)/fault.so) ## many writers of one store at once, its verdicts, hostile stores
	@BUILD=$(BUILD) tests/history

.PHONY: threads
threads: all examples $(BUILD)/jr-generate ## commands with eight threads: the same bytes as with one
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/threads

.PHONY: oracle
oracle: all ## hold the reports of the sample archives against the reference's figures
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/oracle

.PHONY: installed
installed: all descriptions ## what make install puts in place: files, man page, completions
	+@BUILD=$(BUILD) tests/packaging/install

.PHONY: newcomer
newcomer: all examples $(BUILD)/jr-generate ## what make says, and asks for, when somebody builds for the first time
	@BUILD=$(BUILD) CC='$(CC)' tests/packaging/newcomer

.PHONY: docs
docs: all examples $(BUILD)/jr-generate ## run the commands of README.md and the guide, and do what src/README.md says of adding an analysis
	@BUILD=$(BUILD) tests/docs

.PHONY: lint
lint: $(LIB) $(CLI_OBJS) ## layers, headers alone, banned functions, file length, cppcheck, shellcheck, clang-tidy
	@src/tools/deps build test static
	@BUILD=$(BUILD) CC='$(CC)' CPPFLAGS='$(ALL_CPPFLAGS)' tests/lint/run
	@$(if $(QUICK)$(RULES),,$(MAKE) --no-print-directory -k -s $(SIDE_BY_SIDE) tidy)

# Static analysis of one file at a time: what was clean stays so until the file, a header of it (both
# by way of its object) or the rules change.
# The shim that makes calls fail is no program of ours: it takes names of the C library. gcc has no
# MemorySanitizer.
ANALYSED := $(LIB_SRCS) $(CLI_SRCS) \
	$(filter-out tests/fault/% tests/fuzz/msan_%,$(sort $(wildcard src/tools/*.c tests/*/*.c)))

$(BUILD)/tidy/%.ok: $(BUILD)/obj/%.o .clang-tidy
	@mkdir -p $(@D)
	$(call short,TIDY,$*.c)clang-tidy --quiet $*.c -- $(ALL_CPPFLAGS) -std=c17 2>/dev/null
	@touch $@

.PHONY: tidy
tidy: $(ANALYSED:%.c=$(BUILD)/tidy/%.ok) ## clang-tidy, by the rules of .clang-tidy
	@echo "tidy: $(words $^) passed, 0 failed"

# What scan-build runs under its cover, and clang's warnings. SCAN_NODES bounds how far the analyzer
# follows each function: with 50000 of its 225000 it takes a quarter of the time.
SCAN_NODES ?=
$(BUILD)/scan/%.ok: $(BUILD)/obj/%.o
	@mkdir -p $(@D)
	$(call short,SCAN,$*.c)\
		clang $(ALL_CPPFLAGS) -std=c17 $(filter-out -Werror,$(WARNINGS)) -Werror -fsyntax-only $*.c && \
		clang --analyze --analyzer-output text $(SCAN_NODES:%=-Xclang -analyzer-config -Xclang max-nodes=%) \
			$(ALL_CPPFLAGS) -std=c17 -o /dev/null $*.c 2>$@.found
	@tests/lint/scan-known $@.found
	@touch $@

# A look after each change: what is fast of linters, units and goldens, and clang-tidy on what git says has
# changed.
SLOW_UNITS := ci_writers statistics cost_hostile report passes_archives zip_writer num gaps cost_archives plot
QUICK_CASES := help export compare-text summary-md report-text-mnist report-text-transformer
CHANGED = $(filter $(ANALYSED),$(shell git diff --name-only HEAD 2>/dev/null))
.PHONY: quick tidy-changed
quick: ## what is fast of lint, unit and golden, after each change: within 20 s
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) all examples $(BUILD)/describe $(BUILD)/unit/all
	+@QUICK=1 MAKE='$(MAKE)' tests/suites $@ lint unit golden tidy-changed
tidy-changed: $(CHANGED:%.c=$(BUILD)/tidy/%.ok)
	@echo "tidy: $(words $^) passed, 0 failed"

.PHONY: scan
scan: $(patsubst %.c,$(BUILD)/scan/%.ok,$(LIB_SRCS) $(CLI_SRCS)) ## clang: -Werror, and its analyzer
	@echo "scan: $(words $^) passed, 0 failed"

.PHONY: valgrind
valgrind: $(UNIT_BINS) ## the unit tests under memcheck: no bad access, nothing lost
	@src/tools/deps static
	@tests/valgrind $(UNIT_BINS)

# Whether they pass is told by `make check`; some cannot here, for where rights are missing, or the
# sandbox is wanted, counts cannot be written.
COVERING ?= unit golden truth forms exports replay
.PHONY: coverage
coverage: ## lines of src and render that tests run; fails below 85 %
	$(MAKE) BUILD=$(BUILD)/coverage DEVELOPER= CFLAGS='-O0 -g --coverage' LDFLAGS=--coverage \
		all examples $(BUILD)/coverage/jr-generate
	find $(BUILD)/coverage -name '*.gcda' -delete
	-$(MAKE) -k BUILD=$(BUILD)/coverage DEVELOPER= CFLAGS='-O0 -g --coverage' LDFLAGS=--coverage \
		$(COVERING) >$(BUILD)/coverage/tests.log 2>&1
	tests/coverage $(BUILD)/coverage

$(BUILD)/walk-xspace: $(BUILD)/obj/tests/bench/walk_xspace.o $(LIB) $(BUILD)/flags
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(PKG_LIBS)

.PHONY: growth
growth: all ## time and memory must grow with an input, not with its square, in each shape of input
	@BUILD=$(BUILD) tests/growth

.PHONY: bench
bench: all examples $(BUILD)/jr-generate $(BUILD)/walk-xspace ## time and memory against xz -dc, as ratios of one run
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/bench/run
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/bench/pages
	@BUILD=$(BUILD) tests/bench/ranks $(RANKS)
	@BUILD=$(BUILD) tests/bench/exports $(EXPORT_ROWS)
	@BUILD=$(BUILD) tests/bench/traces $(TRACE_ROWS)

# The suites of `check`, the longest first, so that none of them starts last. Each is a target above that
# prints "NAME: N passed, N failed". This list is all that check, its last line and CI's table know.
SUITES := fault golden unit hostile verdicts truth what-if causes lint names sizes integrity exports record \
	record-signals comparisons first-screens history forms mutate replay sandbox recording ci-examples \
	cluster-examples installed newcomer

.PHONY: check
# Most suites keep one processor busy, so they run side by side. All that any of them needs is built
# before: some call make themselves, and two that build one file at a time would be in each other's way.
check: test-deps ## all tests that need no second machine: the one to run before a commit
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) check-built
	+@MAKE='$(MAKE)' RULES=1 EVERY=$(or $(EVERY),3) tests/suites $@ $(SUITES)

.PHONY: check-built
check-built: all examples $(addprefix $(BUILD)/,jr-generate jr-mutate describe fault.so fault-calls.so attempt.so) \
	$(UNIT_BINS) $(REPLAY_BINS) $(ANALYSED:%.c=$(BUILD)/obj/%.o)

# What `check` has run is sampled under sanitizers: there it is memory that is judged, not figures.
ASAN_SEEDS ?= 25
ASAN_EVERY ?= 6
ASAN_GOLDEN_EVERY ?= 1
ASAN_KINDS ?= script utf8
.PHONY: asan
# Without -Werror: the sanitizers' own code makes gcc warn of what is none.
asan: test-deps ## units, goldens, corpora, samples, damaged and hostile inputs under ASan and UBSan
	@ASAN_OPTIONS=exitcode=99:detect_leaks=1:allocator_may_return_null=1 LSAN_OPTIONS=print_suppressions=0 \
		UBSAN_OPTIONS=print_stacktrace=1:exitcode=99 \
		$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SANITIZE=address,undefined DEVELOPER= \
		CFLAGS='-O1 -g' SEEDS=$(ASAN_SEEDS) EVERY=$(ASAN_EVERY) GOLDEN_EVERY=$(ASAN_GOLDEN_EVERY) \
		FIELD_KINDS='$(ASAN_KINDS)' FIELD_EVERY=3 asan-built asan-suites

ASAN_SUITES := hostile exports record golden fault-calls unit truth history comparisons oracle forms mutate mutate-real replay
.PHONY: asan-built asan-suites
asan-built: all examples $(addprefix $(BUILD)/,jr-generate jr-mutate describe fault-calls.so) $(UNIT_BINS) \
	$(REPLAY_BINS)
asan-suites: asan-built
	+@MAKE='$(MAKE)' tests/suites asan $(ASAN_SUITES)

# What starts threads; the other units run in one.
THREADED := task load source_text nsys_sqlite report figure trend
THREADED_UNITS = $(shell grep -lE $(THREADED:%=-e '/%\.h"') -e export_case tests/unit/*.c)

.PHONY: tsan
tsan: test-deps ## units that start threads, forms and commands with eight under ThreadSanitizer
	@TSAN_OPTIONS=exitcode=66:allocator_may_return_null=1:suppressions=$(CURDIR)/tests/tsan.supp \
		$(MAKE) --no-print-directory BUILD=$(BUILD)/tsan SANITIZE=thread DEVELOPER= \
		CFLAGS='-O1 -g' UNIT_SRCS='$(THREADED_UNITS)' unit forms threads

.PHONY: browser
browser: all $(BUILD)/jr-generate ## open a report in headless Chromium
	@src/tools/deps build render test browser
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/browser/run

.PHONY: test-deps
test-deps: ## install what is missing of the packages that tests and linters take
	@src/tools/deps build render test static

# --- installing ------------------------------------------------------------------------------

# What the program can tell of itself, as a man page and as completions: a tool over its own tables.
DESCRIBE_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard src/tools/describe*.c)))
DESCRIPTIONS  := $(addprefix $(BUILD)/share/,jaxreport.1 jaxreport.bash jaxreport.zsh jaxreport.fish)

$(BUILD)/describe: $(DESCRIBE_OBJS) $(filter-out %/main.o,$(CLI_OBJS)) $(LIB) $(BUILD)/flags
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(PKG_LIBS)

$(BUILD)/share/jaxreport.1: $(BUILD)/describe src/packaging/jaxreport.1.in
	@mkdir -p $(@D)
	$(call short,MAN,$@)$(EMULATOR) $(BUILD)/describe man src/packaging/jaxreport.1.in >$@.new && mv $@.new $@

$(BUILD)/share/jaxreport.%: $(BUILD)/describe
	@mkdir -p $(@D)
	$(call short,SHELL,$@)$(EMULATOR) $(BUILD)/describe $* >$@.new && mv $@.new $@

.PHONY: descriptions
descriptions: $(DESCRIPTIONS) ## man page and completions below build/share

BINDIR  ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
BASHDIR ?= $(DATADIR)/bash-completion/completions
ZSHDIR  ?= $(DATADIR)/zsh/site-functions
FISHDIR ?= $(DATADIR)/fish/vendor_completions.d
# Words of a shell: each of these folders may have blanks in its name, which make itself cannot take.
TO = '$(DESTDIR)$1'
INSTALLED = $(call TO,$(BINDIR)/jaxreport) $(call TO,$(DATADIR)/man/man1/jaxreport.1) \
	$(call TO,$(BASHDIR)/jaxreport) $(call TO,$(ZSHDIR)/_jaxreport) $(call TO,$(FISHDIR)/jaxreport.fish) \
	$(call TO,$(DATADIR)/doc/jaxreport/README.md) $(call TO,$(DATADIR)/doc/jaxreport/GUIDE.md) \
	$(call TO,$(DATADIR)/doc/jaxreport/LICENSE)

.PHONY: install uninstall
install: all descriptions ## program, man page, completions below $(DESTDIR)$(PREFIX)
	install -D -m 755 $(BUILD)/jaxreport $(call TO,$(BINDIR)/jaxreport)
	install -D -m 644 $(BUILD)/share/jaxreport.1 $(call TO,$(DATADIR)/man/man1/jaxreport.1)
	install -D -m 644 $(BUILD)/share/jaxreport.bash $(call TO,$(BASHDIR)/jaxreport)
	install -D -m 644 $(BUILD)/share/jaxreport.zsh $(call TO,$(ZSHDIR)/_jaxreport)
	install -D -m 644 $(BUILD)/share/jaxreport.fish $(call TO,$(FISHDIR)/jaxreport.fish)
	install -d $(call TO,$(DATADIR)/doc/jaxreport)
	install -m 644 README.md examples/GUIDE.md src/packaging/LICENSE $(call TO,$(DATADIR)/doc/jaxreport)
	$(if $(DESTDIR),,$(call next,'Next: $(BINDIR)/jaxreport --help'))
uninstall: ## remove what install put there
	rm -f $(INSTALLED)
	-rmdir $(call TO,$(DATADIR)/doc/jaxreport)

# --- releases --------------------------------------------------------------------------------

VERSION  := $(shell sed -n 's/^.define JR_VERSION "\(.*\)"/\1/p' src/report/core/report.h)
RELEASE  := jaxreport-$(VERSION)
DIST     := $(BUILD)/dist
MACHINE  := $(shell uname -m)
# What a tarball says of time: that of the commit, or of the release where there is no git.
RELEASED  = $(shell sed -n 's/^.define JR_RELEASED "\([0-9-]*\)".*/\1/p' src/report/core/report.h)
EPOCH     = $(or $(SOURCE_DATE_EPOCH),$(if $(wildcard .git),$(shell git log -1 --format=%ct)),\
	$(shell date -u -d '$(RELEASED)' +%s))
# A pipeline fails where any part of it does, which no sh of Debian can be asked for.
dist dist-static: SHELL := /bin/bash
dist dist-static: .SHELLFLAGS := -o pipefail -c
# The same tree gives the same bytes: no owner, no order of a folder, no time, no umask.
TAR = LC_ALL=C tar --sort=name --format=ustar --mtime=@$(EPOCH) --owner=0 --group=0 --numeric-owner \
	--mode=u+rw,go+r,go-w

# What is in the static program, as SPDX.
SBOM := share/doc/jaxreport/jaxreport.spdx.json

.PHONY: dist
dist: ## release tarball of the sources below build/dist, the same bytes for the same commit
	@mkdir -p $(DIST)
	$(if $(wildcard .git),git ls-files,find . -type f -not -path './$(BUILD)/*' -printf '%P\n') | \
		LC_ALL=C sort | $(TAR) --transform='s,^,$(RELEASE)/,' -cf - --verbatim-files-from -T - | \
		xz -9 -T1 >$(DIST)/$(RELEASE).tar.new
	mv $(DIST)/$(RELEASE).tar.new $(DIST)/$(RELEASE).tar.xz
	cd $(DIST) && sha256sum $(RELEASE).tar.xz >$(RELEASE).tar.xz.sha256

.PHONY: dist-static
dist-static: ## tarball of a program that needs no shared library where it runs (see STATIC)
	@src/tools/deps build link
	$(MAKE) BUILD=$(BUILD)/static STATIC=1 all descriptions
	rm -rf $(BUILD)/static/staged
	$(MAKE) BUILD=$(BUILD)/static STATIC=1 install PREFIX=/$(RELEASE) DESTDIR=$(BUILD)/static/staged
	strip $(BUILD)/static/staged/$(RELEASE)/bin/jaxreport
	src/tools/sbom $(RELEASE) $(EPOCH) $(BUILD)/static/staged/$(RELEASE)/bin/jaxreport \
		$(BUILD)/static/jaxreport.map >$(BUILD)/static/staged/$(RELEASE)/$(SBOM)
	@mkdir -p $(DIST)
	$(TAR) -C $(BUILD)/static/staged -cf - $(RELEASE) | xz -T1 >$(DIST)/$(RELEASE)-static.tar.new
	mv $(DIST)/$(RELEASE)-static.tar.new $(DIST)/$(RELEASE)-linux-$(MACHINE).tar.xz

.PHONY: dist-test
dist-test: all examples dist-static ## the tarballs: the same bytes twice, complete, few libraries
	@BUILD=$(BUILD) tests/packaging/dist

# The package is built of the tarball, so a tarball that lacks something fails here.
DEB := $(BUILD)/deb
.PHONY: deb
deb: ## Debian package below build/deb, seen through by lintian
	@src/tools/deps build render test deb
	$(MAKE) dist
	rm -rf $(DEB)/$(RELEASE) $(DEB)/jaxreport_* $(DEB)/jaxreport-dbgsym*
	@mkdir -p $(DEB)
	cp $(DIST)/$(RELEASE).tar.xz $(DEB)/jaxreport_$(VERSION).orig.tar.xz
	tar -C $(DEB) -xf $(DIST)/$(RELEASE).tar.xz
	cp -r src/packaging/debian $(DEB)/$(RELEASE)/debian
	cd $(DEB)/$(RELEASE) && env -u MAKEFLAGS -u MAKEOVERRIDES -u DEVELOPER -u BUILD -u CFLAGS \
		SOURCE_DATE_EPOCH=$(EPOCH) dpkg-buildpackage -us -uc -j$(shell nproc)
	cd $(DEB) && lintian --allow-root --fail-on error,warning jaxreport_$(VERSION)-*.changes

.PHONY: deb-test
deb-test: all examples deb ## install the package in a chroot made by debootstrap, render a sample
	@src/tools/deps build render deb
	@BUILD=$(BUILD) SOURCE_DATE_EPOCH=$(EPOCH) tests/packaging/deb

.PHONY: image-test
image-test: all examples dist ## do what the Dockerfile says in chroots made by debootstrap
	@src/tools/deps build render deb
	@BUILD=$(BUILD) tests/packaging/image

.PHONY: arm64-test
arm64-test: all examples descriptions ## build for arm64 in a chroot made by debootstrap; under QEMU, reports are the same
	@src/tools/deps build render deb
	@BUILD=$(BUILD) tests/packaging/arm64

.PHONY: check-bare
check-bare: ## make check by a user of a chroot made by debootstrap, which lacks terminals
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/packaging/check $(if $(DEVELOPER),DEVELOPER=1) \
		$(foreach v,SUITES FULL SEEDS EVERY PART,$(if $(filter command line,$(origin $v)),$v='$($v)'))

.PHONY: readme-test
readme-test: all examples $(BUILD)/jr-generate ## run README.md's commands in chroots made by debootstrap, by root and by a user
	@BUILD=$(BUILD) tests/packaging/readme

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
		END { rest() }' Makefile
	@echo 'make help ALL=1 says what each is for.'
	@printf '%s\n' 'knobs: V=1 CC CFLAGS LDFLAGS BUILD=dir DEVELOPER=1 SANITIZE=address,undefined PREFIX DESTDIR' \
		'       across: CC_FOR_BUILD PKG_CONFIG EMULATOR'
