/*
 * xspaces.h - sources recorded by jax.profiler: an XSpace file, alone or in a folder or zip. If it
 * is missing, the Chrome trace made from it is used.
 * Layer: model, private to kinds of inputs.
 */
#ifndef JR_MODEL_XSPACES_H
#define JR_MODEL_XSPACES_H

#include "base/file.h"
#include "formats/xspace/xspace_json.h"
#include "model/sources/opening.h"
#include "model/xprofile/xprofile.h"

extern const struct jr_input_ops jr_input_xspace, jr_input_trace_json;

struct jr_source_xspace;

/* The differences between the two kinds. */
struct jr_xspaces_variant {
	struct jr_source_type type; /* with JR_XSPACES_METHODS */
	/* fill own->profile; a failure goes to s->trace_error */
	enum jr_status (*read)(struct jr_source *s, struct jr_bytes bytes);
	/* add further messages to the report; NULL: none */
	void (*tell)(const struct jr_source_xspace *x, struct jr_profile *p);
};

/* jr_source.own */
struct jr_source_xspace {
	const struct jr_xspaces_variant *variant;
	struct jr_content content;    /* bytes of a member */
	struct jr_file_map map;       /* bytes of a file, needed until the last program is decoded */
	struct jr_error beside_error; /* why its folder was not read; status JR_OK = it was */
	struct jr_xprofile profile;
	struct jr_xspace_json json; /* of a Chrome trace, without the generated message */
	size_t n_threads;
};

/** Add the source of the named file, or of a member of opening->archive. */
void jr_xspaces_open(struct jr_opening *opening, const struct jr_xspaces_variant *variant);
void jr_xspaces_open_member(
	struct jr_opening *opening, const struct jr_xspaces_variant *variant, size_t member);
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
void jr_xspaces_hand_over(struct jr_source *s, struct jr_build *build);
void jr_xspaces_done(struct jr_source *s);

/* clang-format off */
#define JR_XSPACES_METHODS                                                                         \
	.read_trace = jr_xspaces_read_trace, .read_host = jr_xspaces_read_ranges,                      \
	.knows_devices = jr_xspaces_knows_devices, .identity = jr_xspaces_identity,                    \
	.add_devices = jr_xspaces_add_devices, .thread_devices = jr_xspaces_thread_devices,            \
	.find_program = jr_xspaces_find_program, .hand_over = jr_xspaces_hand_over,                    \
	.done = jr_xspaces_done
/* clang-format on */

#endif
