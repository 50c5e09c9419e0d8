/* profile.sqlite: the frames of analysis/README.md, section 1, row by row, for SQL. Times use the
 * clock of their profile; subtract device.correction_ns to compare devices. Tables report_* contain
 * the results; see sqlite_parts.h. */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "report/core/formats.h"
#include "report/data/sqlite_parts.h"

struct database {
	struct jr_sqlite_put put;
	const struct jr_profile *profile;
};

/* One table: its definition, its indexes, and its rows. */
struct frame {
	const char *create, *insert, *index;
	size_t (*count)(const struct jr_profile *p);
	/* Bind the columns in order; false leaves the row out. */
	bool (*bind)(struct database *d, size_t row);
};

static void put_int(struct database *d, int64_t v)
{
	jr_sqlite_i64(&d->put, v);
}

static void put_int_or_null(struct database *d, int64_t v, bool known)
{
	if (known)
		put_int(d, v);
	else
		jr_sqlite_null(&d->put);
}

static void put_double(struct database *d, double v)
{
	if (isfinite(v))
		jr_sqlite_f64(&d->put, v);
	else
		jr_sqlite_null(&d->put);
}

static void put_text(struct database *d, uint32_t id)
{
	if (id && id != JR_NONE)
		jr_sqlite_text(
			&d->put, jr_str(d->profile, id), jr_intern_len(&d->profile->strings, id), true);
	else
		jr_sqlite_null(&d->put);
}

/* program_id is always text: a string of decimal digits. */
static void put_program(struct database *d, uint32_t program)
{
	char text[JR_NUM_MAX];
	jr_sqlite_text(&d->put, text, jr_num_i64(text, d->profile->programs[program].number), false);
}

static void put_device(struct database *d, uint32_t device)
{
	put_int_or_null(
		d, d->profile->devices[device].global, d->profile->devices[device].global != JR_NONE);
}

/* --- frames --------------------------------------------------------------------------------- */

static size_t count_devices(const struct jr_profile *p)
{
	return p->n_devices;
}

static bool bind_device(struct database *d, size_t row)
{
	const struct jr_device *device = &d->profile->devices[row];
	put_device(d, (uint32_t)row);
	put_int_or_null(d, device->local, device->local != JR_NONE);
	put_text(d, device->process < d->profile->n_processes
					? d->profile->processes[device->process].name
					: 0);
	put_text(d, device->gpu_name);
	put_double(d, device->correction_ns);
	return true;
}

static size_t count_modules(const struct jr_profile *p)
{
	return p->modules.n;
}

static bool bind_module(struct database *d, size_t row)
{
	const struct jr_modules *m = &d->profile->modules;
	put_program(d, m->program[row]);
	put_int(d, m->program_execution[row]);
	put_device(d, m->device[row]);
	put_text(d, d->profile->programs[m->program[row]].name);
	put_int(d, m->start_ns[row]);
	put_int(d, m->dur_ns[row]);
	put_int(d, m->n_thunks[row]);
	put_int(d, m->steady[row] != 0);
	return true;
}

static size_t count_thunks(const struct jr_profile *p)
{
	return p->thunks.n;
}

/* Bind the columns that thunk and communication share: the key and the times. */
static void bind_execution(struct database *d, size_t row)
{
	const struct jr_op *op = jr_thunk_op(d->profile, row);
	put_program(d, op->program);
	put_int(d, jr_thunk_execution(d->profile, row));
	put_text(d, op->name);
	put_int(d, jr_thunk_repeat(d->profile, row));
	put_device(d, jr_thunk_device(d->profile, row));
	put_int(d, jr_thunk_start_ns(d->profile, row));
	put_int(d, jr_thunk_dur_ns(d->profile, row));
	put_int(d, jr_thunk_hidden_ns(d->profile, row));
	put_int(d, jr_thunk_active_ns(d->profile, row));
}

static bool bind_thunk(struct database *d, size_t row)
{
	const struct jr_op *op = jr_thunk_op(d->profile, row);
	bind_execution(d, row);
	put_int(d, op->communication);
	put_text(d, op->opcode);
	put_text(d, op->op_name);
	put_text(d, op->source_file);
	put_int_or_null(d, op->source_line, op->source_file != 0);
	put_int(d, jr_thunk_steady(d->profile, row) != 0);
	return true;
}

static bool bind_communication(struct database *d, size_t row)
{
	const struct jr_op *op = jr_thunk_op(d->profile, row);
	if (!op->communication)
		return false;
	double dur_ns = (double)jr_thunk_dur_ns(d->profile, row);
	/* bytes per nanosecond are GB per second */
	double algorithm = op->message_bytes && op->k > 0 && dur_ns > 0
						   ? op->k * (double)op->message_bytes / dur_ns
						   : NAN;
	bind_execution(d, row);
	put_text(d, op->collective);
	put_int_or_null(d, (int64_t)op->message_bytes, op->message_bytes != 0);
	put_int_or_null(d, op->group_size, op->group_size != 0);
	put_double(d, algorithm);
	put_double(d, op->c > 0 ? algorithm * op->c : NAN);
	put_int(d, jr_communication_steady(d->profile, row));
	return true;
}

static size_t count_compiles(const struct jr_profile *p)
{
	return p->compiles.n;
}

