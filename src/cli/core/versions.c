/* The only file that includes the headers of all libraries. It only asks each for its version
 * (tests/lint/layers.sh knows it by name). */
#include "cli/core/versions.h"

#include <cairo.h>
#include <libxml/parser.h>
#include <lzma.h>
#include <openssl/crypto.h>
#include <protobuf-c/protobuf-c.h>
#include <sqlite3.h>
#include <string.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/text.h"
#include "report/core/report.h"

#ifndef JR_SNAPPY_VERSION /* the Makefile gets it from pkg-config */
#define JR_SNAPPY_VERSION "unknown"
#endif

/* Convert LIBXML_VERSION and the library's own version: 20914, which may be followed by letters for
 * how it was built. */
static void libxml_version(char *text, size_t size, const char *digits)
{
	int v = 0;
	for (const char *s = digits; jr_is_digit(*s) && v < 1000000; s++)
		v = v * 10 + (*s - '0');
	snprintf(text, size, "%d.%d.%d", v / 10000, v / 100 % 100, v % 100);
}

static void line(struct jr_buf *out, const char *name, const char *runs, const char *built)
{
	jr_buf_printf(out, "%-10s %s", name, runs);
	if (strcmp(runs, built) != 0)
		jr_buf_printf(out, " (built with %s)", built);
	jr_buf_putc(out, '\n');
}

void jr_versions_write(struct jr_buf *out)
{
	char xml[32];
	libxml_version(xml, sizeof(xml), xmlParserVersion);
	jr_buf_puts(out, "jaxreport " JR_VERSION "\n");
	line(out, "cairo", cairo_version_string(), CAIRO_VERSION_STRING);
	line(out, "libcrypto", OpenSSL_version(OPENSSL_VERSION_STRING), OPENSSL_VERSION_STR);
	line(out, "liblzma", lzma_version_string(), LZMA_VERSION_STRING);
	line(out, "libxml2", xml, LIBXML_DOTTED_VERSION);
	line(out, "libzip", zip_libzip_version(), LIBZIP_VERSION);
	line(out, "libzstd", ZSTD_versionString(), ZSTD_VERSION_STRING);
	line(out, "protobuf-c", protobuf_c_version(), PROTOBUF_C_VERSION);
	/* Its C interface has no version. */
	jr_buf_printf(out, "%-10s %s\n", "snappy", JR_SNAPPY_VERSION);
	line(out, "sqlite", sqlite3_libversion(), SQLITE_VERSION);
	line(out, "zlib", zlibVersion(), ZLIB_VERSION);
}
