/*
 * opening.h - what a kind of input is given to open an input with, or to read its compile ranges.
 * Layer: model, private to loading.
 */
#ifndef JR_MODEL_OPENING_H
#define JR_MODEL_OPENING_H

#include "base/vec.h"
#include "model/profile/profile.h"
#include "model/sources/input_kind.h"
#include "model/sources/source.h"

struct jr_source_list {
	JR_VEC(struct jr_source) list;
};

/* An input while it is opened. */
struct jr_opening {
	struct jr_profile *profile;
	struct jr_input *input; /* the opener sets size_bytes, and kind where it is another */
	uint32_t row;           /* of profile->inputs */
	const char *path;       /* what to read */
	const char *named;      /* the file that the user named: the same, or what it was made of */
	const char *stem;       /* its name without the ending: how the process in it is called */
	const struct jr_limits *limits;
	struct jr_arena *arena;         /* for what sources need; outlives them */
	struct jr_source_list *sources; /* jr_opening_source() adds one */
	struct jr_archive **archive;    /* NULL at first; closed when all sources are done */
	struct jr_export *export;       /* empty at first; freed when all sources are done */
	/* Told of work that takes a while: bytes that are to be read, or that were. */
	void (*progress)(void *context, const char *stage, uint64_t more_bytes, uint64_t done_bytes);
	void *context;
};

/** Room for one more source, to be initialised at once. */
struct jr_source *jr_opening_source(struct jr_opening *opening);
/** Bytes of the file that the user named; 0: it is a folder, or gone. */
uint64_t jr_opening_file_bytes(const struct jr_opening *opening);
/** JR_EUSAGE where --run asks for a run: the input has none to choose from. */
enum jr_status jr_opening_no_runs(const struct jr_opening *opening, struct jr_error *err)
	JR_MUST_CHECK;

/* Told of the ranges of one process, which are released afterwards. `profile`: what its files in a
 * combined archive are called; NULL where the input is no such archive. */
typedef void (*jr_host_ranges_fn)(
	void *context, const char *profile, const struct jr_host_ranges *ranges);

/* Who is told of compile ranges, and nothing else of an input. */
struct jr_host_listener {
	const struct jr_limits *limits;
	jr_host_ranges_fn tell;
	void *context;
	/* what to name in place of an archive without any: nothing_within.h */
	void (*hint)(const struct jr_archive *archive, struct jr_buf *out);
};

/** Tell of ranges, and release them. */
void jr_host_tell(
	const struct jr_host_listener *to, const char *profile, struct jr_host_ranges *ranges);
/** Tell of a push/pop trace. @return as jr_host_ranges_read() */
enum jr_status jr_host_tell_bytes(const struct jr_host_listener *to, const char *profile,
	struct jr_bytes bytes, struct jr_error *err) JR_MUST_CHECK;
/** The same of a file. */
enum jr_status jr_host_tell_file(
	const char *path, const struct jr_host_listener *to, struct jr_error *err) JR_MUST_CHECK;

#endif
