#!/bin/sh
# The checks work: a tree with one violation of each kind must not pass.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/src/base" "$dir/src/model" "$dir/src/analysis" "$dir/render" "$dir/tests"
failed=0

# expect SCRIPT FILE LINE...: the script must report FILE with these lines
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

expect layers.sh src/base/a.c '#include "model/profile/profile.h"'
expect layers.sh src/model/a.c '#include "analysis/core/pass.h"'
expect layers.sh render/a.c '#include "model/profile/profile.h"'
expect layers.sh render/plot.c '#include <cairo.h>'
expect layers.sh src/model/a.c '#include "../base/buf.h"'
expect words.py src/base/a.c 'void f(void) { strcpy(a, b); }'
expect words.py src/base/a.c 'void f(void) { jr_buf_printf(b, "%.2f", x); }'
expect words.py src/base/a.c 'void f(void) { printf(""); }'
expect words.py src/base/a.c 'static int counter;'
expect english.py src/base/a.c 'const char s[] = "12 ms" " a step";'
expect words.py src/analysis/a.c 'const char s[] = "The GPU waits";'
expect english.py src/base/a.c '/* it hangs on the order */'
expect english.py src/base/a.md 'What cannot be told.'
expect english.py src/base/a.mk 'all: a.c ## build it in the mean'
tests/lint/english.py --selftest || failed=1
expect words.py src/base/a.c "/* TO""DO */"
if command -v clang-format >/dev/null; then
	expect format.sh src/base/a.c 'int f(int a) {return a;}'
else
	echo "selftest: SKIPPED format.sh (no clang-format)"
fi
expect words.py src/base/a.c 'typedef struct a b;'
expect words.py src/base/a.c 'void f(void) { exit(1); }'
printf '## 1. One\n\n### 1.1 Half\n' >"$dir/src/base/README.md"
expect citations.py src/base/a.c '/* see nothere.md */'
expect citations.py src/base/a.c '/* base/README.md, section 2 */'
expect citations.py src/base/a.c '/* base/README.md, sections 1 and' ' * 1.2 */'
expect citations.py src/base/a.c '/* of section 1 */'
expect citations.py src/base/a.c '/* of the SUR''VEY */'
expect citations.py src/base/a.c '/* kept in tests/unit */'
expect citations.py src/base/a.sh '#!/bin/sh' '# kept in tests/unit'
expect citations.py src/base/a.md 'of section 2'
expect citations.py src/base/a.md 'as [there](nothere.c)'
expect citations.py src/base/a.md 'as [there](README.md#2-two)'
mkdir -p "$dir/src/analysis/core"
expect flags.py src/analysis/a.c 'f("set --xla_gpu_unheard_of=1");'
expect flags.py src/analysis/a.c 'f("set NCCL_" "UNHEARD_OF=1");'
expect flags.py src/analysis/core/flags.def 'JR_FLAG(A, "xla_gpu_a", XLA, GPUS, "lately", "", NULL, "https://a.b")'
expect flags.py src/analysis/core/flags.def 'JR_FLAG(A, "xla_gpu_a", XLA, GPUS, "2024-01-01", "", NULL, "hearsay")'
expect flags.py src/analysis/core/flags.def 'JR_FLAG(A, "xla_gpu_a", ENVIRONMENT, GPUS, "?", "", NULL, "https://a.b")'
# calls FILE TEXT: its object is in the build of that tree
calls() {
	mkdir -p "$dir/${1%/*}" "$dir/build/obj/${1%/*}"
	echo "$2" >"$dir/$1"
	${CC:-cc} -c -o "$dir/build/obj/${1%.c}.o" "$dir/$1"
}
export BUILD="$dir/build"
calls src/model/one.c 'void a(void); void b(void); void b(void) { a(); }'
calls src/base/two.c 'void a(void); void b(void); void a(void) { b(); }'
expect rooms.py src/base/two.c 'void a(void); void b(void); void a(void) { b(); }'
calls src/base/three.c 'void e(void); void three(void); void e(void) { three(); }'
calls src/base/four.c 'void e(void); void three(void); void three(void) {}'
echo 'static inline void jr_e(void) { }' >"$dir/src/base/three.h"
expect rooms.py src/base/four.c 'void three(void) { jr_e(); }'
rm "$dir/src/base/three.h"
calls src/model/in/one.c 'void c(void); void d(void); void d(void) { c(); }'
calls src/model/out/one.c 'void c(void); void d(void); void c(void) { d(); }'
expect rooms.py src/model/out/one.c 'void c(void); void d(void); void c(void) { d(); }'
rm -rf "$dir/src/model" "$dir/build"
mkdir "$dir/src/model"
mkdir "$dir/src/many"
for i in $(seq 41); do : >"$dir/src/many/$i.c"; done
if tests/lint/rooms.py "$dir" >"$dir/out" 2>&1 || ! grep -q '^src/many:' "$dir/out"; then
	echo 'selftest: rooms.py is blind to a folder of 41 files'
	failed=1
