/*
 * target_config.h - the device that XLA compiled for: xla.GpuTargetConfigProto as text.
 * Layer: formats.  Fields that are read: formats/README.md, section 5.2.
 */
#ifndef JR_FORMATS_TARGET_CONFIG_H
#define JR_FORMATS_TARGET_CONFIG_H

#include "base/buf.h"
#include "base/error.h"

/* A target config is about 1 kB long; a longer file than this is not one. */
#define JR_TARGET_CONFIG_MOST_BYTES (UINT64_C(1) << 18)

/* Numbers: 0 = not stated. */
struct jr_target_config {
	char name[128]; /* "NVIDIA H100 80GB HBM3"; "" = not stated. Bytes of the input, not yet
					 * cleaned; longer names are cut */
	uint64_t memory_bandwidth_bytes_s, sm_count, clock_hz;
	uint32_t compute_capability; /* 10 * major + minor: 90; minor is absent if it is 0 */
};

/**
 * Read the text form of a protobuf message: fields with ':' and '{', '<' and '[', texts in either
 * quotes, comments. Unknown fields are skipped. If a field repeats, the last value counts, as in
 * protobuf. Recursion is bounded (16 levels), nothing is allocated.
 *
 * @param out  set on JR_OK only
 * @return JR_EFORMAT not such a text (the message has the byte); JR_ELIMIT longer than
 *         JR_TARGET_CONFIG_MOST_BYTES, or nested deeper
 * @note Numbers below 1 and implausible ones (capabilities outside 1.0 to 99.9) count as not
 *       stated. O(size)
 */
enum jr_status jr_target_config_read(
	struct jr_bytes in, struct jr_target_config *out, struct jr_error *err) JR_MUST_CHECK;

#endif
