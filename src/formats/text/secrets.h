/*
 * secrets.h - what no output may contain of the profiled job: its environment, passwords, tokens.
 * Layer: formats.  Readers call this before they keep a text, so that digests do not have it
 * either.
 */
#ifndef JR_FORMATS_SECRETS_H
#define JR_FORMATS_SECRETS_H

#include "base/buf.h"

#define JR_SECRETS_HIDDEN "***"

/**
 * Return whether a report may show an environment variable. These are XLA_FLAGS, JAX_*, NCCL_*,
 * CUDA_VISIBLE_DEVICES, SLURM_NNODES, SLURM_NTASKS, SLURM_PROCID, unless the name contains TOKEN,
 * SECRET, PASSW, CREDENTIAL, API_KEY, ACCESS_KEY or PRIVATE_KEY. All others are never written to
 * any output, because a profile contains the whole process environment, including tokens.
 */
bool jr_environment_allowed(const char *name, size_t n);

/** Append NAME=VALUE, with the value by jr_secrets_hide(), if the variable is allowed; after other
 * variables with a semicolon. */
void jr_environment_put_variable(struct jr_buf *out, const char *text, size_t n);
/** Append the allowed variables of "A=1;B=2;…" in the same form, each value by jr_secrets_hide().
 */
void jr_environment_put(struct jr_buf *out, const char *text);

/**
 * Append a text with *** in place of the user, password and query of URLs, of words that begin like
 * tokens of known services, of what follows Bearer or Basic, and of values of names that end in
 * token, secret, password, credentials, or api, access or private key (NAME=VALUE, NAME: VALUE,
 * --NAME VALUE). O(n)
 */
void jr_secrets_hide(struct jr_buf *out, const char *text, size_t n);

/** Return whether an argument of a command line is an option whose value is the next argument, and
 * secret by the names above: "--api-key". */
bool jr_secrets_follow(const char *argument);

#endif
