#!/bin/sh
# Render a profile, note it in the history, hold it against the one before, keep it. The steps that
# every CI system shares.
# usage: perf.sh PROFILE.zip STORE OUT
#   STORE  folder that outlives the job: base/ is the run to compare with, history.jsonl all runs
#   OUT    folder to upload: OUT/report, OUT/trend, and OUT/diff where there is a base
# GATES    gates of the comparison, separated by blanks; default step.median<+2%
# JAXREPORT_FLAGS    more options of the report, such as --strip-prefix=/workspace/
# UPDATE_BASE=1    this run goes into the history, and becomes the base if it passes: set it on the
#                  main branch only; force: whatever the gates say, which accepts a slower run,
#                  other GPUs, another model
# COMMIT, LABEL    what the history calls it; default no commit, and main
# Exit status: jaxreport's: 4 where a gate failed, 5 where one cannot be decided.
set -eu
profile=$1 store=$2 out=$3
mkdir -p "$store" "$out"
exec 9>>"$store/lock" # jobs that share the store take turns
if command -v flock >/dev/null; then flock 9 || :; fi # not every file system can

# shellcheck disable=SC2086 # several options
jaxreport report "$profile" -o "$out/report" --force --quiet ${JAXREPORT_FLAGS:-} \
	--format html,md,text,json,csv,svg,summary,mail,metrics,benchmark,sarif

# A run that is too slow belongs into the history, too: so ahead of the gates.
if [ "${UPDATE_BASE:-0}" != 0 ]; then
	jaxreport history add "$store/history.jsonl" "$out/report/report.json" --quiet \
		--label "${LABEL:-main}" ${COMMIT:+--commit "$COMMIT"}
fi
if [ -e "$store/history.jsonl" ]; then
	jaxreport history show "$store/history.jsonl" --label "${LABEL:-main}" -o "$out/trend" --force \
		--quiet --format html,json,csv,svg,summary ||
		echo "perf.sh: no run of ${LABEL:-main} in the history" >&2
fi

status=0
if [ -e "$store/base/report.json" ]; then
	set -- "$store/base/report.json" "$out/report/report.json" -o "$out/diff" --force --quiet
	for gate in ${GATES:-step.median<+2%}; do
		set -- "$@" --gate "$gate"
	done
	jaxreport compare "$@" ${GITHUB_ACTIONS:+--github} --format html,json,csv,summary,gates ||
		status=$?
fi

case ${UPDATE_BASE:-0}-$status in
1-0 | force-[045])
	status=0
	rm -rf "$store/base.new" "$store/base.old"
	mkdir -p "$store/base.new/data"
	cp "$out/report/report.json" "$store/base.new"
	for stacks in "$out"/report/data/*.folded; do # for the flamegraph of what changed
		if [ -e "$stacks" ]; then cp "$stacks" "$store/base.new/data"; fi
	done
	if [ -e "$store/base" ]; then mv "$store/base" "$store/base.old"; fi
	mv "$store/base.new" "$store/base"
	rm -rf "$store/base.old"
	;;
esac
exit "$status"
