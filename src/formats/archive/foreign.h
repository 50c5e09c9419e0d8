/*
 * foreign.h - files that are often given in place of an input, known by their first bytes.
 * Layer: formats.
 */
#ifndef JR_FORMATS_FOREIGN_H
#define JR_FORMATS_FOREIGN_H

#include "base/buf.h"

/** What a file is and what to do about it ("is packed by gzip: unpack it ..."); NULL: not known. */
const char *jr_foreign_hint(struct jr_bytes file);
/** What of jax.profiler's files is not read, by its name (formats/README.md, section 8), and what
 * to do about it; NULL: it is none of these. */
const char *jr_foreign_name_hint(const char *name);

/* What makes the files that nsys writes from its report, once more. nsys ends with status 0 where
 * it fails, and leaves an empty file, or the first part of one. */
#define JR_NSYS_STATS "nsys stats --report nvtx_pushpop_trace --format csv --output . out.nsys-rep"
#define JR_NSYS_EXPORT "nsys export --type sqlite --force-overwrite true -o out.sqlite out.nsys-rep"
#define JR_NSYS_STATS_AGAIN "run it again, and read what it prints: " JR_NSYS_STATS
#define JR_NSYS_EXPORT_AGAIN "run it again where there is room: " JR_NSYS_EXPORT

/** What an empty file of that name is, and what to do about it ("is empty: nsys stats ..."). */
const char *jr_empty_hint(const char *name);

#endif
