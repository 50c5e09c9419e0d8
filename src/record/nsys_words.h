/*
 * nsys_words.h - the command lines of nsys: what the version at hand knows, by its own help.
 * Layer: record.
 *
 * nsys ends with status 1 where it is given an option that it does not know, or one twice, so
 * nothing is passed that its help does not list, and what the user gives is looked for by its long
 * and its short name before a default of ours goes along.
 */
#ifndef JR_RECORD_NSYS_WORDS_H
#define JR_RECORD_NSYS_WORDS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"

typedef JR_VEC(const char *) jr_words;

/* What the user wants of `nsys profile`. */
struct jr_nsys_wish {
	const char *nsys;     /* the program */
	const char *output;   /* NAME.nsys-rep to write */
	jr_words options;     /* "--trace=cuda", "-t=cuda": in the order given */
	char *const *program; /* [n_program] what to run */
	size_t n_program;
};

/** Does a help list an option ("--trace", "-t")? Cost: one pass over the text. */
bool jr_nsys_knows(const char *help, const char *option);
/** Is 'value' among those that it names in quotes for that option? */
bool jr_nsys_lists(const char *help, const char *option, const char *value);
/** Is the option among what the user gave, by its long or its short name? Its value, "" where it
 * has none, NULL where it is not. */
const char *jr_nsys_given(const struct jr_nsys_wish *wish, const char *option);

/**
 * Append the words of `nsys profile` of a program; they live as long as the arena and the wish.
 *
 * Ours, where the user says nothing: what reports are made of (CUDA and the libraries' ranges),
 * each node of a CUDA graph, no sampling and no context switches, which cost most and feed no
 * section. With a capture range and no word of its end: "stop", as nsys would else end the program
 * by SIGTERM.
 * @param help  what `nsys profile --help` prints
 * @return JR_EUSAGE: an option that nsys does not know, that stands twice, or that is ours to set
 */
enum jr_status jr_nsys_profile_words(const struct jr_nsys_wish *wish, const char *help,
	struct jr_arena *arena, jr_words *out, struct jr_error *err) JR_MUST_CHECK;

/** Append those of `nsys export` to SQLite: the tables that reports are made of, where it can
 * choose.
 * @param help  what `nsys export --help` prints */
void jr_nsys_export_words(const char *nsys, const char *help, const char *report,
	const char *sqlite, struct jr_arena *arena, jr_words *out);

/** A word as a shell reads it back: as it is where it is plain, else in single quotes. */
void jr_put_shell_word(struct jr_buf *out, const char *word);

#endif
