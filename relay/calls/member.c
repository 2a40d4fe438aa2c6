/*
 * The members of a request, as spans of the frame: finds them, and checks that
 * each occurs once and has the right type.
 */
#include "calls.h"

int
member_require(const struct json_span_member *member,
    enum json_span_kind kind, struct err *err)
{
	if (member->count == 1 && json_span_kind(member->value) == kind)
		return 0;
	return err_set(err, "a request without a valid \"%s\"", member->name);
}

int
member_number(const struct json_span_member *member, uint64_t *number,
    struct err *err)
{
	const char *digits = member->value.p;
	size_t n;

	if (member_require(member, JSON_SPAN_NUMBER, err) == -1)
		return -1;
	*number = 0;
	for (n = 0; n < member->value.len; n++) {
		if (digits[n] < '0' || digits[n] > '9')
			return err_set(
			    err, "a request with an invalid %s", member->name);
		*number = *number * 10 + (uint64_t)(digits[n] - '0');
		if (*number > REQUEST_ID_MAX)
			return err_set(
			    err, "a request with an invalid %s", member->name);
	}
	return 0;
}
