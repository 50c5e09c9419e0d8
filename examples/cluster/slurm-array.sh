#!/bin/sh
#SBATCH --job-name=profile
#SBATCH --array=0-3
#SBATCH --time=00:30:00
# A process of the job is a task of the array.
# usage: sbatch slurm-array.sh PROGRAM [ARGUMENT...]
# PROFILES  folder of profiles; default ./profiles
# CLUSTER_SCRIPTS  where record.sh is; default: where sbatch was called
set -eu
# Slurm runs a copy of this file from its spool.
exec "${CLUSTER_SCRIPTS:-$SLURM_SUBMIT_DIR}/record.sh" "$SLURM_ARRAY_TASK_ID" "$SLURM_ARRAY_TASK_COUNT" \
	"${PROFILES:-profiles}/$SLURM_ARRAY_JOB_ID${SLURM_RESTART_COUNT:+.$SLURM_RESTART_COUNT}" "$@"
