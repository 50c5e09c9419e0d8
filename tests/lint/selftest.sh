#!/bin/sh
# The checks find what they are for: a tree with one sin of each kind must not pass.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/src/base" "$dir/src/model" "$dir/render" "$dir/tests"
failed=0

# expect SCRIPT FILE LINE...: the script must speak up about FILE holding that text
expect() {
	script=$1 file=$2
	shift 2
	printf '%s\n' "$@" >"$dir/$file"
	if "tests/lint/$script" "$dir" >"$dir/out" 2>&1 || ! grep -q "^$file:" "$dir/out"; then
		echo "selftest: $script is blind to: $*"
		failed=1
	fi
	rm -f "$dir/$file"
}

expect layers.sh src/base/a.c '#include "model/profile.h"'
expect layers.sh src/model/a.c '#include "analysis/pass.h"'
expect layers.sh render/a.c '#include "model/profile.h"'
expect layers.sh render/plot.c '#include <cairo.h>'
expect layers.sh src/model/a.c '#include "../base/buf.h"'
expect words.py src/base/a.c 'void f(void) { strcpy(a, b); }'
expect words.py src/base/a.c 'void f(void) { jr_buf_printf(b, "%.2f", x); }'
expect words.py src/base/a.c 'void f(void) { printf(""); }'
expect words.py src/base/a.c 'static int counter;'
expect words.py src/base/a.c "/* TO""DO */"
expect words.py src/base/a.c 'typedef struct a b;'
expect words.py src/base/a.c 'void f(void) { exit(1); }'
# shellcheck disable=SC2016 # it is the sin
expect shellcheck.sh src/base/a.sh '#!/bin/sh' 'rm -rf "$1"/*' 'cd $2'

# ... and a tree without any does.
printf '/* strcpy( */ static const char *s = "%%d strcpy(x)";\n' >"$dir/src/base/a.c"
for script in layers.sh words.py; do
	if ! "tests/lint/$script" "$dir"; then
		echo "selftest: $script sees sins where there are none"
		failed=1
	fi
done
exit $failed
