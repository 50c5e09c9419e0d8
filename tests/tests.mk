# tests.mk - suites, each a target that ends with "NAME: N passed, N failed". README.md in this folder gives the
# question that each answers.

UNIT_SRCS := $(sort $(wildcard tests/unit/test_*.c))
UNIT_BINS := $(UNIT_SRCS:tests/unit/%.c=$(BUILD)/unit/%)
# The driver of damaged inputs, with the same libraries.
MUTATE_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/mutate/*.c)))
FUZZ_SRCS := $(filter-out %_planted.c,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

# --- tests -----------------------------------------------------------------------------------

# EVERY=n: of checks that repeat one thing with other jobs, names, schemas or calls, run each n-th, from PART on.
# `check` runs every third, CI another part with each commit. FULL=1: more seeds, and simulations with judged rates.
EVERY ?=
PART  ?=
export EVERY PART FULL
FULL ?=

# One program has all test files and runs one, by the name that it is called by, because linking takes as long as a test.
# PLAIN=dir: a build whose objects of tests and of the generator are taken, because only the program is measured.
PLAIN ?= $(BUILD)
GENERATED := $(if $(GENERATOR),$(patsubst %/,%,$(dir $(GENERATOR))),$(PLAIN))/obj
UNIT_OBJS  := $(UNIT_SRCS:%.c=$(PLAIN)/obj/%.o) $(addprefix $(PLAIN)/obj/tests/unit/,all.o compressors.o) \
	$(patsubst %.c,$(GENERATED)/%.o,$(filter-out %/main.c,$(GENERATOR_SRCS))) $(GENERATED)/gen/generator_sources.o
# Without optimization the tests are compiled in a quarter of the time, and take as long. Private, because the flags
# of prerequisites do not change.
$(BUILD)/obj/tests/unit/%.o: private ALL_CFLAGS += -O0

$(BUILD)/unit/all: $(UNIT_OBJS) $(LIB) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(PKG_LIBS) -lcmocka

$(UNIT_BINS): $(BUILD)/unit/all
	@ln -sf all $@

.PHONY: unit
unit: $(UNIT_BINS) ## build and run the unit tests
	@$(if $(FULL),,JR_FEW_SEEDS=1) tests/run-unit $(BUILD) \
		$(filter-out $(if $(QUICK),$(SLOW_UNITS:%=$(BUILD)/unit/test_%)),$(UNIT_BINS))

# Simulations with judged rates: the only units that FULL=1 changes.
.PHONY: unit-seeds
unit-seeds: $(UNIT_BINS)
	@$(if $(FULL),,JR_FEW_SEEDS=1) tests/run-unit $(BUILD) \
		$(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(shell grep -l step_noise.h $(UNIT_SRCS)))

# A fuzz target is checked twice: by libFuzzer (make fuzz) and, over the inputs kept in
# tests/fuzz/corpus/T, by a plain main() (make replay).
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
# OSS-Fuzz passes its own compiler, flags and engine in these variables (tests/fuzz/oss-fuzz.sh).
FUZZ_FLAGS  := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
FUZZ_ENGINE ?= -fsanitize=fuzzer
FUZZ_LD     ?= $(CC)
# Targets of this test run over a few inputs for one second, and repro makes one program of the same objects;
# compiling dominates.
oss-fuzz-test repro: FUZZ_FLAGS := -O0 -gline-tables-only -fsanitize=fuzzer-no-link,address -fno-sanitize-recover=all
FUZZ_DEFINES := -DJR_FUZZING -DJR_CHECKED=1
# The flags are those of oss-fuzz.sh, folder included, so that the objects of one serve the other.
FUZZ_BUILD   = $(MAKE) BUILD=$(abspath $(BUILD))/fuzz CC=clang CFLAGS='$(FUZZ_FLAGS) $(FUZZ_DEFINES)' \
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

# Without the two targets that write pages, because their libraries are not instrumented
# (tests/fuzz/README.md). They run for two seconds; compiling dominates, hence -O0.
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

# Libraries and their dependencies (hence no new tags) are next to a target that runs elsewhere.
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

# Kinds of text for each field; empty: all. FIELD_EVERY: like EVERY.
FIELD_KINDS ?=
FIELD_EVERY ?= $(if $(FULL),1,$(if $(EVERY),6,3))
.PHONY: hostile
hostile: all examples $(BUILD)/jr-generate ## inputs made to do harm: bombs, names, devices, loops, each limit, each text
	@BUILD=$(BUILD) tests/hostile/run
	@BUILD=$(BUILD) tests/hostile/partly
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
repro: all examples $(BUILD)/jr-generate ## the same input must give the same bytes, whatever is around it; clang's build under ASan, too
	@src/tools/deps build render test repro
	+@$(FUZZ_BUILD) --no-print-directory all
	@BUILD=$(BUILD) tests/repro/run $(BUILD)/fuzz/jaxreport

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
sentences: all $(BUILD)/jr-generate ## all texts that people read, in one list; fails where a rule has no sample
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/sentences

.PHONY: forms
forms: all $(BUILD)/jr-generate ## one job in every form of archive must give one report
	@BUILD=$(BUILD) tests/forms

.PHONY: plan
plan: all $(BUILD)/jr-generate ## a report of XLA's dumps alone against that of a profile of the same programs
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/plan

.PHONY: live-memory
live-memory: all $(BUILD)/jr-generate ## device memory profiles against planted objects, compared, cut and damaged
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/live-memory

.PHONY: pdf
pdf: all $(BUILD)/jr-generate ## report.pdf, read by poppler: text, fonts, places, sheets, equal bytes
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/pdf

.PHONY: timelines
timelines: all $(BUILD)/jr-generate ## the slices of trace.pftrace, trace.json and speedscope's file, against the tables
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/timelines

.PHONY: exports
exports: all $(BUILD)/jr-generate ## Nsight exports against archives of the same job, and against SQL
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/exports

.PHONY: select
select: all $(BUILD)/jr-generate ## parts of profiles (--devices, --steps, --time, --program) must add up to the whole
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/select

.PHONY: digest
digest: all $(BUILD)/jr-generate ## reports of digests must equal those of their inputs; bad digests get one line
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/digest/run

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
record-slurm: all $(BUILD)/jr-generate ## ranks under a real Slurm of this machine: archives, digests, one report
	@BUILD=$(BUILD) tests/recording/slurm
	@BUILD=$(BUILD) tests/recording/slurm-report

.PHONY: reference
reference: all $(BUILD)/jr-generate ## rows of NVIDIA's own loader against ours, of generated archives and of record's
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/recording/reference

.PHONY: comparisons
comparisons: all $(BUILD)/jr-generate ## a run against itself, a slow thunk, real profiles
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/compare

.PHONY: verdicts
verdicts: all $(BUILD)/jr-generate ## jobs that become slower for one known reason: comparisons and histories must find it
	@BUILD=$(BUILD) tests/verdicts

.PHONY: latency
latency: all $(BUILD)/jr-generate ## a server of known latency: percentiles, queueing, gates, a slower tail
	@BUILD=$(BUILD) tests/latency

.PHONY: same
same: all $(BUILD)/jr-generate ## OLD=another jaxreport: the same bytes in each format, for a change that changes none
	@BUILD=$(BUILD) OLD='$(OLD)' tests/same

.PHONY: names
names: all $(BUILD)/jr-generate ## what all outputs of a job call by one name is one number
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/names

.PHONY: documents
documents: all $(BUILD)/jr-generate ## headings, names, units and ids in the documents of all samples
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/documents

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
oracle: all ## hold the reports of the sample archives against the reference's numbers
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/oracle

.PHONY: installed
installed: all descriptions ## what make install puts in place: files, man page, completions
	+@BUILD=$(BUILD) tests/packaging/install

.PHONY: newcomer
newcomer: all examples $(BUILD)/jr-generate ## what make says, and asks for, when somebody builds for the first time
	@BUILD=$(BUILD) CC='$(CC)' tests/packaging/newcomer

.PHONY: docs
docs: all examples $(BUILD)/jr-generate ## run the commands of README.md and the guide, and do what src/README.md says of adding things
	@BUILD=$(BUILD) tests/docs

.PHONY: lint
# RULES=1: only the rules, as in check; ANALYSIS=1: only what analyzes code.
lint: $(LIB) $(CLI_OBJS) ## layers, headers alone, banned functions, file length, cppcheck, shellcheck, clang-tidy
	@src/tools/deps build test $(if $(QUICK)$(RULES),,static)
	@BUILD=$(BUILD) CC='$(CC)' CPPFLAGS='$(ALL_CPPFLAGS)' tests/lint/run
	@$(if $(QUICK)$(RULES),,$(MAKE) --no-print-directory -k -s $(SIDE_BY_SIDE) tidy)

# Static analysis of one file at a time: a clean result is kept until the file, one of its headers (both
# through its object) or the rules change.
# The shim that makes calls fail is not a program of ours: it uses names of the C library. gcc has no
# MemorySanitizer.
ANALYZED := $(LIB_SRCS) $(CLI_SRCS) \
	$(filter-out tests/fault/% tests/fuzz/msan_%,$(sort $(wildcard src/tools/*.c tests/*/*.c)))

