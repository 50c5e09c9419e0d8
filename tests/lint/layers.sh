#!/bin/sh
# The layer law (src/README.md), checked by #include lines: which layers a layer may include, and which files
# may see an outside library.
# usage: layers.sh [ROOT]
cd "${1:-.}" || exit 1

list() {
	find src render -name '*.[ch]' -not -path 'src/tools/*' 2>/dev/null | sort
}

# shellcheck disable=SC2016 # awk's, not the shell's
list | xargs awk '
function allow(layer, others) { may[layer] = " " layer " " others " " }
function only(header, where) { lib[header] = where; n_libs++ }
function bad(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; found = 1 }
BEGIN {
	allow("base", "")
	allow("formats", "base")
	allow("model", "base formats")
	allow("analysis", "base model")
	allow("render", "base")
	allow("report", "base model analysis render")
	allow("compare", "base formats model analysis report")
	allow("record", "base formats model")
	allow("cli", "base model analysis report compare record")
	# An extended regular expression of the paths that may include it.
	only("cairo", "^render/(scene_cairo_impl\\.h|pdf\\.c)$")
	only("libxml/", "^(render/scene_dom\\.[ch]|src/report/[a-z_/]*\\.[ch])$")
	only("sqlite3\\.h", "^src/(formats|report)/[a-z]*/[a-z_]*sqlite[a-z_]*\\.[ch]$")
	only("zip\\.h", "^src/formats/")
	only("lzma\\.h", "^src/formats/")
	only("zlib\\.h", "^src/(formats/|report/core/deflate\\.c$)")
	only("zstd", "^src/formats/")
	only("snappy", "^src/formats/")
	only("openssl/", "^src/(formats/archive/digest|report/html/html_csp|report/mail/mail_mime|cli/core/confine)\\.c$")
	only("protobuf-c/", "^src/formats/hlo/hlo[a-z_]*\\.[ch]$")
	only("pprof\\.pb-c\\.h", "^src/formats/pprof/pprof\\.c$")
	only("hlo\\.pb-c\\.h", "^src/formats/hlo/hlo[a-z_]*\\.[ch]$")
	only("assets\\.h", "^src/report/")
	only("signal\\.h", "^src/(cli/|base/task\\.c$)") # there a stack for handlers, no handler
	only("locale\\.h", "^$")
	asks_all = "src/cli/core/versions.c" # for their versions, and calls nothing else of theirs
}
FNR == 1 {
	n = split(FILENAME, part, "/")
	layer = part[1] == "src" ? part[2] : part[1]
	if (!(layer in may)) bad("no such layer: " layer)
	name = part[n]
	if (name in seen) bad("file name already taken by " seen[name])
	seen[name] = FILENAME
}
/^[ \t]*#[ \t]*include/ {
	header = $0
	quoted = header ~ /"/
	sub(/^[^"<]*["<]/, "", header)
	sub(/[">].*$/, "", header)
	for (h in lib)
		if (header ~ "^" h && FILENAME !~ lib[h] && FILENAME != asks_all) bad("\"" header "\" is not for this file")
	if (!quoted || header ~ /\.pb-c\.h$/ || header == "assets.h") next
	if (header !~ /\// || header ~ /\.\./) { bad("include \"" header "\" names no layer"); next }
	other = header
	sub(/\/.*/, "", other)
	if (index(may[layer], " " other " ") == 0) bad(layer " may not include " other)
}
END { exit found }'
