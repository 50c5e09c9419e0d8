/*
 * versions.h - what --version prints.
 * Layer: cli.
 */
#ifndef JR_CLI_VERSIONS_H
#define JR_CLI_VERSIONS_H

struct jr_buf;

/** Append the program's version, then a line per library: the version that runs, and the one that
 * it was built with if they differ. The text is the same on every call. */
void jr_versions_write(struct jr_buf *out);

#endif
