/* The folder protos/ of an archive: the schemas of a tree of XLA's sources. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sort.h"
#include "base/text.h"
#include "record/pack_parts.h"

/* XLA of 2026 has 300 schemas, four folders deep. */
#define MOST_PROTOS 5000
#define MOST_PROTO_BYTES ((uint64_t)16 << 20)
#define MOST_DEPTH 24
#define MOST_ENTRIES 1000000

struct protos {
	struct jr_packing *p;
	size_t n_entries;
	JR_VEC(const char *) paths; /* relative to the folder that is walked */
};

/* Links are not followed: trees built by bazel have links that lead back to themselves. */
static enum jr_status walk(
	struct protos *w, const char *root, const char *below, size_t depth, struct jr_error *err)
{
	struct jr_arena *arena = &w->p->arena;
	DIR *dir = opendir(*below ? jr_arena_printf(arena, "%s/%s", root, below) : root);
	if (!dir)
		return errno == ENOENT
				   ? JR_OK
				   : jr_fail(err, JR_EIO, "cannot read '%s/%s': %s", root, below, strerror(errno));
	enum jr_status status = JR_OK;
	for (struct dirent *e; status == JR_OK && (e = readdir(dir)) != NULL;) {
		struct stat st;
		if (e->d_name[0] == '.' || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		const char *path = jr_arena_printf(arena, "%s%s%s", below, *below ? "/" : "", e->d_name);
		if (++w->n_entries > MOST_ENTRIES || w->paths.n == MOST_PROTOS)
			status = jr_fail(
				err, JR_ELIMIT, "'%s' contains more files than a tree of XLA sources", root);
		else if (S_ISDIR(st.st_mode) && depth < MOST_DEPTH)
			status = walk(w, root, path, depth + 1, err);
		else if (S_ISREG(st.st_mode) && jr_text_ends(e->d_name, ".proto"))
			*jr_vec_add(&w->paths) = path;
	}
	closedir(dir);
	return status;
}

static enum jr_status add_file(
	struct jr_packing *p, const char *path, const char *member, struct jr_error *err)
{
	JR_CLEANUP(jr_file_unmap) struct jr_file_map map = {0};
	JR_TRY(jr_file_map(path, &map, err));
	return map.bytes.size > MOST_PROTO_BYTES
			   ? jr_fail(err, JR_ELIMIT, "'%s' is larger than 16 MiB", path)
			   : jr_pack_member(p, member, map.bytes, true, err);
}

/* Add DIR/FOLDER/... as protos/NAME/... */
static enum jr_status add_below(
	struct jr_packing *p, const char *folder, const char *name, struct jr_error *err)
{
	struct protos w = {.p = p};
	const char *root = jr_arena_printf(&p->arena, "%s/%s", p->job->protos_dir, folder);
	enum jr_status status = walk(&w, root, "", 0, err);
	jr_sort(w.paths.items, w.paths.n, sizeof(*w.paths.items), jr_compare_texts);
	for (size_t i = 0; i < w.paths.n && status == JR_OK; i++)
		status = add_file(p, jr_arena_printf(&p->arena, "%s/%s", root, w.paths.items[i]),
			jr_arena_printf(&p->arena, "protos/%s/%s", name, w.paths.items[i]), err);
	jr_vec_done(&w.paths);
	return status;
}

enum jr_status jr_pack_protos(struct jr_packing *p, struct jr_error *err)
{
	JR_TRY(add_below(p, "third_party/tsl/tsl", "tsl", err));
	return add_below(p, "xla", "xla", err);
}
