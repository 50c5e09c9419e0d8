/*
 * xla_flags.h - XLA_FLAGS of a program that is recorded: what has to be added so that it leaves its
 * HLO. Layer: record.
 *
 * XLA reads the variable as flags between blanks, a value in '…' or "…" (with \ before what stands
 * for itself) up to the quote's end; where the first letter that is no blank is no '-', it is the
 * name of a file that holds the flags. Of one that stands twice the last holds
 * (xla/parse_flags_from_env.cc).
 */
#ifndef JR_RECORD_XLA_FLAGS_H
#define JR_RECORD_XLA_FLAGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

struct jr_xla_flags {
	const char *value;     /* XLA_FLAGS as the program is to see it */
	const char *dump_then; /* the user's own --xla_dump_to, which ours replaces; NULL: none */
	bool without_hlo;      /* the user's --xla_dump_hlo_as_proto=false, which stays */
};

/**
 * What is there, with " --xla_dump_hlo_as_proto=true" behind it unless that flag is named, and
 * " --xla_dump_to=DUMP". Nothing that is there changes.
 * @param now  the variable as it is; NULL: not set
 * @return JR_EIO where it names a file that cannot be read, JR_ELIMIT one beyond 1 MiB
 */
enum jr_status jr_xla_flags_extend(const char *now, const char *dump, struct jr_arena *arena,
	struct jr_xla_flags *out, struct jr_error *err) JR_MUST_CHECK;

#endif
