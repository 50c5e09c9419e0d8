#include "formats/digest.h"

#include <openssl/evp.h>

void jr_sha256_hex(struct jr_bytes in, char out[65])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int n = 0;
	/* Of all it does only taking memory can fail: SHA-256 is in every build of libcrypto. */
	if (EVP_Digest(in.size ? (const void *)in.data : "", in.size, digest, &n, EVP_sha256(), NULL) !=
			1 ||
		n != 32)
		jr_oom();
	for (size_t i = 0; i < 32; i++) {
		out[2 * i] = digits[digest[i] >> 4];
		out[2 * i + 1] = digits[digest[i] & 15];
	}
	out[64] = '\0';
}
