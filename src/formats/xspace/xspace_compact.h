/*
 * xspace_compact.h - an XSpace in the compact form of digests: all that its reader returned, with
 * the HLO of the programs that ran.
 * Layer: formats.  The form: formats/README.md, section 12.
 */
#ifndef JR_FORMATS_XSPACE_COMPACT_H
#define JR_FORMATS_XSPACE_COMPACT_H

#include "formats/compact/compact.h"
#include "formats/xspace/xspace.h"

/** Append an XSpace as jr_xspace_read() returned it. O(values + bytes of HLO) */
void jr_xspace_put(struct jr_buf *out, const struct jr_xspace *x, const struct jr_limits *limits);
/**
 * Read an XSpace; its programs borrow the input.
 *
 * @param x  out: jr_xspace_done() also after a failure
 * @return JR_EFORMAT, JR_ELIMIT as jr_expand_table(). O(values)
 */
enum jr_status jr_xspace_expand(struct jr_expanding *in, struct jr_xspace *x, struct jr_error *err)
	JR_MUST_CHECK;

#endif
