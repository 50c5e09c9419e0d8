#include "formats/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES (1u << 20)

static void put_hex(const unsigned char digest[32], char out[65])
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < 32; i++) {
		out[2 * i] = digits[digest[i] >> 4];
		out[2 * i + 1] = digits[digest[i] & 15];
	}
	out[64] = '\0';
}

void jr_sha256_hex(struct jr_bytes in, char out[65])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int n = 0;
	/* Of all it does only taking memory can fail: SHA-256 is in every build of libcrypto. */
	if (EVP_Digest(in.size ? (const void *)in.data : "", in.size, digest, &n, EVP_sha256(), NULL) !=
			1 ||
		n != 32)
		jr_oom();
	put_hex(digest, out);
}

static enum jr_status add_file(EVP_MD_CTX *context, int fd, unsigned char *piece, const char *path,
	struct jr_error *err)
{
	for (;;) {
		ssize_t n = read(fd, piece, PIECE_BYTES);
		if (n == 0)
			return JR_OK;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return jr_fail(err, JR_EIO, "cannot read '%s': %s", path, strerror(errno));
		if (EVP_DigestUpdate(context, piece, (size_t)n) != 1)
			jr_oom();
	}
}

enum jr_status jr_sha256_file(const char *path, char out[65], struct jr_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return jr_fail(err, JR_EIO, "cannot open '%s': %s", path, strerror(errno));
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	unsigned char *piece = malloc(PIECE_BYTES);
	if (!context || !piece || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1)
		jr_oom();
	enum jr_status status = add_file(context, fd, piece, path, err);
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int n = 0;
	if (status == JR_OK && (EVP_DigestFinal_ex(context, digest, &n) != 1 || n != 32))
		jr_oom();
	if (status == JR_OK)
		put_hex(digest, out);
	free(piece);
	EVP_MD_CTX_free(context);
	close(fd);
	return status;
}
