#include "formats/archive/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A piece stays in the caches. Linux copies half as fast to where no cache line begins, such as a
 * large block of malloc(), 16 bytes into a page. */
#define PIECE_BYTES ((size_t)64 << 10)
#define PIECE_ALIGNMENT ((size_t)4096)
/* Pages of a mapped file that were read count as our memory until they are released. */
#define FORGET_BYTES ((size_t)16 << 20)

static void put_hex(const unsigned char digest[32], char out[65])
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < 32; i++) {
		out[2 * i] = digits[digest[i] >> 4];
		out[2 * i + 1] = digits[digest[i] & 15];
	}
	out[64] = '\0';
}

/* Only the allocation can fail: every build of libcrypto has SHA-256. */
static EVP_MD_CTX *begin(void)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	if (!context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1)
		jr_oom();
	return context;
}

static void add(EVP_MD_CTX *context, const uint8_t *bytes, size_t n)
{
	if (n && EVP_DigestUpdate(context, bytes, n) != 1)
		jr_oom();
}

static void end(EVP_MD_CTX *context, char out[65])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int n = 0;
	if (EVP_DigestFinal_ex(context, digest, &n) != 1 || n != 32)
		jr_oom();
	put_hex(digest, out);
}

void jr_sha256_map(const struct jr_file_map *map, char out[65])
{
	EVP_MD_CTX *context = begin();
	for (size_t at = 0; at < map->bytes.size;) {
		size_t left = map->bytes.size - at, n = left < FORGET_BYTES ? left : FORGET_BYTES;
		add(context, map->bytes.data + at, n);
		at += n;
		if (n == FORGET_BYTES)
			jr_file_map_forget(map);
	}
	end(context, out);
	EVP_MD_CTX_free(context);
}

static enum jr_status add_file(
	EVP_MD_CTX *context, int fd, unsigned char *piece, const char *path, struct jr_error *err)
{
	for (;;) {
		ssize_t n = read(fd, piece, PIECE_BYTES);
		if (n == 0)
			return JR_OK;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return jr_fail(err, JR_EIO, "cannot read '%s': %s", path, strerror(errno));
		add(context, piece, (size_t)n);
	}
}

enum jr_status jr_sha256_file(const char *path, char out[65], struct jr_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return jr_fail_to_open(err, path, errno);
	unsigned char *piece = aligned_alloc(PIECE_ALIGNMENT, PIECE_BYTES);
	if (!piece)
		jr_oom_of(PIECE_BYTES);
	EVP_MD_CTX *context = begin();
	enum jr_status status = add_file(context, fd, piece, path, err);
	if (status == JR_OK)
		end(context, out);
	free(piece);
	EVP_MD_CTX_free(context);
	close(fd);
	return status;
}
