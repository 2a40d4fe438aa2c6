/*
 * The scanner of JSON as it is where the processor examines no blocks of bytes,
 * under names of its own, so that a test can compare both.
 */
#define JSON_SPAN_PLAIN
#define json_span_parse plain_json_span_parse
#define json_span_kind plain_json_span_kind
#define json_span_walk plain_json_span_walk
#define json_span_next_member plain_json_span_next_member
#define json_span_next_element plain_json_span_next_element
#define json_span_get plain_json_span_get
#define json_span_member plain_json_span_member
#define json_span_members plain_json_span_members
#define json_span_is plain_json_span_is
#define json_span_string plain_json_span_string
#define json_span_decode plain_json_span_decode
#define json_span_copy_line plain_json_span_copy_line

#include "../../common/json/json_span.c"
