/*
 * xspace_json.h - convert the Chrome trace that jax.profiler writes next to an XSpace file
 * (HOST.trace.json.gz) to the XSpace it was made from, as far as possible.
 * Layer: formats.  Contents and gaps: formats/README.md, section 8.4.
 */
#ifndef JR_FORMATS_XSPACE_JSON_H
#define JR_FORMATS_XSPACE_JSON_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/limits.h"

struct jr_xspace_json {
	struct jr_buf xspace; /* a message that jr_xspace_read() reads */
	uint64_t n_events;    /* events with a time */
	uint64_t n_bad;       /* of these left out: invalid process, thread or time */
	uint64_t n_repeated;  /* of these left out: another event with the same contents is kept */
	bool has_details;     /* a kernel states its launch parameters */
	bool capped;          /* the number of events is the writer's limit: later events are missing */
	bool is_cut;          /* the file ends too early: data after the last whole event is lost */
};

/** Return true if the first bytes of a file, compressed by gzip or not, belong to a Chrome trace of
 * jax.profiler; traces of torch.profiler are rejected. */
bool jr_xspace_json_begins(struct jr_bytes head, const struct jr_limits *limits);
/**
 * Read a Chrome trace.
 *
 * @param in   the whole file, compressed by gzip or not
 * @param out  set only on JR_OK; free it with jr_xspace_json_done()
 * @return JR_EFORMAT damaged, cut short before its first event, not a trace, or another program's
 *         trace; JR_ELIMIT
 * @note One pass; decompressed bytes are not kept. About 40 bytes per event.
 */
enum jr_status jr_xspace_json_read(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_xspace_json *out, struct jr_error *err) JR_MUST_CHECK;
void jr_xspace_json_done(struct jr_xspace_json *x);

#endif
