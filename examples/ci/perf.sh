#!/bin/sh
# Render a profile, note it in the history, hold it against the one before, keep it. The steps that
# every CI system shares.
# usage: perf.sh PROFILE.zip STORE OUT
#   STORE  folder that outlives the job: base.json is the run to compare with, history.jsonl all runs
#   OUT    folder to upload: OUT/report, OUT/trend, and OUT/diff where there is a base
# GATES    gates of the comparison, separated by blanks; default step.median<+2%
# JAXREPORT_FLAGS    more options of the report, such as --strip-prefix=/workspace/
# UPDATE_BASE=1    this run goes into the history, and becomes the base if it passes: set it on the
#                  main branch only
# COMMIT, LABEL    what the history calls it; default no commit, and main
# Exit status: jaxreport's: 4 where a gate failed, 5 where one cannot be told.
set -eu
profile=$1 store=$2 out=$3
mkdir -p "$store" "$out"

# shellcheck disable=SC2086 # several options
jaxreport report "$profile" -o "$out/report" --force --quiet ${JAXREPORT_FLAGS:-} \
	--format html,md,text,json,csv,svg,summary,mail,metrics,benchmark,sarif

# A run that is too slow belongs into the history, too: so ahead of the gates.
if [ "${UPDATE_BASE:-0}" = 1 ]; then
	jaxreport history add "$store/history.jsonl" "$out/report/report.json" --quiet \
		--label "${LABEL:-main}" ${COMMIT:+--commit "$COMMIT"}
fi
if [ -e "$store/history.jsonl" ]; then
	jaxreport history show "$store/history.jsonl" --label "${LABEL:-main}" -o "$out/trend" --force \
		--quiet --format html,json,csv,svg,summary ||
		echo "perf.sh: no run of ${LABEL:-main} in the history" >&2
fi

if [ -e "$store/base.json" ]; then
	set -- "$store/base.json" "$out/report/report.json" -o "$out/diff" --force --quiet
	for gate in ${GATES:-step.median<+2%}; do
		set -- "$@" --gate "$gate"
	done
	jaxreport compare "$@" ${GITHUB_ACTIONS:+--github} --format html,json,summary,gates
fi

if [ "${UPDATE_BASE:-0}" = 1 ]; then
	cp "$out/report/report.json" "$store/base.json.new"
	mv "$store/base.json.new" "$store/base.json" # in one step: others may be reading it
fi
