/*
 * nsys_words.h - the command lines of nsys, limited to options in the installed version's help.
 * Layer: record.
 *
 * nsys ends with status 1 if it gets an unknown option, or the same option twice. So only options
 * that its help lists are passed. Before a default is added, the user's options are searched for
 * its long and its short name.
 */
#ifndef JR_RECORD_NSYS_WORDS_H
#define JR_RECORD_NSYS_WORDS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"

typedef JR_VEC(const char *) jr_words;

/* A request for `nsys profile`. */
struct jr_nsys_wish {
	const char *nsys;     /* path of nsys */
	const char *output;   /* NAME.nsys-rep to write */
	jr_words options;     /* "--trace=cuda", "-t=cuda": in the order given */
	char *const *program; /* [n_program] the program to run and its arguments */
	size_t n_program;
};

/** Return whether a help lists an option ("--trace", "-t"). Cost: one pass over the text. */
bool jr_nsys_knows(const char *help, const char *option);
/** Return whether the help quotes `value` as a value of that option. */
bool jr_nsys_lists(const char *help, const char *option, const char *value);
/** Return the value of an option that the user gave by its long or short name: "" if it has no
 * value, NULL if it was not given. */
const char *jr_nsys_given(const struct jr_nsys_wish *wish, const char *option);

/**
 * Append the words of `nsys profile` for a program; they live as long as the arena and the wish.
 *
 * Defaults where the user gives no option: trace what reports use (CUDA and the libraries' ranges),
 * trace each node of a CUDA graph, no sampling and no context switches, which cost most and feed no
 * section. With a capture range and no option for its end: "stop", because nsys would otherwise end
 * the program by SIGTERM.
 * @param help  what `nsys profile --help` prints
 * @return JR_EUSAGE: an option that nsys does not know, that is given twice, or that this program
 *         sets
 */
enum jr_status jr_nsys_profile_words(const struct jr_nsys_wish *wish, const char *help,
	struct jr_arena *arena, jr_words *out, struct jr_error *err) JR_MUST_CHECK;

/** Append the words of `nsys export` to SQLite, with only the tables that reports read if it can
 * select tables.
 * @param help  what `nsys export --help` prints */
void jr_nsys_export_words(const char *nsys, const char *help, const char *report,
	const char *sqlite, struct jr_arena *arena, jr_words *out);

/** Append a word so that a shell reads it back: unchanged if it is plain, else in single quotes. */
void jr_put_shell_word(struct jr_buf *out, const char *word);

#endif
