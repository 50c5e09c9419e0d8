/* Writing the parts of a digest. */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "formats/archive/xz.h"
#include "model/digest/rank_tables.h"

void jr_digest_put_begin(struct jr_buf *out)
{
	jr_buf_printf(out, "%s%d\n", JR_DIGEST_BEGIN, JR_DIGEST_VERSION);
}

void jr_digest_put_part(struct jr_bytes part, struct jr_buf *out)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf packed = {0};
	jr_xz_encode(part, &packed);
	for (unsigned shift = 0; shift < 64; shift += 8)
		jr_buf_putc(out, (char)((uint64_t)packed.size >> shift));
	jr_buf_add(out, packed.data, packed.size);
}

void jr_digest_put_head(
	const struct jr_digest_head *head, const struct jr_profile *p, struct jr_buf *out)
{
	jr_compact_text(out, head->kind);
	jr_compact_number(out, head->size_bytes);
	jr_compact_number(out, head->n_ranks);
	for (size_t i = 0; i < head->n_ranks; i++)
		jr_compact_text(out, head->names[i]);
	jr_compact_number(out, p->n_guesses);
	for (size_t i = 0; i < p->n_guesses; i++) {
		jr_compact_text(out, p->guesses[i].id);
		jr_compact_number(out, p->guesses[i].count);
		jr_compact_text(out, p->guesses[i].detail);
	}
	jr_compact_number(out, p->n_unread);
	for (size_t i = 0; i < p->n_unread; i++) {
		jr_compact_text(out, jr_str(p, p->unread[i].name));
		jr_compact_number(out, p->unread[i].kind);
		jr_compact_number(out, p->unread[i].n);
	}
	jr_compact_number(out, head->n_texts);
	for (size_t i = 0; i < head->n_texts; i++) {
		jr_compact_text(out, head->texts[i].name);
		jr_compact_number(out, head->texts[i].state);
		jr_compact_number(out, head->texts[i].size_bytes);
	}
}

static void put_error(struct jr_buf *out, const struct jr_error *error)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	const char *message = error->status == JR_OK ? "" : error->message;
	jr_text_clean(&clean, message, strlen(message));
	jr_compact_number(out, error->status);
	jr_compact_bytes(out, jr_buf_view(&clean));
}

/* "" stands for NULL. */
static void put_words(struct jr_buf *out, const char *text)
{
	jr_compact_text(out, text ? text : "");
}

static void put_trace(struct jr_buf *out, const struct jr_trace *trace)
{
	jr_compact_table(out, &jr_compact_trace, trace, 1);
	jr_compact_strings(out, &trace->strings);
	jr_compact_table(out, &jr_compact_trace_names, trace->names, trace->n_names);
	jr_compact_table(out, &jr_compact_trace_rows, trace, trace->n);
}

static void put_metadata(struct jr_buf *out, const struct jr_metadata *metadata)
{
	jr_compact_strings(out, &metadata->strings);
	jr_compact_table(out, &jr_compact_metadata, metadata, 1);
	jr_compact_table(out, &jr_compact_launchers, metadata->launchers, metadata->n_launchers);
	jr_compact_table(out, &jr_compact_gpus, metadata->gpus, metadata->n_gpus);
	jr_compact_table(out, &jr_compact_settings, metadata->settings, metadata->n_settings);
}

static void put_host(struct jr_buf *out, const struct jr_host_ranges *host)
{
	jr_compact_table(out, &jr_compact_host, host, 1);
	jr_compact_strings(out, &host->strings);
	jr_compact_table(out, &jr_compact_host_rows, host, host->n);
}

void jr_digest_put_rank(const struct jr_digest_rank *rank, const struct jr_trace *trace,
	const struct jr_metadata *metadata, const struct jr_host_ranges *host, struct jr_buf *out)
{
	jr_compact_table(out, &jr_compact_rank, rank, 1);
	put_words(out, rank->no_compilation);
	put_words(out, rank->no_dumps);
	put_words(out, rank->nothing);
	put_error(out, &rank->trace_error);
	put_error(out, &rank->metadata_error);
	put_error(out, &rank->host_error);
	put_metadata(out, metadata);
	if (rank->has_trace)
		put_trace(out, trace);
	if (rank->has_host)
		put_host(out, host);
	jr_compact_table(out, &jr_compact_rank_programs, rank->programs, rank->n_programs);
	for (size_t i = 0; i < rank->n_programs; i++) {
		put_error(out, &rank->programs[i].error);
		jr_compact_bytes(out, rank->programs[i].hlo);
	}
	jr_compact_bytes(out, rank->rows);
}