$(BUILD)/tidy/%.ok: $(BUILD)/obj/%.o .clang-tidy
	@mkdir -p $(@D)
	$(call short,TIDY,$*.c)clang-tidy --quiet $*.c -- $(ALL_CPPFLAGS) $(CHECKED) -std=c17 -Wreserved-identifier 2>/dev/null
	@touch $@

.PHONY: format
format: ## lay out src and render by .clang-format
	@src/tools/deps static
	@clang-format -i $$(git ls-files -- 'src/*.[ch]' 'render/*.[ch]')

# TIDY_EVERY=n: each n-th file, from PART on. With 2, as in CI, these are the files that `scan EVERY=2` leaves out.
TIDY_EVERY ?= 1
TIDIED = $(shell printf '%s\n' $(ANALYZED) | awk '(NR + $(or $(PART),0) + 1) % $(TIDY_EVERY) == 0')
.PHONY: tidy
tidy: $(TIDIED:%.c=$(BUILD)/tidy/%.ok) ## clang-tidy, by the rules of .clang-tidy
	@$(if $(filter 1,$(TIDY_EVERY)),,echo 'tidy: $(words $^) of $(words $(ANALYZED)) files, SKIPPED the others: TIDY_EVERY=$(TIDY_EVERY)')
	@echo "tidy: $(words $^) passed, 0 failed"

