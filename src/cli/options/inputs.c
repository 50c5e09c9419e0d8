#include "cli/options/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/core/commands.h"
#include "cli/core/opener.h"
#include "cli/core/terminal.h"
#include "model/inputs/input.h"
#include "report/core/report.h"

#define ONE_PER_LINE " @FILE takes a list of inputs, one per line."
#define MAX_LIST_BYTES ((size_t)16 << 20)

/* --- lists ----------------------------------------------------------------------------------- */

static enum jr_status read_all(int fd, const char *name, struct jr_buf *out, struct jr_error *err)
{
	for (;;) {
		jr_buf_reserve(out, 65536);
		ssize_t n = read(fd, out->data + out->size, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return jr_fail(err, JR_EIO, "cannot read list '%s': %s", name, strerror(errno));
		if (n == 0)
			break;
		out->size += (size_t)n;
		if (out->size > MAX_LIST_BYTES)
			return jr_fail(
				err, JR_ELIMIT, "list '%s' is longer than %zu bytes", name, MAX_LIST_BYTES);
	}
	out->data[out->size] = '\0';
	return JR_OK;
}

static enum jr_status read_list(const char *name, struct jr_buf *out, struct jr_error *err)
{
	if (strcmp(name, "-") == 0)
		return read_all(STDIN_FILENO, "stdin", out, err);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && jr_is_absent(errno))
		return jr_fail(err, JR_EIO, "%s: does not exist." ONE_PER_LINE, name);
	if (fd < 0)
		return jr_fail(err, JR_EIO, "cannot open list '%s': %s", name, strerror(errno));
	struct stat st;
	/* a pipe or a device may block its reader forever */
	enum jr_status status =
		fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)
			? jr_fail(err, JR_EUNSUPPORTED,
				  "list '%s' is not a regular file. Save it as one, or pipe it into @-.", name)
			: read_all(fd, name, out, err);
	close(fd);
	return status;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Take one line of a list. A relative path starts at the list's folder: [n_folder], with the
 * slash. */
static enum jr_status take_line(struct jr_request *request, const char *list, size_t n_folder,
	const char *line, size_t n, struct jr_error *err)
{
	while (n && is_blank(*line)) {
		line++;
		n--;
	}
	while (n && is_blank(line[n - 1]))
		n--;
	if (n == 0 || *line == '#')
		return JR_OK;
	if (n > 1 && *line == '@')
		return jr_fail(err, JR_EUSAGE, "list '%s' contains a list, '%.*s'. Lists cannot be nested.",
			list, (int)n, line);
	if (*line == '/')
		n_folder = 0;
	*jr_vec_add(&request->inputs) =
		jr_arena_printf(&request->texts, "%.*s%.*s", (int)n_folder, list, (int)n, line);
	return JR_OK;
}

static enum jr_status expand_list(
	struct jr_request *request, const char *name, struct jr_error *err)
{
	struct jr_buf text = {0};
	enum jr_status status = read_list(name, &text, err);
	const char *slash = strrchr(name, '/');
	size_t n_folder = slash ? (size_t)(slash - name) + 1 : 0, before = request->inputs.n;
	if (status == JR_OK && memchr(text.data, '\0', text.size))
		status = jr_fail(err, JR_EFORMAT, "list '%s' is not a text file." ONE_PER_LINE, name);
	for (const char *line = text.data ? text.data + jr_text_mark_bytes(jr_buf_view(&text)) : "";
		 status == JR_OK && *line;) {
		size_t n = strcspn(line, "\n");
		status = take_line(request, name, n_folder, line, n, err);
		line += n + (line[n] == '\n');
	}
	jr_buf_done(&text);
	if (status == JR_OK && request->inputs.n == before)
		status = jr_fail(err, JR_EUSAGE, "list '%s' contains no input." ONE_PER_LINE, name);
	return status;
}

enum jr_status jr_inputs_expand(struct jr_request *request, struct jr_error *err)
{
	size_t n = request->inputs.n;
	const char **given = request->inputs.items;
	request->inputs.items = NULL;
	request->inputs.n = request->inputs.capacity = 0;
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < n && status == JR_OK; i++) {
		if (given[i][0] == '@' && given[i][1])
			status = expand_list(request, given[i] + 1, err);
		else
			*jr_vec_add(&request->inputs) = given[i];
		if (i == 0)
			request->n_first = request->inputs.n;
	}
	if (n == 1 && given[0][0] == '@' && given[0][1])
		request->only_list = given[0] + 1;
	free(given);
	return status;
}

static bool is_absent(const char *path)
{
	struct stat st;
	return stat(path, &st) != 0 && jr_is_absent(errno);
}

