/* Signed tokens: see oauth.h. */
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/json/json.h"
#include "oauth.h"

#define JWT_HALF 32     /* bytes of each number of a signature of P-256 */
#define JWT_SECONDS 300 /* that an assertion is valid */

/* Parses a private key, and sets the name of its algorithm. */
static EVP_PKEY *
jwt_read_key(const char *pem, const char **algorithm, struct err *err)
{
	/* One with a passphrase is an error: nobody could be asked for it. */
	static char passphrase[] = "";
	BIO *text = BIO_new_mem_buf(pem, -1);
	EVP_PKEY *key =
	    PEM_read_bio_PrivateKey(text, NULL, NULL, passphrase);
	char curve[32] = "";
	size_t len;

	BIO_free(text);
	if (key == NULL) {
		err_set(err, "its privateKey cannot be read: it must be a PEM "
		    "(\"-----BEGIN PRIVATE KEY-----\" …) without a passphrase");
		return NULL;
	}
	*algorithm = NULL;
	if (EVP_PKEY_is_a(key, "RSA"))
		*algorithm = "RS256";
	else if (EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(
	             key, curve, sizeof(curve), &len) == 1 &&
	    strcmp(curve, "prime256v1") == 0)
		*algorithm = "ES256";
	if (*algorithm == NULL) {
		EVP_PKEY_free(key);
		err_set(err, "its privateKey is of another kind than RSA "
		    "(RS256) and EC with the curve P-256 (ES256)");
		return NULL;
	}
	return key;
}

/* Makes two numbers of fixed size of a signature in DER (RFC 7518, 3.4). */
static size_t
jwt_flatten(unsigned char *signature, size_t len)
{
	const unsigned char *p = signature;
	ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &p, (long)len);

	if (pair == NULL)
		fatal("libcrypto cannot read its own signature");
	BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, JWT_HALF);
	BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + JWT_HALF, JWT_HALF);
	ECDSA_SIG_free(pair);
	return JWT_HALF + JWT_HALF;
}

/* Appends the token of a header and claims, which are JSON. */
static int
jwt_sign(struct buffer *text, EVP_PKEY *key, const struct buffer *header,
    const struct buffer *claims, struct err *err)
{
	EVP_MD_CTX *hash = EVP_MD_CTX_new();
	size_t at = text->len, len = (size_t)EVP_PKEY_get_size(key);
	auto_free unsigned char *signature = mem_alloc(len);
	int done;

	query_add_bytes(text, header->data, header->len);
	buffer_add_text(text, ".");
	query_add_bytes(text, claims->data, claims->len);
	done = EVP_DigestSignInit(hash, NULL, EVP_sha256(), NULL, key) == 1 &&
	    EVP_DigestSign(hash, signature, &len,
	        (const unsigned char *)text->data + at, text->len - at) == 1;
	EVP_MD_CTX_free(hash);
	if (!done)
		return err_set(err, "its privateKey cannot sign");
	if (EVP_PKEY_is_a(key, "EC"))
		len = jwt_flatten(signature, len);
	buffer_add_text(text, ".");
	query_add_bytes(text, signature, len);
	return 0;
}

/* Appends a member, with the comma before it, unless value is NULL. */
static void
jwt_add_member(struct buffer *json, const char *name, const char *value)
{
	if (value == NULL)
		return;
	buffer_printf(json, ",\"%s\":", name);
	json_add_text(json, value);
}

/* Begins claims: when they are made, and a number that no others have. */
static void
jwt_begin(struct buffer *claims, time_t now)
{
	auto_buffer struct buffer once = { 0 };

	query_add_random(&once);
	buffer_printf(claims, "{\"iat\":%lld", (long long)now);
	jwt_add_member(claims, "jti", once.data);
}

int
jwt_add_assertion(struct buffer *text, const struct jwt_client *client,
    const char *audience, struct err *err)
{
	auto_buffer struct buffer header = { 0 }, claims = { 0 };
	const char *algorithm;
	time_t now = time(NULL);
	EVP_PKEY *key = jwt_read_key(client->key, &algorithm, err);
	int done;

	if (key == NULL)
		return -1;
	buffer_add_text(&header, "{\"typ\":\"JWT\"");
	jwt_add_member(&header, "alg", algorithm);
	jwt_add_member(&header, "kid", client->kid);
	buffer_add_text(&header, "}");
	jwt_begin(&claims, now);
	buffer_printf(&claims, ",\"exp\":%lld",
	    (long long)now + JWT_SECONDS);
	jwt_add_member(&claims, "iss", client->id);
	jwt_add_member(&claims, "sub", client->id);
	jwt_add_member(&claims, "aud", audience);
	buffer_add_text(&claims, "}");
	done = jwt_sign(text, key, &header, &claims, err);
	EVP_PKEY_free(key);
	return done;
}
