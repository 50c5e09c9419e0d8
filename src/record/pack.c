#include "record/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "formats/hlo/hlo_schema.h"
#include "formats/text/secrets.h"
#include "record/pack_parts.h"

static enum jr_status put_schema(struct jr_packing *p, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf data = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf hlo = {0};
	if (p->told->n_dumps == 0)
		return JR_OK;
	if (p->job->protos_dir)
		return jr_pack_protos(p, err);
	jr_hlo_schema(p->groups_fields, &data, &hlo);
	JR_TRY(jr_pack_member(p, JR_MEMBER_SCHEMA_DATA, jr_buf_view(&data), true, err));
	return jr_pack_member(p, JR_MEMBER_SCHEMA, jr_buf_view(&hlo), true, err);
}

static void put_words(struct jr_buf *text, const char *const *words, size_t n)
{
	jr_buf_putc(text, '[');
	for (size_t i = 0; i < n; i++) {
		jr_buf_puts(text, i ? ", " : "");
		jr_json_text(text, words[i]);
	}
	jr_buf_putc(text, ']');
}

/* Write the program's command line without what its arguments keep secret. */
static void put_command(struct jr_buf *text, const char *const *words, size_t n)
{
	jr_buf_putc(text, '[');
	for (size_t i = 0; i < n; i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf shown = {0};
		if (i && jr_secrets_follow(words[i - 1]))
			jr_buf_puts(&shown, JR_SECRETS_HIDDEN);
		else
			jr_secrets_hide(&shown, words[i], strlen(words[i]));
		jr_buf_puts(text, i ? ", " : "");
		jr_json_text(text, shown.data ? shown.data : "");
	}
	jr_buf_putc(text, ']');
}

static void put_run(struct jr_buf *text, const struct jr_pack_run *run)
{
	jr_buf_puts(text, ",\n\t\"command\": ");
	if (run->no_arguments)
		jr_buf_puts(text, "null,\n\t\"command_left_out\": \"--no-arguments\"");
	else
		put_command(text, run->words + run->n_own, run->n_words - run->n_own);
	jr_buf_puts(text, ",\n\t\"nsys\": {\"version\": ");
	if (run->nsys_version)
		jr_json_text(text, run->nsys_version);
	else
		jr_buf_puts(text, "null");
	jr_buf_puts(text, ", \"words\": ");
	put_words(text, run->words, run->n_own);
	jr_buf_putc(text, '}');
	jr_buf_printf(text,
		",\n\t\"begun_s\": %" PRId64 ",\n\t\"ended_s\": %" PRId64 ",\n\t\"status\": %d",
		run->begun_s, run->ended_s, run->status);
}

static const char *yes_or_no(bool yes)
{
	return yes ? "true" : "false";
}

/* Write how the archive was made and what it lacks; nothing of the environment. */
static enum jr_status put_record(struct jr_packing *p, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, "{\n\t\"written_by\": {\"program\": \"jaxreport\", \"version\": ");
	jr_json_text(&text, p->job->version);
	jr_buf_putc(&text, '}');
	if (p->job->run)
		put_run(&text, p->job->run);
	jr_buf_printf(&text,
		",\n\t\"gpu_work\": %s,\n\t\"xla_ranges\": %s,\n\t\"report_of_nsys\": %s,\n\t"
		"\"protos_of_xla\": %s,\n\t\"dumps\": %zu,\n\t\"dumps_damaged\": %zu,\n\t"
		"\"sources\": %zu,\n\t\"dumps_left_out\": ",
		yes_or_no(p->told->has_gpu_work), yes_or_no(p->told->has_xla),
		yes_or_no(p->job->report_path), yes_or_no(p->job->protos_dir), p->told->n_dumps,
		p->told->n_damaged_dumps, p->told->n_sources);
	put_words(&text, p->dumps_left_out.items, p->dumps_left_out.n);
	jr_buf_puts(&text, ",\n\t\"sources_changed\": ");
	put_words(&text, p->changed.items, p->changed.n);
	jr_buf_puts(&text, ",\n\t\"sources_left_out\": [");
	for (size_t i = 0; i < p->left_out.n; i++) {
		jr_buf_puts(&text, i ? ",\n\t\t{\"file\": " : "\n\t\t{\"file\": ");
		jr_json_text(&text, p->left_out.items[i].file);
		jr_buf_puts(&text, ", \"why\": ");
		jr_json_text(&text, p->left_out.items[i].why);
		jr_buf_putc(&text, '}');
	}
	jr_buf_puts(&text, p->left_out.n ? "\n\t]\n}\n" : "]\n}\n");
	return jr_pack_member(p, "record.json", jr_buf_view(&text), true, err);
}

