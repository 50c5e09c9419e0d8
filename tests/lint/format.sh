#!/bin/sh
# src and render have the layout of clang-format (make format). Tests have tables that it would break up, and
# src/analysis/findings has sentences with marks, which are laid out by hand.
# usage: format.sh [ROOT], whose files are checked against the format of this tree
if ! command -v clang-format >/dev/null; then
	echo "format: clang-format is not installed (make lint installs it)"
	exit 1
fi
style=file${1:+:$PWD/.clang-format}
cd "${1:-.}" || exit 1
out=$(find src render -name '*.[ch]' | sort | xargs clang-format --style="$style" --dry-run 2>&1 |
	sed -n 's/: warning: code should be clang-formatted.*/: make format lays this out in another way/p')
[ -n "$out" ] || exit 0
printf '%s\n' "$out" | head -n 20
exit 1
