#include <assert.h>
#include <limits.h>
#include <openssl/evp.h>

#include "report/html/html.h"

void jr_html_csp_source(struct jr_buf *out, struct jr_bytes text)
{
	unsigned char digest[EVP_MAX_MD_SIZE], base64[EVP_MAX_MD_SIZE * 2];
	unsigned n = 0;
	if (!EVP_Digest(text.data, text.size, digest, &n, EVP_sha256(), NULL))
		jr_oom();
	EVP_EncodeBlock(base64, digest, (int)n);
	jr_buf_printf(out, "'sha256-%s'", (const char *)base64);
}

void jr_html_base64(struct jr_buf *out, struct jr_bytes bytes)
{
	size_t size = (bytes.size + 2) / 3 * 4;
	assert(bytes.size < INT_MAX / 2); /* the caller bounds it */
	jr_buf_reserve(out, size + 1);
	EVP_EncodeBlock((unsigned char *)out->data + out->size, bytes.data, (int)bytes.size);
	out->size += size;
}