/* Check that one of the inputs from..to-1 exists; with `all`, that each of them does. */
static enum jr_status check_range(
	const struct jr_request *r, size_t from, size_t to, bool all, struct jr_error *err)
{
	const char *first = NULL;
	size_t n_absent = 0;
	for (size_t i = from; i < to; i++)
		if (is_absent(r->inputs.items[i])) {
			first = first ? first : r->inputs.items[i];
			n_absent++;
		}
	const char *last = to > from ? r->inputs.items[to - 1] : NULL;
	bool given = r->output && !r->output_made;
	if (r->command->flags & JR_CMD_DEFAULT && !given && to - from > 1 && n_absent == 1 &&
		first == last && !strpbrk(last, "./"))
		return jr_fail(err, JR_EUSAGE, JR_MEANT_AS_OUTPUT, last, last);
	if (!first || (!all && n_absent < to - from))
		return JR_OK;
	struct stat st;
	if (lstat(first, &st) == 0)
		return jr_fail(err, JR_EIO,
			"%s: is a link to a file that does not exist. Check where it points to.", first);
	return jr_fail(err, JR_EIO, "%s: does not exist. Check the path.", first);
}

enum jr_status jr_inputs_check(const struct jr_request *r, struct jr_error *err)
{
	bool two = r->command->flags & JR_CMD_TWO_INPUTS;
	size_t n_first = two ? r->n_first : r->inputs.n;
	JR_TRY(check_range(r, 0, n_first, r->command->flags & JR_CMD_OUTPUT, err));
	return two ? check_range(r, n_first, r->inputs.n, false, err) : JR_OK;
}

/* --- the output ------------------------------------------------------------------------------ */

/* The last part of a path, without trailing slashes and without the ending of an input. */
struct stem {
	const char *path;
	size_t folder; /* bytes before it */
	size_t n;      /* bytes in it */
};

static struct stem stem_of(const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	size_t folder = n;
	while (folder > 0 && path[folder - 1] != '/')
		folder--;
	return (struct stem){path, folder, jr_input_stem_size(path + folder, n - folder)};
}

static bool has_name(const struct stem *s)
{
	const char *name = s->path + s->folder;
	return s->n && !(s->n == 1 && name[0] == '.') &&
		   !(s->n == 2 && name[0] == '.' && name[1] == '.');
}

/* "run.txt" -> "run" */
static struct stem list_stem(const char *path)
{
	struct stem s = stem_of(path);
	for (size_t i = s.n; i > 1; i--)
		if (path[s.folder + i - 1] == '.') {
			s.n = i - 1;
			break;
		}
	return s;
}

static bool is_tail(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

/* Return the length of the common beginning of all stems; sets *same_folder. */
static size_t common_beginning(const struct jr_request *r, bool *same_folder)
{
	struct stem first = stem_of(r->inputs.items[0]);
	size_t common = first.n;
	*same_folder = true;
	for (size_t i = 1; i < r->inputs.n; i++) {
		struct stem s = stem_of(r->inputs.items[i]);
		*same_folder =
			*same_folder && s.folder == first.folder && memcmp(s.path, first.path, s.folder) == 0;
		size_t n = 0;
		while (n < common && n < s.n && s.path[s.folder + n] == first.path[first.folder + n])
			n++;
		common = n;
	}
	return common;
}

char *jr_inputs_output(const struct jr_request *r)
{
	struct stem s = stem_of(r->inputs.items[0]);
	bool same_folder = true;
	if (r->only_list && strcmp(r->only_list, "-") != 0) {
		s = list_stem(r->only_list);
	} else if (r->inputs.n > 1) {
		size_t n = common_beginning(r, &same_folder);
		bool all_same = n == s.n; /* a/out.zip b/out.zip */
		while (n && is_tail(s.path[s.folder + n - 1]) && !all_same)
			n--;
		s.n = n ? n : s.n;
	}
	if (!has_name(&s))
		return NULL;
	struct jr_buf name = {0};
	if (same_folder)
		jr_buf_add(&name, s.path, s.folder);
	jr_buf_add(&name, s.path + s.folder, s.n);
	jr_buf_puts(&name, r->command->bit & JR_FOR_RECORD ? ".zip" : "-report");
	return name.data;
}

void jr_inputs_put_output(struct jr_buf *out, const struct jr_request *r)
{
	size_t n = strlen(r->output);
	while (n > 1 && r->output[n - 1] == '/')
		n--;
	JR_CLEANUP(jr_buf_done) struct jr_buf path = {0};
	jr_buf_add(&path, r->output, n);
	for (size_t i = 0; i < r->formats.n; i++)
		if (strcmp(r->formats.items[i]->name, "html") == 0)
			jr_buf_puts(&path, r->output[n - 1] == '/' ? "index.html" : "/index.html");
	jr_terminal_put_path(out, path.data, path.size);
	jr_buf_putc(out, '\n');
	jr_opener_show(r->opener, path.data);
}
