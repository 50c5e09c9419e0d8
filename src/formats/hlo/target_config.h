/*
 * target_config.h - the device that XLA compiled for: xla.GpuTargetConfigProto as text.
 * Layer: formats.  What is read of it: formats/README.md, section 5.2.
 */
#ifndef JR_FORMATS_TARGET_CONFIG_H
#define JR_FORMATS_TARGET_CONFIG_H

#include "base/buf.h"
#include "base/error.h"

/* A file is 1 kB long; one that says to be longer than this is none. */
#define JR_TARGET_CONFIG_MOST_BYTES (UINT64_C(1) << 18)

/* Numbers: 0 = it does not say. */
struct jr_target_config {
	char name[128]; /* "NVIDIA H100 80GB HBM3"; "" = it does not say. Bytes of the input, not yet
					 * clean; longer ones are cut */
	uint64_t memory_bandwidth_bytes_s, sm_count, clock_hz;
	uint32_t compute_capability; /* 10 times major plus minor: 90; minor is absent where it is 0 */
};

/**
 * Read the text form of a protobuf message: fields with ':' and '{', '<' and '[', texts in either
 * quotes, comments. Fields of other names are passed over, of one name the last one counts, as in
 * protobuf. Recursion is bounded (16 levels), nothing is allocated.
 *
 * @param out  set on JR_OK only
 * @return JR_EFORMAT not such a text (the byte in the message); JR_ELIMIT longer than
 *         JR_TARGET_CONFIG_MOST_BYTES, or nested deeper
 * @note Numbers below 1 and beyond what a device can have (capabilities from 1.0 to 99.9) are taken
 *       as not said. O(size)
 */
enum jr_status jr_target_config_read(
	struct jr_bytes in, struct jr_target_config *out, struct jr_error *err) JR_MUST_CHECK;

#endif
