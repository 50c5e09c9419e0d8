/*
 * xspace_json.h - the trace for Chrome that jax.profiler writes beside an XSpace file
 * (HOST.trace.json.gz), as the XSpace that it was made of, as far as it tells.
 * Layer: formats.  What stands there, and what does not: formats/README.md, section 8.4.
 */
#ifndef JR_FORMATS_XSPACE_JSON_H
#define JR_FORMATS_XSPACE_JSON_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/limits.h"

struct jr_xspace_json {
	struct jr_buf xspace; /* a message that jr_xspace_read() reads */
	uint64_t n_events;    /* with a time */
	uint64_t n_bad;       /* of these left out: no process, thread or time that is one */
	bool has_details;     /* a kernel tells what it was launched with */
	bool capped;          /* as many events as the writer writes: the later ones are left out */
	bool is_cut;          /* the file ends too early: what follows the last whole event is lost */
};

/** True where the first bytes of a file, packed by gzip or not, are those of a trace for Chrome;
 * torch.profiler's are told apart. */
bool jr_xspace_json_begins(struct jr_bytes head, const struct jr_limits *limits);
/**
 * Read a trace for Chrome.
 *
 * @param in   all of the file, packed by gzip or not
 * @param out  set only on JR_OK; jr_xspace_json_done()
 * @return JR_EFORMAT damaged, cut short ahead of its first event, no trace, or another program's;
 *         JR_ELIMIT
 * @note One pass; what was unpacked is not kept. About 40 bytes an event.
 */
enum jr_status jr_xspace_json_read(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_xspace_json *out, struct jr_error *err) JR_MUST_CHECK;
void jr_xspace_json_done(struct jr_xspace_json *x);

#endif
