#!/bin/sh
# Static analysis with zero findings; cppcheck.supp gives exceptions and their reasons. Tests are checked only
# with FULL=1, because they take as long as all other files.
if ! command -v cppcheck >/dev/null; then
	echo "cppcheck: not installed (make test-deps)"
	exit 1
fi
# shellcheck disable=SC2086 # folders
out=$(find src render ${FULL:+tests} -name '*.c' -not -path '*/node_modules/*' | sort | xargs cppcheck -q -j 2 \
	--std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	--suppressions-list=tests/lint/cppcheck.supp --template='{file}:{line}: {message} [{id}]' \
	-D_GNU_SOURCE -DPROTOBUF_C_VERSION_NUMBER=1004001 -Isrc -I. -I"${BUILD:-build}/gen" 2>&1)
status=$?
[ -z "$out" ] || echo "$out"
exit $status
