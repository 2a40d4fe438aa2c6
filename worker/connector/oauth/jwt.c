/* Signed tokens: see oauth.h. */
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../common/base/base64.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/json/json.h"
#include "oauth.h"

#define JWT_HALF 32     /* bytes of each number of a signature of P-256 */
#define JWT_SECONDS 300 /* that an assertion is valid */
#define JWT_BITS_LEAST 2048 /* of RSA (RFC 7518, 3.3), */
#define JWT_BITS_MAX 8192   /* and of what is signed by in milliseconds */

/* A key with a passphrase is an error: no user could enter it here. */
static int
jwt_on_passphrase(char *, int, int, void *)
{
	return -1;
}

/* Parses the only private key of a PEM; NULL if it has none, or several. */
static EVP_PKEY *
jwt_read_pem(const char *pem)
{
	auto_free char *lines = mem_strdup(pem);
	EVP_PKEY *key, *other;
	BIO *text;
	char *p;

	/* Variables of the environment often have "\n" for each end of line. */
	for (p = lines; (p = strstr(p, "\\n")) != NULL;)
		memcpy(p, " \n", 2);
	text = BIO_new_mem_buf(lines, -1);
	key = PEM_read_bio_PrivateKey(text, NULL, jwt_on_passphrase, NULL);
	other = PEM_read_bio_PrivateKey(text, NULL, jwt_on_passphrase, NULL);
	if (other != NULL) {
		EVP_PKEY_free(other);
		EVP_PKEY_free(key);
		key = NULL;
	}
	BIO_free(text);
	explicit_bzero(lines, strlen(lines));
	/* What is left of an attempt would be taken for an error of TLS. */
	ERR_clear_error();
	return key;
}

/* Parses a private key, and sets the name of its algorithm. */
static EVP_PKEY *
jwt_read_key(const char *pem, const char **algorithm, struct err *err)
{
	EVP_PKEY *key = jwt_read_pem(pem);
	char curve[32] = "";
	size_t len;

	if (key == NULL) {
		err_set(err, "its privateKey cannot be read: it must be the "
		    "PEM of one key, with its line ends (\"-----BEGIN PRIVATE "
		    "KEY-----\\n…\") and without a passphrase");
		return NULL;
	}
	*algorithm = NULL;
	if (EVP_PKEY_is_a(key, "RSA") &&
	    EVP_PKEY_get_bits(key) >= JWT_BITS_LEAST &&
	    EVP_PKEY_get_bits(key) <= JWT_BITS_MAX)
		*algorithm = "RS256";
	else if (EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(
	             key, curve, sizeof(curve), &len) == 1 &&
	    strcmp(curve, "prime256v1") == 0)
		*algorithm = "ES256";
	if (*algorithm == NULL) {
		EVP_PKEY_free(key);
		err_set(err, "its privateKey is of another kind than RSA of "
		    "%d to %d bits (RS256) and EC with the curve P-256 "
		    "(ES256)", JWT_BITS_LEAST, JWT_BITS_MAX);
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

char *
jwt_new_key(void)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
	auto_buffer struct buffer text = { 0 };
	unsigned char *bytes = NULL;
	int len = key == NULL ? -1 : i2d_PrivateKey(key, &bytes);

	if (len <= 0)
		fatal("libcrypto cannot make a key");
	base64_add(&text, bytes, (size_t)len);
	OPENSSL_clear_free(bytes, (size_t)len);
	EVP_PKEY_free(key);
	return buffer_take(&text, NULL);
}

/* Reads such a key; NULL if it is none. */
static EVP_PKEY *
jwt_read_own(const char *text)
{
	auto_buffer struct buffer bytes = { 0 };
	const unsigned char *p;
	EVP_PKEY *key = NULL;

	if (base64_read(&bytes, text, strlen(text)) == 0 && bytes.len > 0) {
		p = (const unsigned char *)bytes.data;
		key = d2i_PrivateKey(EVP_PKEY_EC, NULL, &p, (long)bytes.len);
		explicit_bzero(bytes.data, bytes.len);
	}
	return key;
}

/* Appends a coordinate of a public key, as base64 for URLs. */
static void
jwt_add_coordinate(struct buffer *json, const EVP_PKEY *key, const char *name)
{
	unsigned char bytes[JWT_HALF];
	BIGNUM *number = NULL;

	if (EVP_PKEY_get_bn_param(key, name, &number) != 1 ||
	    BN_bn2binpad(number, bytes, JWT_HALF) != JWT_HALF)
		fatal("libcrypto cannot read its own key");
	query_add_bytes(json, bytes, JWT_HALF);
	BN_free(number);
}

char *
jwt_proof(const char *own, const struct jwt_request *request)
{
	auto_buffer struct buffer header = { 0 }, claims = { 0 }, text = { 0 };
	auto_buffer struct buffer digest = { 0 };
	auto_free char *place =
	    mem_dup(request->url, strcspn(request->url, "?#"));
	EVP_PKEY *key = jwt_read_own(own);
	struct err err;

	/* Its file is damaged: the server says that a proof is missing. */
	if (key == NULL)
		return NULL;
	buffer_add_text(&header, "{\"typ\":\"dpop+jwt\",\"alg\":"
	    "\"ES256\",\"jwk\":{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"");
	jwt_add_coordinate(&header, key, OSSL_PKEY_PARAM_EC_PUB_X);
	buffer_add_text(&header, "\",\"y\":\"");
	jwt_add_coordinate(&header, key, OSSL_PKEY_PARAM_EC_PUB_Y);
	buffer_add_text(&header, "\"}}");
	jwt_begin(&claims, time(NULL));
	jwt_add_member(&claims, "htm", request->method);
	jwt_add_member(&claims, "htu", place);
	jwt_add_member(&claims, "nonce", request->nonce);
	if (request->token != NULL) {
		query_add_challenge(&digest, request->token);
		jwt_add_member(&claims, "ath", digest.data);
	}
	buffer_add_text(&claims, "}");
	buffer_add_text(&text, "DPoP: ");
	if (jwt_sign(&text, key, &header, &claims, &err) == -1)
		fatal("%s", err.text);
	EVP_PKEY_free(key);
	return buffer_take(&text, NULL);
}