static enum jr_status pack_export(struct jr_packing *p, struct jr_error *err)
{
	const struct jr_pack_job *job = p->job;
	struct jr_export_ranges ranges;
	JR_TRY(jr_export_ranges_read(job->sqlite_path, job->limits, job->n_threads, &ranges, err));
	p->told->n_processes = ranges.x.n_parts;
	enum jr_status status = jr_pack_ranges(p, &ranges, err);
	if (status == JR_OK)
		status = jr_pack_metadata(p, &ranges.x, err);
	jr_export_ranges_done(&ranges);
	return status;
}

/* The last and largest member, copied in pieces. Even the lowest level deflates it to a fifth. */
static enum jr_status put_report(struct jr_packing *p, struct jr_error *err)
{
	enum { PIECE_BYTES = 1 << 20, LEVEL = 1 };
	const char *path = p->job->report_path;
	if (!path)
		return JR_OK;
	const char *slash = strrchr(path, '/');
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return jr_fail_to_open(err, path, errno);
	p->told->n_members++;
	char *piece = jr_arena_alloc(&p->arena, PIECE_BYTES);
	enum jr_status status = jr_zip_writer_begin(&p->zip, slash ? slash + 1 : path, LEVEL, err);
	for (ssize_t n = 1; status == JR_OK && n != 0;) {
		n = read(fd, piece, PIECE_BYTES);
		if (n > 0)
			status = jr_zip_writer_grow(&p->zip, jr_bytes_of(piece, (size_t)n), err);
		else if (n < 0 && errno != EINTR)
			status = jr_fail(err, JR_EIO, "cannot read '%s': %s", path, strerror(errno));
	}
	close(fd);
	return status == JR_OK ? jr_zip_writer_end(&p->zip, err) : status;
}

static enum jr_status pack(struct jr_packing *p, struct jr_error *err)
{
	JR_TRY(pack_export(p, err));
	JR_TRY(jr_pack_dumps(p, err));
	JR_TRY(put_schema(p, err));
	JR_TRY(jr_pack_sources(p, err));
	JR_TRY(put_record(p, err));
	JR_TRY(put_report(p, err));
	return jr_zip_writer_finish(&p->zip, err);
}

/* Names of ranges take a few times the size of their rows in the export. */
static uint64_t most_text_bytes(const struct jr_pack_job *job)
{
	enum { TIMES = 64 };
	const uint64_t least = UINT64_C(1) << 30;
	struct stat st;
	uint64_t bytes = stat(job->sqlite_path, &st) == 0 ? (uint64_t)st.st_size * TIMES : 0;
	return bytes > least ? bytes : least;
}

enum jr_status jr_pack(const struct jr_pack_job *job, struct jr_outfile *file,
	struct jr_pack_told *told, struct jr_error *err)
{
	struct jr_packing p = {.job = job, .told = told, .most_text_bytes = most_text_bytes(job)};
	*told = (struct jr_pack_told){0};
	jr_arena_init(&p.arena, 0);
	jr_intern_init(&p.files);
	jr_zip_writer_init(&p.zip, file);
	enum jr_status status = pack(&p, err);
	told->n_dumps_left_out = p.dumps_left_out.n;
	jr_zip_writer_done(&p.zip);
	jr_intern_done(&p.files);
	jr_vec_done(&p.left_out);
	jr_vec_done(&p.changed);
	jr_vec_done(&p.dumps_left_out);
	jr_arena_done(&p.arena);
	return status;
}