# The analyzer that scan-build runs, and clang's warnings. SCAN_NODES limits how far the analyzer
# follows each function: 50000 instead of its 225000 takes a quarter of the time.
# SCAN_WARNED=1: clang has compiled the tree with -Werror, as in CI, so only the analyzer runs.
# EVERY=n: each n-th file, from PART on.
SCAN_NODES ?=
SCAN_WARNED ?=
SCANNED = $(shell printf '%s\n' $(LIB_SRCS) $(CLI_SRCS) | \
	awk '(NR + $(or $(PART),0)) % $(or $(EVERY),1) == 0')
$(BUILD)/scan/%.ok: $(BUILD)/obj/%.o
	@mkdir -p $(@D)
	$(call short,SCAN,$*.c)\
		$(if $(SCAN_WARNED),,clang $(ALL_CPPFLAGS) $(CHECKED) -std=c17 $(filter-out -Werror,$(WARNINGS)) -Werror -fsyntax-only $*.c &&) \
		clang --analyze --analyzer-output text $(SCAN_NODES:%=-Xclang -analyzer-config -Xclang max-nodes=%) \
			$(ALL_CPPFLAGS) $(CHECKED) -std=c17 -o /dev/null $*.c 2>$@.found
	@tests/lint/scan-known $@.found
	@touch $@

# A check after each change: the fast linters, units and goldens, and clang-tidy on the files that git reports
# as changed.
SLOW_UNITS := statistics cost_hostile report passes_archives zip_writer num gaps cost_archives plot
QUICK_CASES := help export compare-text summary-md report-text-mnist report-text-transformer
CHANGED = $(filter $(ANALYZED),$(shell git diff --name-only HEAD 2>/dev/null))
.PHONY: quick tidy-changed
quick: ## what is fast of lint, unit and golden, after each change: within 20 s
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) all examples $(BUILD)/describe $(BUILD)/unit/all
	+@QUICK=1 MAKE='$(MAKE)' tests/suites $@ lint unit golden tidy-changed
