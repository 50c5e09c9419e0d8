/*
 * hlo_reduce.h - an xla.HloProto without the fields that jaxreport does not read.
 * Layer: formats.
 */
#ifndef JR_FORMATS_HLO_REDUCE_H
#define JR_FORMATS_HLO_REDUCE_H

#include "base/buf.h"

/**
 * Append a serialized xla.HloProto with only the fields that proto/hlo.proto declares, in their
 * order. jr_hlo_decode() reads the same module from it.
 *
 * @param proto  one that jr_hlo_decode() reads, which bounds its nesting
 * @return JR_EFORMAT a message is damaged; `out` may then have some of the fields. O(size * depth)
 */
enum jr_status jr_hlo_reduce(struct jr_bytes proto, struct jr_buf *out, struct jr_error *err)
	JR_MUST_CHECK;

#endif
