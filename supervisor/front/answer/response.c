/*
 * The answer of a worker to the request of its call, in the forms of answers:
 * see answer.h. Runs in the supervisor; pure functions.
 */
#include "../../../common/base/mem.h"
#include "answer.h"

/* Adds the header, with all values where the ones that follow are of it. */
static void
response_add_header(struct answer_form *form, const char **head,
    const struct response_header *header)
{
	auto_free char *name = mem_dup(header->name, header->name_len);
	auto_free char *value = mem_dup(header->value, header->value_len);
	struct response_header next = *header;
	const char *rest = *head;
	size_t count = 1;

	while (response_next(&rest, &next) == 1 && response_same(&next, header))
		count++;
	if (count == 1) {
		answer_form_add_text(form, name, value);
		return;
	}
	answer_form_open_array(form, name, count);
	for (next = *header; count > 0; count--) {
		answer_form_add_item(form, next.value, next.value_len);
		if (count > 1)
			response_next(head, &next);
	}
	answer_form_close_array(form);
}

void
response_add_fields(
    struct answer_form *form, const struct box_response *response)
{
	const char *head = response->head;
	struct response_header header;

	if (response->status == 0)
		return;
	answer_form_open_object(form, "response");
	answer_form_add_number(form, "status", (long long)response->status);
	answer_form_open_object(form, "headers");
	while (response_next(&head, &header) == 1)
		response_add_header(form, &head, &header);
	answer_form_close_object(form);
	if (response->form != RESPONSE_TEXT)
		answer_form_open_object(form, "body");
	answer_form_add_text(form, response->form == RESPONSE_TEXT ? "body" :
	    response_form_name(response->form), response->body);
	if (response->form != RESPONSE_TEXT)
		answer_form_close_object(form);
	answer_form_close_object(form);
}

void
response_add_text(struct buffer *text, const struct box_response *response)
{
	if (response->status == 0)
		return;
	if (text->len > 0 && text->data[text->len - 1] != '\n')
		buffer_add_text(text, "\n");
	buffer_printf(text, "HTTP %llu\n%s",
	    (unsigned long long)response->status, response->head);
	if (response->len == 0)
		return;
	if (response->form == RESPONSE_TEXT)
		buffer_add_text(text, "\n");
	else
		buffer_printf(text, "\n%s: ",
		    response_form_name(response->form));
	buffer_add(text, response->body, response->len);
	if (text->data[text->len - 1] != '\n')
		buffer_add_text(text, "\n");
}