tidy-changed: $(CHANGED:%.c=$(BUILD)/tidy/%.ok)
	@echo "tidy: $(words $^) passed, 0 failed"

.PHONY: scan
scan: $(SCANNED:%.c=$(BUILD)/scan/%.ok) ## clang: -Werror, and its analyzer
	@$(if $(EVERY),echo 'scan: $(words $^) of $(words $(LIB_SRCS) $(CLI_SRCS)) files (SKIPPED the others: EVERY=$(EVERY))')
	@echo "scan: $(words $^) passed, 0 failed"

.PHONY: valgrind
valgrind: $(UNIT_BINS) ## the unit tests under memcheck: no bad access, nothing lost
	@src/tools/deps static
	@tests/valgrind $(UNIT_BINS)

# `make check` reports whether they pass. Some cannot pass here, because counts cannot be written without
# rights or in the sandbox.
COVERING ?= unit golden truth forms exports replay
.PHONY: coverage
COVERED = BUILD=$(BUILD)/coverage PLAIN=$(BUILD) GENERATOR=$(BUILD)/jr-generate DEVELOPER= \
	CFLAGS='-O0 --coverage' LDFLAGS=--coverage
coverage: examples $(BUILD)/jr-generate $(BUILD)/unit/all ## lines of src and render that tests run; fails below 85 %
	$(MAKE) $(COVERED) all
	find $(BUILD)/coverage -name '*.gcda' -delete
	-$(MAKE) -k $(COVERED) $(COVERING) >$(BUILD)/coverage/tests.log 2>&1
	tests/coverage $(BUILD)/coverage

$(BUILD)/walk-xspace: $(BUILD)/obj/tests/bench/walk_xspace.o $(LIB) $(BUILD)/flags
	$(call short,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(PKG_LIBS)

.PHONY: growth
growth: all ## time and memory must grow with an input, not with its square, in each shape of input
	@BUILD=$(BUILD) tests/growth

.PHONY: bench
bench: all examples $(BUILD)/jr-generate $(BUILD)/walk-xspace ## time and memory against xz -dc, as ratios of one run
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/bench/all "$(RANKS)" "$(ARCHIVE_ROWS)" "$(EXPORT_ROWS)" "$(TRACE_ROWS)"

# The suites of `check`, the longest first, so that none of them starts last. Each is a target above that
# prints "NAME: N passed, N failed". check, its last line and CI's table use only this list.
SUITES := fault golden unit hostile verdicts truth what-if causes lint names sizes integrity exports record \
	select digest record-signals comparisons first-screens documents history forms plan live-memory timelines pdf latency \
	mutate replay sandbox recording ci-examples cluster-examples installed newcomer page-unit

.PHONY: check
# Most suites keep one processor busy, so they run concurrently. Everything that they need is built
# before: some call make, and two makes that build one file at a time would conflict.
check: test-deps ## all tests that need no second machine: the one to run before a commit
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) check-built
	+@MAKE='$(MAKE)' RULES=1 EVERY=$(or $(EVERY),3) tests/suites $@ $(SUITES)

.PHONY: check-built
check-built: all examples $(addprefix $(BUILD)/,jr-generate jr-mutate describe fault.so fault-calls.so attempt.so) \
	$(UNIT_BINS) $(REPLAY_BINS)

