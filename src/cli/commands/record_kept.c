/* After a program was recorded: find what nsys left, where to keep it, and how to go on from it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/commands/record_run.h"
#include "record/nsys_words.h"

bool jr_record_is_written(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

const char *jr_record_beside(struct recording *r, const char *ending)
{
	return jr_arena_printf(
		&r->arena, "%.*s%s", (int)(strlen(r->output) - strlen(".zip")), r->output, ending);
}

const char *jr_record_finish_command(struct recording *r, const char *report)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf line = {0};
	jr_buf_puts(&line, "jaxreport record --from ");
	jr_put_shell_word(&line, report);
	if (access(r->dump, F_OK) == 0) {
		jr_buf_puts(&line, " --xla-dump ");
		jr_put_shell_word(&line, r->dump);
	}
	if (r->wish->nsys) {
		jr_buf_puts(&line, " --nsys ");
		jr_put_shell_word(&line, r->wish->nsys);
	}
	jr_buf_puts(&line, " -o ");
	jr_put_shell_word(&line, r->output);
	return jr_arena_strndup(&r->arena, line.data, line.size);
}

const char *jr_record_full_disk(struct recording *r)
{
	enum { LEAST = 16 << 20 };
	const char *slash = strrchr(r->output, '/');
	const char *beside =
		slash ? jr_arena_strndup(&r->arena, r->output, (size_t)(slash - r->output) + 1) : ".";
	const char *const folders[] = {r->work, beside};
	for (size_t i = 0; i < JR_COUNT_OF(folders); i++) {
		struct statvfs fs;
		if (statvfs(folders[i], &fs) != 0 || (uint64_t)fs.f_bavail * fs.f_frsize >= LEAST)
			continue;
		return jr_arena_printf(&r->arena, " (the disk of '%s' is full: %llu bytes free)",
			folders[i], (unsigned long long)fs.f_bavail * fs.f_frsize);
	}
	return "";
}

/* Return the file that nsys writes while the program runs: the largest .qdstrm. NULL: none */
static const char *collected(struct recording *r)
{
	const char *folder = jr_arena_printf(&r->arena, "%s/nsys", r->work), *found = NULL;
	off_t size = 0;
	DIR *all = opendir(folder);
	for (struct dirent *d; all && (d = readdir(all)) != NULL;) {
		struct stat st;
		const char *path = jr_arena_printf(&r->arena, "%s/%s", folder, d->d_name);
		const char *dot = strrchr(d->d_name, '.');
		if (!dot || strcmp(dot, ".qdstrm") != 0 || lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
			st.st_size <= size)
			continue;
		found = path;
		size = st.st_size;
	}
	if (all)
		closedir(all);
	return found;
}

static bool copy(const char *from, const char *to)
{
	char block[65536];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	bool ok = in >= 0 && out >= 0;
	for (ssize_t n; ok && (n = read(in, block, sizeof(block))) != 0;)
		ok = n > 0 && write(out, block, (size_t)n) == n;
	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) != 0)
		ok = false;
	if (!ok && out >= 0)
		(void)unlink(to);
	return ok;
}

void jr_record_keep_data(struct recording *r)
{
	const char *kept = jr_record_beside(r, ".qdstrm"), *found;
	r->data = NULL;
	if (jr_record_is_written(kept))
		r->data = kept; /* kept there by nsys */
	if (r->data || (jr_record_is_written(r->report) && !r->ran.cut_short) ||
		(found = collected(r)) == NULL)
		return;
	r->data_in_work = rename(found, kept) != 0 && (errno != EXDEV || !copy(found, kept));
	r->data = r->data_in_work ? found : kept;
}
