/*
 * xspaces.h - sources recorded by jax.profiler: an XSpace file, alone or in a folder or zip. If it
 * is missing, the Chrome trace made from it is used.
 * Layer: model, private to kinds of inputs.
 */
#ifndef JR_MODEL_XSPACES_H
#define JR_MODEL_XSPACES_H

#include "base/file.h"
#include "formats/xspace/xspace_json.h"
#include "model/kinds/kind_parts.h"
#include "model/xprofile/xprofile.h"

extern const struct jr_input_ops jr_input_xspace, jr_input_trace_json;

struct jr_source_xspace;

/* The differences between the two kinds: jr_input_ops.own. */
struct jr_xspaces_variant {
	struct jr_source_type type;     /* with JR_XSPACES_METHODS */
	struct jr_source_type digested; /* with JR_XSPACES_DIGESTED and the same properties */
	/* read the file; a failure goes to s->trace_error */
	enum jr_status (*read)(struct jr_source *s, struct jr_bytes bytes, struct jr_xspace *file);
	/* add further messages to the report; NULL: none */
	void (*tell)(const struct jr_source_xspace *x, struct jr_profile *p);
};

/* Programs whose HLO is in other files of the folder. */
struct jr_xspaces_beside {
	uint64_t n_read, n_damaged; /* files that a trace viewer left */
	uint64_t n_dumps;           /* dumps of XLA */
};

/* jr_source.own */
struct jr_source_xspace {
	const struct jr_xspaces_variant *variant;
	struct jr_content content;    /* bytes of a member */
	struct jr_file_map map;       /* bytes of a file, needed until the last program is decoded */
	struct jr_error beside_error; /* why its folder was not read; status JR_OK = it was */
	struct jr_xprofile profile;
	struct jr_xspace_json json; /* of a Chrome trace, without the generated message */
	struct jr_xspaces_beside beside;
	size_t n_threads;
	uint64_t identity;
	bool keeps_rows;    /* for a digest */
	struct jr_buf kept; /* the file as read */
};

/** Add the source of the named file, or of a member of opening->archive. It is read later.
 * @return JR_EIO the file cannot be opened */
enum jr_status jr_xspaces_open(struct jr_opening *opening, struct jr_error *err) JR_MUST_CHECK;
void jr_xspaces_open_member(struct jr_opening *opening, size_t member);
/** Find executions and thunks in a file as read, which is moved, and build the trace.
 * `about` = set the metadata. */
void jr_xspaces_take(struct jr_source *s, struct jr_xspace *file, bool about);
/* Digests of both kinds. */
extern const struct jr_digested_ops jr_digested_xspace;
/** Allocate jr_source.own. */
struct jr_source_xspace *jr_xspaces_own(
	struct jr_source *s, const struct jr_xspaces_variant *variant, size_t n_threads);
/** Count the programs with HLO from other files of the folder. */
struct jr_xspaces_beside jr_xspaces_count_beside(const struct jr_source *s);
/** Read the compile ranges, for struct jr_input_ops of both kinds. */
enum jr_status jr_xspaces_read_host(
	const char *path, const struct jr_host_listener *to, struct jr_error *err) JR_MUST_CHECK;

/* Methods for struct jr_source_type. */
void jr_xspaces_read_trace(struct jr_source *s);
bool jr_xspaces_knows_devices(const struct jr_source *s);
void jr_xspaces_read_ranges(struct jr_source *s);
uint64_t jr_xspaces_identity(const struct jr_source *s, const struct jr_input *input);
void jr_xspaces_add_devices(struct jr_source *s, struct jr_build *build, uint32_t process);
void jr_xspaces_thread_devices(
	struct jr_source *s, struct jr_build *build, uint32_t process, struct jr_thread_devices *out);
bool jr_xspaces_find_program(struct jr_source *s, struct jr_dump *dump);
size_t jr_xspaces_find_beside(const struct jr_source *s, int64_t number, const char *module);
void jr_xspaces_tell_damaged(struct jr_source *s, struct jr_profile *p);
void jr_xspaces_hand_over(struct jr_source *s, struct jr_build *build);
void jr_xspaces_put_rows(const struct jr_source *s, struct jr_buf *out);
void jr_xspaces_done(struct jr_source *s);
/* ... of a digest */
void jr_xspaces_read_digest(struct jr_source *s);
bool jr_xspaces_knows_digested(const struct jr_source *s);
bool jr_xspaces_find_digested(struct jr_source *s, struct jr_dump *dump);

/* clang-format off */
#define JR_XSPACES_METHODS                                                                         \
	.read_trace = jr_xspaces_read_trace, .read_host = jr_xspaces_read_ranges,                      \
	.knows_devices = jr_xspaces_knows_devices, .identity = jr_xspaces_identity,                    \
	.add_devices = jr_xspaces_add_devices, .thread_devices = jr_xspaces_thread_devices,            \
	.find_program = jr_xspaces_find_program, .tell_damaged = jr_xspaces_tell_damaged,              \
	.hand_over = jr_xspaces_hand_over, .put_rows = jr_xspaces_put_rows, .done = jr_xspaces_done
#define JR_XSPACES_DIGESTED                                                                        \
	.read_trace = jr_xspaces_read_digest, .read_host = jr_xspaces_read_ranges,                     \
	.knows_devices = jr_xspaces_knows_digested, .identity = jr_digested_identity,         \
	.add_devices = jr_xspaces_add_devices, .thread_devices = jr_xspaces_thread_devices,            \
	.find_program = jr_xspaces_find_digested, .tell_damaged = jr_xspaces_tell_damaged,             \
	.hand_over = jr_xspaces_hand_over, .done = jr_xspaces_done
/* clang-format on */

#endif
