#!/bin/bash
# All scripts, and the golden cases, which are scripts for bash.
# usage: shellcheck.sh [ROOT]
cd "${1:-.}" || exit 1
if ! command -v shellcheck >/dev/null; then
	echo "shellcheck: not installed (src/tools/deps static)"
	exit 1
fi
mapfile -t scripts < <(find .ci src tests examples -type f -not -path '*/node_modules/*' \
	-not -path '*/corpus/*' -exec awk '/^#!.*[\/ ](ba)?sh$/ { print FILENAME } { nextfile }' {} + \
	2>/dev/null | sort)
mapfile -t cases < <(find tests/golden/cases -name cmd 2>/dev/null | sort)
found=0
[ ${#scripts[@]} -eq 0 ] || shellcheck -x -f gcc "${scripts[@]}" || found=1
# Names in cases are ours, and a case shows what a user would write.
[ ${#cases[@]} -eq 0 ] || shellcheck -f gcc -s bash -e SC2010,SC2012,SC2016,SC2035,SC2086 "${cases[@]}" || found=1
exit $found