fi
rm -rf "$dir/src/many"
mkdir -p "$dir/tests/golden/cases/one"
# shellcheck disable=SC2046 # one line each
expect rooms.py tests/golden/cases/one/stdout $(seq 151)
rm -rf "$dir/tests/golden"
mkdir -p "$dir/src/model/one"
: >"$dir/src/model/one/a.c"
# shellcheck disable=SC2016 # Markdown's
expect rooms.py src/README.md '| room | what |' '|---|---|' '| `model/two` | two |'
rm -rf "$dir/src/model/one"
unset BUILD

# Keys that nobody reads, or that are not symbols, and nothing to rename.
# shellcheck disable=SC1003 # the backslash of a macro
expect keys.py src/analysis/core/a.h '#define A(X, T) \' 'X(T, sum_ms)' 'JR_KEYS(JR_A, A);'
expect keys.py src/analysis/core/a.c 'struct jr_column_spec a[] = {' '};'
expect keys.py src/analysis/core/keys.h ''
keys=$dir/keys/src/analysis
mkdir -p "$keys/core" "$keys/findings"
# shellcheck disable=SC1003
printf '%s\n' '#define A(X, T) \' 'X(T, sum_ms)' '#define JR_KEYS(t, l) enum { l(X, t) }' '#define X(t, k) t##_##k' \
	'JR_KEYS(JR_A, A);' 'enum {' '	JR_AT_a,' '};' >"$keys/core/a.h"
echo 'JR_RULE(XLA, a, "a")' >"$keys/findings/findings.def"
printf '%s\n' '#include "analysis/core/a.h"' '#define JR_RULE(of, name, id) int jr_rule_##name(void);' \
	'#include "analysis/findings/findings.def"' 'int jr_rule_a(void)' '{ return JR_A_sum_ms + JR_AT_a; }' >"$keys/a.c"
if ! tests/lint/keys.py "$dir/keys" >"$dir/out"; then
	echo "selftest: keys.py sees sins where there are none" && cat "$dir/out"
	failed=1
fi
sed -i 's/JR_A_sum_ms/0 \/\* JR_A_sum_ms \*\//' "$keys/a.c"
if tests/lint/keys.py "$dir/keys" >"$dir/out" || ! grep -q 'a\.c:1: compiles although JR_A_sum_ms' "$dir/out"; then
	echo "selftest: keys.py is blind to a rename that builds"
	failed=1
fi
rm -rf "$dir/keys"
# shellcheck disable=SC2016 # it is the sin
expect shellcheck.sh src/base/a.sh '#!/bin/sh' 'rm -rf "$1"/*' 'cd $2'

# A tree without violations passes.
printf '/* strcpy( in README.md, sections 1 and\n * 1.1; RFC 1952 section 2.2 */ static const char *s = "%%d strcpy(x) section 7";\n' \
	>"$dir/src/base/a.c"
echo 'as [there](README.md#11-half), section 1 of base/a.c' >>"$dir/src/base/README.md"
echo 'JR_FLAG(A, "xla_gpu_a", XLA, GPUS, "2024-01-01", "", NULL, "https://a.b")' >"$dir/src/analysis/core/flags.def"
for script in layers.sh words.py english.py citations.py flags.py rooms.py; do
	if ! "tests/lint/$script" "$dir"; then
		echo "selftest: $script sees sins where there are none"
		failed=1
	fi
done
exit $failed
