#!/bin/sh
# Render a profile, hold it against the one before, keep it. The steps that every CI system shares.
# usage: perf.sh PROFILE.zip STORE OUT
#   STORE  folder that outlives the job: base.json is the run to compare with
#   OUT    folder to upload: OUT/report, and OUT/diff where there is a base
# GATES    gates of the comparison, separated by blanks; default step.median<+2%
# JAXREPORT_FLAGS    more options of the report, such as --strip-prefix=/workspace/
# UPDATE_BASE=1    this run becomes the base if it passes: set it on the main branch only
# Exit status: jaxreport's.
set -eu
profile=$1 store=$2 out=$3
mkdir -p "$store" "$out"

# shellcheck disable=SC2086 # several options
jaxreport report "$profile" -o "$out/report" --force --quiet ${JAXREPORT_FLAGS:-} \
	--format html,md,text,json,csv,svg,summary,mail,metrics,benchmark,sarif

if [ -e "$store/base.json" ] && jaxreport --help | grep -q '^ *compare '; then
	set -- "$store/base.json" "$out/report/report.json" -o "$out/diff" --force --quiet
	for gate in ${GATES:-step.median<+2%}; do
		set -- "$@" --gate "$gate"
	done
	jaxreport compare "$@" --format html,summary,gates
fi

if [ "${UPDATE_BASE:-0}" = 1 ]; then
	cp "$out/report/report.json" "$store/base.json.new"
	mv "$store/base.json.new" "$store/base.json" # in one step: others may be reading it
fi
