/* A digest: what a report keeps of another input, whose kind it states. */
#include <string.h>

#include "model/digest/digests.h"
#include "model/sources/opening.h"

static int probe(const struct jr_input_head *head)
{
	return jr_input_begins(head, JR_DIGEST_BEGIN, sizeof(JR_DIGEST_BEGIN) - 1)
			   ? 8 * (int)(sizeof(JR_DIGEST_BEGIN) - 1)
			   : 0;
}

/* Return the kind of the input that it was made from; NULL: none that has digests. */
static const struct jr_input_ops *kind_of(
	const struct jr_digest *digest, const struct jr_input_ops *const *kinds)
{
	for (; *kinds; kinds++)
		if ((*kinds)->digested && strcmp((*kinds)->label, digest->kind) == 0)
			return *kinds;
	return NULL;
}

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	struct jr_digest *digest = o->digest;
	enum jr_status status = jr_digest_open(o->path, o->limits, digest, err);
	if (status != JR_OK) /* a file that cannot be opened is named already */
		return status == JR_EIO ? status : jr_context(err, status, "'%s'", o->input->name);
	const struct jr_input_ops *kind = kind_of(digest, o->kinds);
	if (!kind)
		return jr_fail(err, JR_EFORMAT,
			"'%s': the digest is damaged: it does not state what it was made from", o->input->name);
	o->input->kind = kind;
	o->input->size_bytes = digest->size_bytes;
	o->input->digest = digest;
	for (size_t i = 0; i < digest->n_guesses; i++)
		jr_profile_guess(
			o->profile, digest->guesses[i].id, digest->guesses[i].count, digest->guesses[i].detail);
	return kind->digested->open(o, err);
}

/* --- compile ranges only ---------------------------------------------------------------------- */

/* A rank without ranges is passed over if another one has some. */
static enum jr_status read_ranks(
	const struct jr_digest *digest, const struct jr_host_listener *to, struct jr_error *err)
{
	const struct jr_input_ops *kind = kind_of(digest, to->kinds);
	struct jr_error first = {0}, why;
	size_t n_read = 0;
	if (!kind)
		return jr_fail(
			err, JR_EFORMAT, "the digest is damaged: it does not state what it was made from");
	for (size_t i = 0; i < digest->n_ranks; i++) {
		why = (struct jr_error){0};
		enum jr_status status = kind->digested->read_host(digest, i, to, &why);
		n_read += status == JR_OK;
		if (first.status == JR_OK)
			first = why;
		if (status == JR_OK || status == JR_ENOTFOUND)
			continue;
		if (err)
			*err = why;
		return status;
	}
	if (n_read == 0 && err)
		*err = first;
	return n_read ? JR_OK : first.status;
}

static enum jr_status read_host(
	const char *path, const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_digest digest;
	enum jr_status status = jr_digest_open(path, to->limits, &digest, err);
	if (status == JR_OK) {
		status = read_ranks(&digest, to, err);
		jr_digest_close(&digest);
	}
	return status == JR_OK || status == JR_EIO ? status : jr_context(err, status, "'%s'", path);
}

const struct jr_input_ops jr_input_digest = {
	.label = "digest",
	.noun = "a digest",
	.help = "a digest of an archive, an export or a trace of jax.profiler (jaxreport digest)",
	.suffixes = {".jrd"},
	.by_name = true,
	.probe = probe,
	.open = open,
	.read_host = read_host,
};
