#!/bin/bash
# Build all fuzz targets as OSS-Fuzz calls a project's build.sh: with $SRC, $OUT, $WORK, $CC, $CXX,
# $CFLAGS, $CXXFLAGS and $LIB_FUZZING_ENGINE. The targets are those that make builds. Next to each in $OUT are
# its seeds, dictionary and options; $OUT/lib has the libraries that the machine which runs it does not have.
# usage: oss-fuzz.sh   BUILT=dir: jaxreport and jr-generate are built there, for the seeds
set -euo pipefail
cd "$(dirname "$0")/../.."
work=${WORK:-$SRC/work}
jobs=-j$(nproc)
if [ -z "${BUILT-}" ]; then
	BUILT=$work/plain
	make "$jobs" BUILD="$BUILT" CC="$CC" CFLAGS=-O1 all examples "$BUILT/jr-generate"
fi
make "$jobs" BUILD="$work/fuzz" CC="$CC" CFLAGS="$CFLAGS -DJR_FUZZING -DJR_CHECKED=1" \
	LDFLAGS="$CXXFLAGS" FUZZ_LD="$CXX" FUZZ_ENGINE="$LIB_FUZZING_ENGINE" fuzz-targets
tests/fuzz/seeds "$BUILT"

mkdir -p "$OUT/lib"
for program in "$work"/fuzz/fuzz_*; do
	name=${program##*/} target=${program##*/fuzz_}
	cp "$program" "$OUT/"
	cp tests/fuzz/libfuzzer.options "$OUT/$name.options"
	[ ! -e "tests/fuzz/$target.dict" ] || cp "tests/fuzz/$target.dict" "$OUT/$name.dict"
	# The same inputs give the same bytes: sorted, without times.
	python3 - "$OUT/${name}_seed_corpus.zip" "tests/fuzz/corpus/$target" "$BUILT/seeds/$target" <<-'END'
		import pathlib
		import sys
		import zipfile

		with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
		    for folder in map(pathlib.Path, sys.argv[2:]):
		        for path in sorted(folder.glob("*")):
		            z.writestr(zipfile.ZipInfo(folder.parent.name + "-" + path.name), path.read_bytes(),
		                       zipfile.ZIP_DEFLATED)
	END
	ldd "$program" | awk '$3 ~ /^\// { print $3 }'
done | sort -u | grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv)\.so' | xargs -r cp -t "$OUT/lib"