static bool bind_compile(struct database *d, size_t row)
{
	const struct jr_compiles *c = &d->profile->compiles;
	uint32_t parent = c->parent[row];
	put_text(d, c->process[row] < d->profile->n_processes
					? d->profile->processes[c->process[row]].name
					: 0);
	put_int(d, c->range_id[row]);
	put_text(d, c->name[row]);
	put_int(d, c->tid[row]);
	put_int(d, c->start_ns[row]);
	put_int(d, c->dur_ns[row]);
	put_int(d, c->child_ns[row]);
	put_int(d, c->self_ns[row]);
	put_int_or_null(d, parent == JR_NONE ? 0 : c->range_id[parent], parent != JR_NONE);
	put_int_or_null(d, c->program_number[row], c->program_number[row] >= 0);
	put_int(d, 0); /* compilation always counts as initialization */
	return true;
}

static const struct frame frames[] = {
	{"CREATE TABLE device (device INTEGER, local INTEGER, profile TEXT, gpu_name TEXT, "
	 "correction_ns REAL)",
		"INSERT INTO device VALUES (?,?,?,?,?)", NULL, count_devices, bind_device},
	{"CREATE TABLE module (program_id TEXT, program_execution INTEGER, device INTEGER, name TEXT, "
	 "start_ns INTEGER, dur_ns INTEGER, n_thunks INTEGER, steady INTEGER)",
		"INSERT INTO module VALUES (?,?,?,?,?,?,?,?)",
		"CREATE INDEX module_key ON module (program_id, program_execution, device);"
		"CREATE INDEX module_start ON module (device, start_ns)",
		count_modules, bind_module},
	{"CREATE TABLE thunk (program_id TEXT, program_execution INTEGER, name TEXT, "
	 "thunk_execution INTEGER, device INTEGER, start_ns INTEGER, dur_ns INTEGER, "
	 "hidden_ns INTEGER, exposed_ns INTEGER, communication INTEGER, opcode TEXT, op_name TEXT, "
	 "source_file TEXT, source_line INTEGER, steady INTEGER)",
		"INSERT INTO thunk VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		"CREATE INDEX thunk_key ON thunk (program_id, program_execution, name, thunk_execution);"
		"CREATE INDEX thunk_start ON thunk (device, start_ns)",
		count_thunks, bind_thunk},
	{"CREATE TABLE communication (program_id TEXT, program_execution INTEGER, name TEXT, "
	 "thunk_execution INTEGER, device INTEGER, start_ns INTEGER, dur_ns INTEGER, "
	 "hidden_ns INTEGER, exposed_ns INTEGER, collective TEXT, message_bytes INTEGER, "
	 "group_size INTEGER, algorithm_gbps REAL, bus_gbps REAL, steady INTEGER)",
		"INSERT INTO communication VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		"CREATE INDEX communication_key ON communication "
		"(program_id, program_execution, name, thunk_execution);"
		"CREATE INDEX communication_size ON communication (collective, message_bytes)",
		count_thunks, bind_communication},
	{"CREATE TABLE compile (profile TEXT, range_id INTEGER, name TEXT, tid INTEGER, "
	 "start_ns INTEGER, dur_ns INTEGER, child_ns INTEGER, self_ns INTEGER, parent INTEGER, "
	 "program INTEGER, steady INTEGER)",
		"INSERT INTO compile VALUES (?,?,?,?,?,?,?,?,?,?,?)",
		"CREATE INDEX compile_key ON compile (profile, range_id);"
		"CREATE INDEX compile_name ON compile (name)",
		count_compiles, bind_compile},
};

static enum jr_status put_frame(struct database *d, const struct frame *frame, struct jr_error *err)
{
	JR_TRY(jr_sqlite_execute(&d->put, frame->create, err));
	JR_TRY(jr_sqlite_begin(&d->put, frame->insert, err));
	size_t n = frame->count(d->profile);
	for (size_t row = 0; row < n; row++)
		if (frame->bind(d, row))
			JR_TRY(jr_sqlite_end_row(&d->put, err));
	jr_sqlite_put_done(&d->put);
	return frame->index ? jr_sqlite_execute(&d->put, frame->index, err) : JR_OK;
}

enum jr_status jr_sqlite_fill(
	sqlite3 *db, const struct jr_profile *profile, const struct jr_doc *doc, struct jr_error *err)
{
	struct database d = {.put.db = db, .profile = profile};
	/* The file is new and not in place yet, so no journal is needed. Sorting for an index stays in
	 * memory, because at this time only files below the output may be written. */
	enum jr_status status = jr_sqlite_execute(&d.put,
		"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY; BEGIN", err);
	for (size_t i = 0; i < JR_COUNT_OF(frames) && status == JR_OK; i++)
		status = put_frame(&d, &frames[i], err);
	jr_sqlite_put_done(&d.put);
	JR_TRY(status);
	JR_TRY(jr_sqlite_put_report(db, doc, err));
	return jr_sqlite_execute(&d.put, "COMMIT", err);
}

/* By now everything is committed and closed, or the file is discarded. */
static void close_database(sqlite3 **db)
{
	(void)sqlite3_close(*db);
}

enum jr_status jr_write_sqlite(const struct jr_report_job *job, struct jr_error *err)
{
	JR_CLEANUP(close_database) sqlite3 *db = NULL;
	char *path = jr_outdir_path(job->out, "profile.sqlite");
	enum jr_status status = JR_OK;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
		status = jr_fail(err, JR_EIO, "%s", sqlite3_errmsg(db));
	else
		status = jr_sqlite_fill(db, job->profile, job->doc, err);
	free(path);
	return status == JR_OK
			   ? JR_OK
			   : jr_context(err, status, "cannot write '%s/profile.sqlite'", job->out->target);
}
