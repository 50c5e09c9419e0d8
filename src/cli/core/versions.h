/*
 * versions.h - what --version prints.
 * Layer: cli.
 */
#ifndef JR_CLI_VERSIONS_H
#define JR_CLI_VERSIONS_H

struct jr_buf;

/** Append the program's version, then a line for each library: the one that runs, and the one that
 * it was built with where that is another. Same text on every call. */
void jr_versions_write(struct jr_buf *out);

#endif
