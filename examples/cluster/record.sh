#!/bin/sh
# One process of a job: record it. The one that ends last makes the report of all: nobody waits.
# usage: record.sh RANK RANKS FOLDER PROGRAM [ARGUMENT...]
# FOLDER  on a disk that all processes see; of one job alone
# Leaves FOLDER/rankN.zip, and FOLDER/report; the status is the program's.
set -eu
RECORDED_RANK=$1 ranks=$2 folder=$3
shift 3
export RECORDED_RANK
mkdir -p "$folder"
status=0
jaxreport record -o "$folder/rank%q{RECORDED_RANK}.zip" -- "$@" || status=$?

# Told under another name and then renamed, so that nobody counts a half.
echo "$status" >"$folder/rank$RECORDED_RANK.ending"
mv "$folder/rank$RECORDED_RANK.ending" "$folder/rank$RECORDED_RANK.ended"
ended=$(find "$folder" -maxdepth 1 -name 'rank*.ended' | wc -l)
# Two may end at once: a folder is made by one of them.
if [ "$ended" -ge "$ranks" ] && mkdir "$folder/last" 2>/dev/null; then
	# Of a process that was tried again, what its last try has left.
	(cd "$folder" && find . -maxdepth 1 -name 'rank*.zip' -printf '%T@ %f\n' | sort -n |
		awk '{ split($2, part, "."); last[part[1]] = $2 } END { for (rank in last) print last[rank] }' |
		sort -V >ranks.txt)
	jaxreport "@$folder/ranks.txt" -f -o "$folder/report" >&2 || echo "no whole report of $folder" >&2
fi
exit "$status"
