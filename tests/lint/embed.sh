#!/bin/sh
# The parts of style sheets and scripts that embedding leaves out, and the ones it rejects.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
cc=${CC:-cc}
$cc -std=c17 -D_GNU_SOURCE -o "$dir/embed" src/tools/embed.c || exit 1
cat >"$dir/main.c" <<'END'
#include <stdio.h>
#include "assets.h"
int main(void)
{
	fwrite(jr_assets[0].data, 1, jr_assets[0].size, stdout);
	return jr_assets[0].data[jr_assets[0].size] != 0;
}
END

# embedded NAME: $dir/NAME embedded by the program and extracted to $dir/got
embedded() {
	"$dir/embed" "$dir/assets.c" "$dir/assets.h" "$dir/$1" &&
		$cc -o "$dir/main" "$dir/main.c" "$dir/assets.c" && "$dir/main" >"$dir/got"
}

cat >"$dir/a.js" <<'END'
/* One
   // two
 * three */
const a = 1; // stays, and so does
	const b = `x  ${a} /* this */ ${
		a}`;

	// not this
	const c = '/*'; /* but this */
END
cat >"$dir/want" <<'END'
const a = 1; // stays, and so does
const b = `x  ${a} /* this */ ${
a}`;
const c = '/*'; /* but this */
END
if ! embedded a.js || ! cmp "$dir/want" "$dir/got"; then
	echo "embed: a script is not what it should be"
	failed=1
fi
cp "$dir/a.js" "$dir/a.html"
if ! embedded a.html || ! cmp "$dir/a.html" "$dir/got"; then
	echo "embed: a page is not as it was"
	failed=1
fi

# refused LINE...: a script of these lines must be rejected
refused() {
	printf '%s\n' "$@" >"$dir/b.js"
	if "$dir/embed" "$dir/assets.c" "$dir/assets.h" "$dir/b.js" 2>"$dir/err" ||
		! grep -q "b.js:[0-9]*: " "$dir/err"; then
		echo "embed: takes $*"
		failed=1
	fi
}

# shellcheck disable=SC2016 # they are the sins
refused 'const a = `one' '	two`;'
refused '/* a comment */ const a = 1;'
# shellcheck disable=SC2016
refused 'const a = /`/;'
refused 'const a = 1;' '/* without an end'
exit $failed
