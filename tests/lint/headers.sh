#!/bin/sh
# Each header compiles alone: it includes what it needs.
list=$(find src render tests -name '*.h' -not -path '*/node_modules/*' | sort)
found=0
for header in $list; do
	# shellcheck disable=SC2086
	if ! printf '#include "%s"\ntypedef int jr_not_empty;\n' "$header" |
		${CC:-gcc} ${CPPFLAGS:--D_GNU_SOURCE -Isrc -I. -Ibuild/gen} -std=c17 -Wall -Wextra \
		-Wpedantic -Wundef -Wstrict-prototypes -Werror -Wno-unused-function -fsyntax-only -x c -; then
		echo "$header: does not compile alone"
		found=1
	fi
done
exit $found
