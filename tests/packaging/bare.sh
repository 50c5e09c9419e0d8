# A system with only the packages that every Debian has. debootstrap makes it once; it is kept as
# $build/deb/base-SUITE.tar. A script that sources this gets and sets $runner, $build and $dir.
# shellcheck shell=bash disable=SC2154,SC2034 # what they set, and use
passed=0 failed=0
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
# The mirror and the proxies of this machine's apt.
# shellcheck disable=SC2016 # apt's own names
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
	awk -v suite="$suite" '$2 == suite { print $1; exit }')
base=$build/deb/base-$suite.tar
begin=$(sed -nE 's/^(apt-get .*[^ ]) +# as root.*/\1/p' README.md)
clone=$(sed -nE 's/^(git clone .*)/\1/p' README.md)

# Nothing is removed while a foreign folder may be mounted below it.
clean_up() {
	awk -v dir="$dir/" 'index($2, dir) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r -d '\n' umount
	if grep -qF " $dir/" /proc/mounts; then
		echo "$runner: kept $dir: something is still mounted below it"
	else
		rm -rf "$dir"
	fi
}
trap clean_up EXIT

skip() {
	echo "$runner: SKIPPED ($1)"
	exit 0
}

check() {
	local name=$1
	shift
	if "$@" >"$dir/log" 2>&1; then
		passed=$((passed + 1))
	else
		echo "$runner: $name:"
		tail -n 20 "$dir/log"
		failed=$((failed + 1))
	fi
}

# in_root ROOT COMMAND...: run it as root
in_root() {
	local root=$1
	shift
	chroot "$root" env -i HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "${objects[@]}" \
		PATH="${compilers:+$compilers:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "$@"
}

# as_nobody ROOT COMMAND...: run it as nobody, who has no home; output on stderr is a failure
as_nobody() {
	local root=$1
	shift
	chroot --userspec=nobody:nogroup "$root" env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/nonexistent \
		"$@" 2>"$dir/said" && [ ! -s "$dir/said" ] && return
	cat "$dir/said"
	return 1
}

# make_root ROOT: make a fresh system below $dir, with the sample in /tmp/job
make_root() {
	local root=$1 lock
	mkdir -p "$build/deb"
	# Concurrent callers wait for it.
	exec {lock}>"$base.lock"
	flock "$lock"
	if [ ! -e "$base" ]; then
		if ! debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$dir/log" 2>&1; then
			tail -n 5 "$dir/log"
			skip "debootstrap of $suite from '$mirror' does not work here"
		fi
		tar -C "$root" --numeric-owner --exclude=./var/cache/apt/archives/*.deb -cf "$base.new" . &&
			mv "$base.new" "$base"
		rm -rf "$root"
	fi
	exec {lock}>&-
	mkdir -p "$root"
	tar -C "$root" --numeric-owner -xf "$base" || skip 'cannot unpack a system with device files'
	in_root "$root" /bin/true || skip 'chroot does not work here'
	# policy-rc.d forbids to start services.
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod +x "$root/usr/sbin/policy-rc.d"
	cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
	# Temporary files need not reach the disk.
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/here"
	apt-config dump | grep -i '::proxy' >"$root/etc/apt/apt.conf.d/90here"
	printf 'deb %s %s main\n' "$mirror" "$suite" >"$root/etc/apt/sources.list"
	install -d -m 777 "$root/tmp/job"
	cp examples/transformer_fsdp4.zip "$root/tmp/job"
}

# offer ROOT: provide this tree as a repository that git in ROOT finds at README.md's address
offer() {
	local at=$1/srv/jaxreport.git
	mkdir -p "$at"
	if [ -e .git ]; then git ls-files -z; else find . -type f -not -path "./${BUILD:-build}/*" -print0; fi |
		tar -c --null -T - | tar -C "$at" -x --no-same-owner
	git -C "$at" init -q && git -C "$at" add -A &&
		git -C "$at" -c user.name=reader -c user.email=reader@example.org commit -q -m tree
	printf '[url "/srv/jaxreport.git"]\n\tinsteadOf = %s\n[safe]\n\tdirectory = *\n' \
		"$(sed -nE 's/^git clone ([^ ]+).*/\1/p' README.md)" >"$1/etc/gitconfig"
}

# by_reader ROOT COMMAND: run it as an ordinary user with the few variables that a login sets, in the checkout
# if there is one
by_reader() {
	chroot --userspec=reader:reader "$1" env -i HOME=/home/reader USER=reader "${objects[@]}" \
		PATH="${compilers:+$compilers:}/home/reader/.local/bin:/usr/local/bin:/usr/bin:/bin" \
		sh -c "cd && { [ ! -d jaxreport ] || cd jaxreport; } && $2"
}

# share_objects ROOT [VARIABLE=VALUE...]: if CCACHE_DIR is set, compilers in ROOT, whose apt must know its packages,
# take objects from that cache and add new ones to it, and the variables are set, too
share_objects() {
	[ -n "${CCACHE_DIR-}" ] || return 0
	in_root "$1" apt-get install -y -q --no-install-recommends ccache && mkdir "$1/ccache" &&
		mount --bind "$CCACHE_DIR" "$1/ccache" || return
	compilers=/usr/lib/ccache
	mapfile -t objects < <(env | grep '^CCACHE_' | grep -v '^CCACHE_DIR=')
	objects+=(CCACHE_DIR=/ccache "${@:2}")
}
objects=() compilers=

[ "$(id -u)" -eq 0 ] || skip 'a chroot takes root'
