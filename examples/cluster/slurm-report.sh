#!/bin/sh
# A report of many ranks without reading them on one machine: a job array makes a digest of each archive, and a
# job that depends on it reports. Run it, do not submit it.
# usage: slurm-report.sh FOLDER RANKS [SBATCH_OPTION...]
# FOLDER   has rank0.zip, rank1.zip... where the tasks see them; it gets digests/ and report/
# TASKS    of the array; each makes the digests of every TASKS-th rank; default: one per rank, at most 64
# TRIES    how often the ranks without a digest are tried before the report lacks them; default 3
# CLUSTER_SCRIPTS  where this file is; default: where it is called from
set -eu
[ $# -ge 2 ] || {
	echo "usage: slurm-report.sh FOLDER RANKS [SBATCH_OPTION...]" >&2
	exit 2
}

submit() { # FOLDER RANKS TRIES_LEFT SBATCH_OPTION...
	folder=$1 ranks=$2 tries=$3
	shift 3
	tasks=${TASKS:-64}
	[ "$tasks" -le "$ranks" ] || tasks=$ranks
	# Ranks that were digested before are left out, so a new try costs what is missing.
	array=$(sbatch --parsable "$@" --job-name=digest --array="0-$((tasks - 1))" -o "$folder/digests/task%a.log" \
		"$SCRIPT" --digest "$folder" "$ranks" "$tasks")
	sbatch --parsable "$@" --job-name=report --dependency="afterany:${array%%;*}" -o "$folder/digests/report.log" \
		"$SCRIPT" --report "$folder" "$ranks" "$tries" "$@"
}

missing() { # print the ranks that have an archive and no digest
	rank=0
	while [ "$rank" -lt "$ranks" ]; do
		[ ! -e "$folder/rank$rank.zip" ] || [ -e "$folder/digests/rank$rank.jrd" ] || echo "$rank"
		rank=$((rank + 1))
	done
}

case $1 in
--digest) # FOLDER RANKS TASKS: a task of the array
	folder=$2 ranks=$3
	status=0
	for rank in $(missing); do
		[ $((rank % $4)) = "$SLURM_ARRAY_TASK_ID" ] || continue
		jaxreport digest "$folder/rank$rank.zip" -q -f -o "$folder/digests/rank$rank.jrd" || status=$?
	done
	exit $status
	;;
--report) # FOLDER RANKS TRIES_LEFT SBATCH_OPTION...: when all tasks have ended, however they did
	folder=$2 ranks=$3 tries=$(($4 - 1))
	shift 4
	if [ $tries -gt 0 ] && [ -n "$(missing)" ]; then
		submit "$folder" "$ranks" $tries "$@"
		exit
	fi
	# All ranks are listed: the report says which of them do not exist.
	seq -f 'rank%.0f.jrd' 0 $((ranks - 1)) >"$folder/digests/ranks.txt"
	exec jaxreport "@$folder/digests/ranks.txt" -f -o "$folder/report"
	;;
esac

folder=$(cd "$1" && pwd) ranks=$2
shift 2
# Slurm runs a copy of this file from its spool.
SCRIPT=${CLUSTER_SCRIPTS:-$(cd "$(dirname "$0")" && pwd)}/slurm-report.sh
export SCRIPT
mkdir -p "$folder/digests"
submit "$folder" "$ranks" "${TRIES:-3}" "$@"
