#include "formats/archive/gzip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

enum { PIECE_BYTES = 1 << 18 };

struct jr_gzip {
	z_stream z;
	struct jr_bytes in; /* bytes not yet passed to zlib */
	uint64_t total, most;
	bool ended, cut;
	uint8_t piece[PIECE_BYTES];
};

bool jr_gzip_begins(struct jr_bytes head)
{
	return head.size > 2 && head.data[0] == 0x1F && head.data[1] == 0x8B;
}

struct jr_gzip *jr_gzip_open(struct jr_bytes in, const struct jr_limits *limits)
{
	struct jr_gzip *g = calloc(1, sizeof(*g));
	if (!g || inflateInit2(&g->z, 15 + 16) != Z_OK) /* largest window; gzip's header */
		jr_oom();
	g->in = in;
	g->most = jr_limits_unpacked(limits, in.size);
	return g;
}

void jr_gzip_close(struct jr_gzip *g)
{
	if (!g)
		return;
	(void)inflateEnd(&g->z);
	free(g);
}

/* Pass bytes to zlib, which counts in 32 bits. */
static void feed(struct jr_gzip *g)
{
	size_t n = g->in.size < (1U << 30) ? g->in.size : (1U << 30);
	if (g->z.avail_in || n == 0)
		return;
	g->z.next_in = (uint8_t *)(uintptr_t)g->in.data; /* zlib does not write to it */
	g->z.avail_in = (uInt)n;
	g->in = jr_bytes_of(g->in.data + n, g->in.size - n);
}

bool jr_gzip_is_cut(const struct jr_gzip *g)
{
	return g && g->cut;
}

enum jr_status jr_gzip_more(void *gzip, struct jr_bytes *out, struct jr_error *err)
{
	struct jr_gzip *g = gzip;
	*out = (struct jr_bytes){0};
	g->z.next_out = g->piece;
	g->z.avail_out = PIECE_BYTES;
	while (!g->ended && g->z.avail_out) {
		feed(g);
		int rc = inflate(&g->z, Z_NO_FLUSH);
		if (rc == Z_STREAM_END) {
			feed(g);
			g->ended = g->z.avail_in == 0;
			rc = inflateReset(&g->z);
		}
		if (rc == Z_BUF_ERROR && g->z.avail_out < PIECE_BYTES)
			break; /* return the available bytes first */
		g->cut = rc == Z_BUF_ERROR;
		if (g->cut)
			return jr_fail(err, JR_EFORMAT, "gzip: cut short");
		if (rc != Z_OK)
			return jr_fail(err, JR_EFORMAT, "gzip: damaged after %" PRIu64 " unpacked bytes",
				g->total + PIECE_BYTES - g->z.avail_out);
	}
	*out = jr_bytes_of(g->piece, PIECE_BYTES - g->z.avail_out);
	g->total += out->size;
	if (g->total > g->most)
		return jr_fail(err, JR_ELIMIT,
			"gzip: more than %" PRIu64 " bytes unpacked (--max-entry-bytes, --max-ratio)", g->most);
	return JR_OK;
}

enum jr_status jr_gzip_decode(
	struct jr_bytes in, const struct jr_limits *limits, struct jr_buf *out, struct jr_error *err)
{
	struct jr_gzip *gzip = jr_gzip_open(in, limits);
	size_t before = out->size;
	struct jr_bytes piece;
	enum jr_status status;
	while ((status = jr_gzip_more(gzip, &piece, err)) == JR_OK && piece.size)
		jr_buf_add(out, piece.data, piece.size);
	jr_gzip_close(gzip);
	if (status != JR_OK)
		out->size = before;
	return status;
}

bool jr_gzip_begins_as(
	struct jr_bytes head, const struct jr_limits *limits, bool (*is)(struct jr_bytes))
{
	if (!jr_gzip_begins(head))
		return is(head);
	struct jr_gzip *gzip = jr_gzip_open(head, limits);
	struct jr_bytes piece;
	bool begins = jr_gzip_more(gzip, &piece, NULL) == JR_OK && is(piece);
	jr_gzip_close(gzip);
	return begins;
}
