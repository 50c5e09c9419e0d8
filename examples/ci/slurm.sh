#!/bin/sh
#SBATCH --job-name=perf
#SBATCH --nodes=1
#SBATCH --gpus-per-node=8
#SBATCH --time=00:30:00
# Profile a training run on a cluster, compare it with the last one, and mail the report.
# usage: sbatch slurm.sh COMMAND [ARGUMENT...]
# STORE    folder that outlives the job; default ~/perf
# MAIL_TO, MAIL_FROM    whom to send the report; without MAIL_TO nothing is sent
set -eu
# Slurm runs a copy of this file from its spool: perf.sh is looked for where sbatch was called.
here=${CI_SCRIPTS:-${SLURM_SUBMIT_DIR:-$(dirname "$0")}}
store=${STORE:-$HOME/perf}
run=$store/${SLURM_JOB_ID:-$$}
mkdir -p "$run"

jaxreport record -o "$run/profile.zip" -- "$@"

if [ -n "${MAIL_TO:-}" ]; then
	export JAXREPORT_FLAGS="${JAXREPORT_FLAGS:-} --mail-to=$MAIL_TO --mail-from=${MAIL_FROM:-$MAIL_TO}"
fi
status=0
COMMIT=${COMMIT:-$(git rev-parse HEAD 2>/dev/null || true)}
export COMMIT
UPDATE_BASE=${UPDATE_BASE:-1} "$here/perf.sh" "$run/profile.zip" "$store" "$run" || status=$?
if [ -n "${MAIL_TO:-}" ] && [ -e "$run/report/mail.eml" ]; then
	sendmail -t <"$run/report/mail.eml"
fi
exit $status
