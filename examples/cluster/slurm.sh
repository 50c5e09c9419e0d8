#!/bin/sh
#SBATCH --job-name=profile
#SBATCH --ntasks=4
#SBATCH --time=00:30:00
# All tasks of a job under srun, then one report; add --gpus-per-task and what else the job needs.
# usage: sbatch slurm.sh PROGRAM [ARGUMENT...]
# PROFILES  folder of profiles; default ./profiles
set -eu
# A job that is requeued has a folder per try.
folder=${PROFILES:-profiles}/$SLURM_JOB_ID${SLURM_RESTART_COUNT:+.$SLURM_RESTART_COUNT}
status=0
srun jaxreport record -o "$folder/rank%q{SLURM_PROCID}.zip" -- "$@" || status=$?
# Of many tasks a few tell most: record --if rank=0,8; the others run as they are.
(cd "$folder" && find . -maxdepth 1 -name 'rank*.zip' | sort -V >ranks.txt)
jaxreport "@$folder/ranks.txt" -o "$folder/report" || echo "no whole report of $folder" >&2
exit "$status"
