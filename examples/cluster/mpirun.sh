#!/bin/sh
# All processes of a job under Open MPI's mpirun; its options go in MPIRUN_FLAGS.
# usage: mpirun.sh PROCESSES FOLDER PROGRAM [ARGUMENT...]
set -eu
processes=$1 folder=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
export here folder
# shellcheck disable=SC2086,SC2016 # options are words; each process has variables of its own
exec mpirun ${MPIRUN_FLAGS:-} -n "$processes" sh -c \
	'exec "$here/record.sh" "$OMPI_COMM_WORLD_RANK" "$OMPI_COMM_WORLD_SIZE" "$folder" "$@"' - "$@"
