# shellcheck shell=bash disable=SC2034,SC2154 # for those who source it, which set root, build and work
# A generated job of four processes to be recorded again, in $work: job-procN.sqlite as exports, own-procN
# unchanged; bin/nsys, a stand-in that returns the export of its rank, and bin/train, which dumps HLO as XLA
# does, and exits with 3 as rank $1. Prepends bin to PATH.
job='transformer_fsdp4 --processes 4 --devices 1 --steps 4'
cd "$work" || exit 1
# shellcheck disable=SC2086
"$build/jr-generate" $job --format sqlite -o job && "$build/jr-generate" $job --directory -o own || exit 1
mkdir bin
ln -s "$build/jaxreport" bin/jaxreport
# The rank as the launcher sets it, inner launchers first.
rank='${RECORDED_RANK:-${SLURM_PROCID:-$JAX_PROCESS_ID}}'
cat >bin/nsys <<END
#!/bin/sh
STUB_SQLITE=$work/job-proc$rank.sqlite exec "$root/tests/recording/nsys" "\$@"
END
cat >bin/train <<END
#!/bin/sh
RANK=$rank exec "$work/bin/dump" "\$@"
END
cat >bin/dump <<'END'
#!/usr/bin/env python3
import lzma, os, re, sys
to = re.search(r"--xla_dump_to=(\S+)", os.environ["XLA_FLAGS"]).group(1)
own = f"{os.path.dirname(os.path.dirname(sys.argv[0]))}/own-proc{os.environ['RANK']}/dump"
os.makedirs(to, exist_ok=True)
for name in os.listdir(own):
    with lzma.open(f"{own}/{name}") as f, open(f"{to}/{name.removesuffix('.xz')}", "wb") as out:
        out.write(f.read())
sys.exit(3 if os.environ["RANK"] in sys.argv[1:] else 0)
END
chmod +x bin/nsys bin/train bin/dump
export PATH=$work/bin:$PATH
passed=0 failed=0
ok() {
	local name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $name: $* ($(tail -c 300 err))"
	fi
}
# Devices of a report, and its numbers.
figures() {
	python3 - "$1" <<'END'
import json, sys
report = json.load(open(sys.argv[1] + "/report.json"))
print(len(report["devices"]), json.dumps([report[k] for k in ("modules", "thunks", "collectives", "steps")
                                          if k in report]))
END
}
"$build/jaxreport" own-proc? -q -o own --format json >/dev/null || exit 1
# Each way of recording four processes leaves in a folder: four archives, and one report that equals that of
# the job itself.
whole() {
	ok "$1: four archives" [ "$(cd "$2" && echo rank*.zip)" = 'rank0.zip rank1.zip rank2.zip rank3.zip' ]
	ok "$1: of four devices" [ "$(figures "$2/report" | cut -d' ' -f1)" = 4 ]
	ok "$1: as of the job's own archives" [ "$(figures "$2/report")" = "$(figures own)" ]
}
