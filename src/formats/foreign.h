/*
 * foreign.h - files that are often given in place of an input, known by their first bytes.
 * Layer: formats.
 */
#ifndef JR_FORMATS_FOREIGN_H
#define JR_FORMATS_FOREIGN_H

#include "base/buf.h"

/** What a file is and what to do about it ("is packed by gzip: unpack it ..."); NULL: not known. */
const char *jr_foreign_hint(struct jr_bytes file);

#endif