# The suites of `check` are sampled under sanitizers, which judge memory, not numbers. Test files that do not run are
# not compiled either.
ASAN_SEEDS ?= 25
ASAN_EVERY ?= 6
ASAN_GOLDEN_EVERY ?= 1
ASAN_UNIT_EVERY ?= 1
ASAN_KINDS ?= script utf8
ASAN_FIELD_EVERY ?= 3
ASAN_UNITS = $(shell printf '%s\n' $(UNIT_SRCS) | awk '(NR + $(or $(PART),0)) % $(ASAN_UNIT_EVERY) == 0')
.PHONY: asan
# Without -Werror: the sanitizers' code causes false warnings of gcc.
asan: test-deps $(BUILD)/jr-generate ## units, goldens, corpora, samples, damaged and hostile inputs under ASan and UBSan
	@$(if $(filter 1,$(ASAN_UNIT_EVERY)),,echo 'asan: $(words $(ASAN_UNITS)) of $(words $(UNIT_SRCS)) unit test files, \
		SKIPPED the others: ASAN_UNIT_EVERY=$(ASAN_UNIT_EVERY)')
	@ASAN_OPTIONS=exitcode=99:detect_leaks=1:allocator_may_return_null=1 LSAN_OPTIONS=print_suppressions=0 \
		UBSAN_OPTIONS=print_stacktrace=1:exitcode=99 \
		$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SANITIZE=address,undefined DEVELOPER= \
		GENERATOR=$(BUILD)/jr-generate CFLAGS='-O1 -g1' SEEDS=$(ASAN_SEEDS) EVERY=$(ASAN_EVERY) \
		GOLDEN_EVERY=$(ASAN_GOLDEN_EVERY) \
		UNIT_SRCS='$(ASAN_UNITS)' FIELD_KINDS='$(ASAN_KINDS)' FIELD_EVERY=$(ASAN_FIELD_EVERY) \
		asan-built asan-suites

# Suites that judge numbers take turns: ASAN_TURNS=n runs each n-th, from PART on.
ASAN_TURNS ?= 1
ASAN_NUMBERS := exports record truth comparisons history oracle forms
ASAN_TURN = $(shell printf '%s\n' $(ASAN_NUMBERS) | awk '(NR + $(or $(PART),0)) % $(ASAN_TURNS) == 0')
ASAN_SUITES = hostile $(ASAN_TURN) golden fault-calls unit mutate mutate-real replay
# Looking for leaks takes half of a run that draws figures (0.37 instead of 0.17 s). These suites run the same
# code with many inputs; the others look for leaks, also where calls fail and inputs are damaged.
ifneq ($(findstring address,$(SANITIZE)),)
hostile $(ASAN_NUMBERS): export ASAN_OPTIONS := $(ASAN_OPTIONS):detect_leaks=0
# A suite's own samples move on with its turns.
$(ASAN_NUMBERS): export PART := $(shell expr $(or $(PART),0) / $(ASAN_TURNS))
endif
.PHONY: asan-built asan-suites
asan-built: all examples $(addprefix $(BUILD)/,jr-generate jr-mutate describe fault-calls.so) $(UNIT_BINS) \
	$(REPLAY_BINS)
asan-suites: asan-built
	@$(if $(filter 1,$(ASAN_TURNS)),,echo 'asan: SKIPPED $(filter-out $(ASAN_TURN),$(ASAN_NUMBERS)): ASAN_TURNS=$(ASAN_TURNS)')
	+@MAKE='$(MAKE)' tests/suites asan $(ASAN_SUITES)

# Units that start threads; the others use one.
THREADED := task load source_text nsys_export report figure trend
THREADED_UNITS = $(shell grep -lE $(THREADED:%=-e '/%\.h"') -e export_case tests/unit/*.c)

.PHONY: tsan
tsan: test-deps $(BUILD)/jr-generate ## units that start threads, forms and commands with eight under ThreadSanitizer
	@TSAN_OPTIONS=exitcode=66:allocator_may_return_null=1:suppressions=$(CURDIR)/tests/tsan.supp \
		$(MAKE) --no-print-directory BUILD=$(BUILD)/tsan SANITIZE=thread DEVELOPER= \
		GENERATOR=$(BUILD)/jr-generate CFLAGS='-O1 -g1' UNIT_SRCS='$(THREADED_UNITS)' unit forms threads

.PHONY: browser
browser: all $(BUILD)/jr-generate ## open a report in headless Chromium
	@src/tools/deps build render test browser
	@BUILD=$(BUILD) SHARED=$(SHARED) tests/browser/run

.PHONY: page-unit
page-unit: ## unit tests of the page's scripts in node, without a browser; part of browser
	@tests/browser/unit/run

.PHONY: test-deps
test-deps: ## install what is missing of the packages that tests take; make lint takes more
	@src/tools/deps build render test
