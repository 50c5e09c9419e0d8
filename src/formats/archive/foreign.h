/*
 * foreign.h - recognize files that are often given instead of an input, by their first bytes.
 * Layer: formats.
 */
#ifndef JR_FORMATS_FOREIGN_H
#define JR_FORMATS_FOREIGN_H

#include "base/buf.h"

/** Return what a file is and what to do about it ("is packed by gzip: unpack it ..."); NULL if
 * unknown. */
const char *jr_foreign_hint(struct jr_bytes file);
/** Return which unsupported file of jax.profiler has that name (formats/README.md, section 8), and
 * what to do about it; NULL if it is not one. */
const char *jr_foreign_name_hint(const char *name);

/* Commands that create the files of nsys from its report. If nsys fails it exits with status 0 and
 * leaves an empty or incomplete file. */
#define JR_NSYS_STATS "nsys stats --report nvtx_pushpop_trace --format csv --output . out.nsys-rep"
#define JR_NSYS_EXPORT "nsys export --type sqlite --force-overwrite true -o out.sqlite out.nsys-rep"
#define JR_NSYS_STATS_AGAIN "Run it again, and check its messages: " JR_NSYS_STATS
#define JR_NSYS_EXPORT_AGAIN "Run it again with enough disk space: " JR_NSYS_EXPORT

/** Return what an empty file of that name is, and what to do about it ("is empty: nsys stats
 * ..."). */
const char *jr_empty_hint(const char *name);

#endif
