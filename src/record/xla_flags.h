/*
 * xla_flags.h - extend XLA_FLAGS of a recorded program so that it dumps its HLO.
 * Layer: record.
 *
 * XLA reads the variable as flags separated by blanks. A value in '…' or "…" extends to the closing
 * quote; a \ escapes the next character. If the first non-blank character is not '-', the variable
 * names a file that contains the flags. If a flag is given twice, the last one holds
 * (xla/parse_flags_from_env.cc).
 */
#ifndef JR_RECORD_XLA_FLAGS_H
#define JR_RECORD_XLA_FLAGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

struct jr_xla_flags {
	const char *value;     /* XLA_FLAGS as the program will see it */
	const char *dump_then; /* the user's own --xla_dump_to, which is replaced; NULL: none */
	bool without_hlo;      /* the user's --xla_dump_hlo_as_proto=false, which stays */
};

/**
 * Keep the flags, and append " --xla_dump_hlo_as_proto=true" unless that flag is given, and "
 * --xla_dump_to=DUMP". Existing flags do not change.
 * @param now  the variable's current value; NULL: not set
 * @return JR_EIO if it names a file that cannot be read, JR_ELIMIT if that file is larger than 1
 *         MiB
 */
enum jr_status jr_xla_flags_extend(const char *now, const char *dump, struct jr_arena *arena,
	struct jr_xla_flags *out, struct jr_error *err) JR_MUST_CHECK;

#endif
