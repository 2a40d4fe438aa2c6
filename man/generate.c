/*
 * A build-time tool: copies a manual page and puts in the parts that stand in
 * the program's tables (options, roles, messages, steps of the box), so that
 * the manual cannot drift from the program. Runs only while building; usage:
 * generate PAGE.in [MANUAL.md ...] > PAGE. A line "@PART@" becomes that part.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/box_step.h"
#include "../common/ipc/ipc.h"
#include "../common/ipc/ipc_doc.h"
#include "../supervisor/options/command_line.h"
#include "../supervisor/options/option_value.h"
#include "manual_part.h"

#define LINE_SIZE 1024

/* mandoc frowns on lines above 80; a word may get an escape in front. */
#define TEXT_COLUMNS 76

/* One word; at the start of a line it must not look like a request. */
static void
word(const char *p, size_t len, int first)
{
	size_t i;

	if (first && (*p == '.' || *p == '\''))
		fputs("\\&", stdout);
	for (i = 0; i < len; i++)
		if (p[i] == '\\')
			fputs("\\e", stdout);
		else
			putchar(p[i]);
}

/* Text lines of mdoc: of bounded length, a new one for each sentence. */
static void
text(const char *s)
{
	size_t column = 0;
	size_t len;

	for (s += strspn(s, " "); *s != '\0'; s += strspn(s, " ")) {
		len = strcspn(s, " ");
		if (column > 0 && column + 1 + len > TEXT_COLUMNS) {
			putchar('\n');
			column = 0;
		}
		if (column > 0)
			putchar(' ');
		word(s, len, column == 0);
		column += len + 1;
		if (s[len - 1] == '.')
			column = TEXT_COLUMNS;
		s += len;
	}
	putchar('\n');
}

/* Options */

static void
option_facts(const struct option_row *row)
{
	auto_buffer struct buffer facts = { 0 };

	buffer_add_text(&facts, "Allowed: ");
	option_value_add_allowed(&facts, row);
	buffer_add_text(&facts, ".");
	if (row->default_text != NULL && row->default_text[0] != '\0')
		buffer_printf(&facts, " Default: %s.", row->default_text);
	text(facts.data);
}

static void
part_options(void)
{
	char flag[OPTION_NAME_SIZE];
	enum option_id id;

	puts(".Bl -tag -width Ds");
	for (id = 0; id < OPTION_IDS; id++) {
		const struct option_row *row = option_row(id);

		option_flag(row->key, flag);
		printf(".It Fl %s Ar %s\n", flag + 1,
		    option_value_what(row));
		text(row->doc);
		option_facts(row);
	}
	puts(".El");
}

/*
 * The operands of a command, of which those in brackets may be left out; what
 * follows "--" is a command line.
 */
static void
command_operands(const char *operands)
{
	const char *end;

	for (; *operands != '\0'; operands = end + strspn(end, " ]")) {
		end = operands + strcspn(operands, " ]");
		if (strncmp(operands, "-- ", 3) == 0)
			printf(" Fl \\&-");
		else
			printf(operands[0] == '[' ?
			        " Oo Ar %.*s Oc" : " Ar %.*s",
			    (int)(end - operands) - (operands[0] == '['),
			    operands + (operands[0] == '['));
	}
}

/* The flags that a command takes, except --json, which its head shows. */
static void
command_flags(enum command_task task)
{
	const char *end = "";
	enum command_flag flag;

	for (flag = COMMAND_FLAG_NONE + 1; flag < COMMAND_FLAGS; flag++) {
		const struct command_flag_row *row = command_flag_row(flag);
		char name[OPTION_NAME_SIZE];

		if (flag == COMMAND_FLAG_JSON || !command_takes(task, flag))
			continue;
		if (end[0] == '\0')
			puts(".Bl -tag -width Ds");
		end = ".El\n";
		option_flag(row->key, name);
		printf(".It Fl %s", name + 1);
		if (row->letter != 0)
			printf(" , Fl %c", row->letter);
		if (row->value != NULL)
			printf(" Ar %s", row->value);
		putchar('\n');
		text(row->doc);
	}
	fputs(end, stdout);
}

static void
part_commands(void)
{
	const struct command_row *row;
	size_t i;

	puts(".Bl -tag -width Ds");
	for (i = 0; (row = command_row(i)) != NULL; i++) {
		printf(".It Cm %s%s%s", row->word,
		    row->verb == NULL ? "" : " ",
		    row->verb == NULL ? "" : row->verb);
		command_operands(row->operands == NULL ? "" : row->operands);
		if (command_takes(row->task, COMMAND_FLAG_JSON))
			printf(" Oo Fl -json Oc");
		putchar('\n');
		text(row->doc);
		command_flags(row->task);
	}
	puts(".El");
}

static void
part_actions(void)
{
	const struct option_action_row *row;
	char flag[OPTION_NAME_SIZE];
	size_t i;

	puts(".Bl -tag -width Ds");
	for (i = 0; (row = option_action_row(i)) != NULL; i++) {
		option_flag(row->key, flag);
		printf(".It Fl %s", flag + 1);
		if (row->argument != NULL)
			printf(" Op Ar %s", row->argument);
		putchar('\n');
		text(row->doc);
	}
	puts(".El");
}

static void
part_environment(void)
{
	char flag[OPTION_NAME_SIZE], variable[OPTION_NAME_SIZE];
	enum option_id id;

	puts(".Bl -tag -width Ds");
	for (id = 0; id < OPTION_IDS; id++) {
		option_flag(option_row(id)->key, flag);
		option_variable(option_row(id)->key, variable);
		printf(".It Ev %s\nAs\n.Fl %s .\n", variable, flag + 1);
	}
	puts(".El");
}

static void
part_keys(void)
{
	enum option_id id;

	for (id = 0; id < OPTION_IDS; id++)
		printf(".Cm %s%s\n", option_row(id)->key,
		    id + 1 < OPTION_IDS ? " ," : " .");
}

/* Each option, as a member of the file and in the other places. */
static void
part_settings(void)
{
	char flag[OPTION_NAME_SIZE], variable[OPTION_NAME_SIZE];
	enum option_id id;

	puts(".Bl -tag -width Ds");
	for (id = 0; id < OPTION_IDS; id++) {
		const struct option_row *row = option_row(id);

		option_flag(row->key, flag);
		option_variable(row->key, variable);
		printf(".It Cm %s Pq Ar %s\n", row->key,
		    option_value_what(row));
		text(row->doc);
		option_facts(row);
		printf("As a flag\n.Fl %s ,\nas a variable\n.Ev %s .\n",
		    flag + 1, variable);
	}
	puts(".El");
}

/* Files of servers */

static const struct source {
	const char *name;
	const char *base;
	const char *variable; /* names the folder instead; NULL: none */
	const char *folder;
	const char *file;
} sources[] = {
#define SOURCE_NAMED ""
#define SOURCE_TEXT ""
#define SOURCE_HOME "~/"
#define SOURCE_SETTINGS "~/.config/"
#define SOURCE_FOLDER "./"
#define SOURCE_ROOT "/"
#define SERVER_SOURCE(name, whose, shape, base, variable, folder, file)        \
	{ name, SOURCE_##base, variable, folder, file },
#include "../supervisor/servers/server_sources.def"
};

/* A path as one word of mdoc. */
static void
source_path(const struct source *source)
{
	const char *p = source->folder;

	printf("%s", source->base);
	for (; *p != '\0'; p++)
		if (*p == ' ')
			fputs("\\ ", stdout);
		else
			putchar(*p);
	printf("%s%s", source->folder[0] == '\0' ? "" : "/", source->file);
}

/* What stands below the name of a source. */
static void
source_body(const struct source *source)
{
	if (source->base[0] == '\0') {
		puts("The file that this setting names.");
		return;
	}
	if (strcmp(source->file, "*.json") == 0) {
		puts("Each such file, in the order of their names.");
		return;
	}
	fputs(".Pa ", stdout);
	source_path(source);
	putchar('\n');
	if (source->variable != NULL)
		printf("(or\n.Pa %s\nin\n.Ev %s )\n", source->file,
		    source->variable);
}

/* One item for each name, with all of its files. */
static void
part_sources(void)
{
	const struct source *source = sources;
	const char *before = "";

	puts(".Bl -tag -width Ds");
	for (; source < sources + sizeof(sources) / sizeof(sources[0]);
	     source++) {
		if (strcmp(source->name, before) == 0)
			puts(".br");
		else
			printf(".It %s\n", source->name);
		before = source->name;
		source_body(source);
	}
	puts(".El");
}

static void
part_source_limits(void)
{
	auto_buffer struct buffer limits = { 0 };

	buffer_printf(&limits, "A file has at most %lu MiB, one of TOML or "
	    "YAML or of a project %lu MiB; at most %d entries of a file and "
	    "%d of all are read, and %d files of a folder.",
	    CONFIG_FILE_MAX / MIB, CONFIG_TREE_MAX / MIB, CONFIG_ENTRIES_MAX,
	    CONFIG_SERVERS_MAX, CONFIG_FILES_MAX);
	text(limits.data);
}

_Static_assert(CONFIG_PROJECT_FILE_MAX == CONFIG_TREE_MAX,
    "the manual says that they are the same");

/* Processes, and the steps by which a box is built */

static void
process(const char *head, const char *facts)
{
	printf(".It %s\n", head);
	text(facts);
}

static void
part_processes(void)
{
	puts(".Bl -tag -width Ds");
#define ROLE(NAME, name, kind, user, folder, binary, lifetime, may, reads,     \
    trusts, costs)                                                             \
	process("Sy " #name " Pq Nm " binary " , No source in Pa " folder,     \
	    "Lifetime: " lifetime ". Privileges: " may ". Parses: " reads      \
	    ". Trusts: " trusts ". Its compromise costs: " costs ".");
#include "../common/roles.def"
#undef ROLE
	puts(".El");
}

/* What only native boxes keep. */
static void
part_kept(void)
{
#define CONTAINER_LACKS(promise) puts(".It\n" promise ";");
#include "../supervisor/box/container/missing_promises.def"
#undef CONTAINER_LACKS
}

static void
part_steps(void)
{
	const struct box_step_info *step;
	unsigned long n;

	puts(".Bl -tag -width Ds");
	for (n = 0; n < BOX_STEPS; n++) {
		step = box_step_info(n);
		printf(".It could not %s\n", step->what);
		text(step->fix);
	}
	puts(".El");
}

/* The catalogue */

static const struct {
	const char *name;
	const char *unit; /* of what the bounds count; NULL: no bounds */
	const char *doc;
} kinds[] = {
	[IPC_KIND_UINT] = { "UINT", "",
	    "An unsigned integer in eight bytes, host order." },
	[IPC_KIND_TEXT] = { "TEXT", " bytes",
	    "UTF-8 without a NUL inside: its length in four bytes, the bytes, "
	    "a NUL." },
	[IPC_KIND_BYTES] = { "BYTES", " bytes",
	    "Any bytes: their number in four bytes, then the bytes." },
	[IPC_KIND_BLOB] = { "BLOB", " bytes",
	    "Any bytes, many: their number in eight bytes, then the bytes. "
	    "Above the inline limit they are not in the packet but in a memfd "
	    "that comes with it, of exactly that size, sealed against "
	    "writing, growing, shrinking and further seals." },
	[IPC_KIND_PIPE_R] = { "PIPE_R", NULL,
	    "A descriptor: the end of a pipe that is read." },
	[IPC_KIND_PIPE_W] = { "PIPE_W", NULL,
	    "A descriptor: the end of a pipe that is written." },
	[IPC_KIND_PEER] = { "PEER", NULL,
	    "A descriptor: a SOCK_SEQPACKET socket, a channel of this kind." },
	[IPC_KIND_MEMFD] = { "MEMFD", NULL,
	    "A descriptor: a memfd with all those seals." },
	[IPC_KIND_USAGE] = { "USAGE", NULL,
	    "A descriptor: a memfd that both processes can write, sealed "
	    "against growing, shrinking and further seals." },
	[IPC_KIND_PIDFD] = { "PIDFD", NULL,
	    "A descriptor: a pidfd." },
	[IPC_KIND_FILE_R] = { "FILE_R", NULL,
	    "A descriptor: a regular file, open for reading only." },
	[IPC_KIND_FILE_A] = { "FILE_A", NULL,
	    "A descriptor: a regular file, open for appending only." },
	[IPC_KIND_DIR] = { "DIR", NULL,
	    "A descriptor: a directory, open for reading." },
	[IPC_KIND_LISTENER] = { "LISTENER", NULL,
	    "A descriptor: a stream socket that accepts connections." },
};

static void
part_kinds(void)
{
	size_t i;

	puts(".Bl -tag -width Ds");
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		printf(".It Sy %s\n", kinds[i].name);
		text(kinds[i].doc);
	}
	puts(".El");
}

/* The file that a USAGE descriptor of SETUP leads to. */
static void
part_counts(void)
{
	puts(".Bl -tag -width Ds -compact");
#define BOX_USAGE(field, doc)                                                  \
	puts(".It Va " #field);                                                \
	text(doc);
#include "../common/box_usage.def"
#undef BOX_USAGE
	puts(".El");
}

static void
field(const struct ipc_field *field, const char *doc)
{
	printf(".It Va %s Pq %s", field->name, kinds[field->kind].name);
	if (ipc_kind_is_fd(field->kind) && field->least == 0)
		fputs(" , or none", stdout);
	if (kinds[field->kind].unit != NULL)
		printf(" , %llu to %llu%s", (unsigned long long)field->least,
		    (unsigned long long)field->most, kinds[field->kind].unit);
	putchar('\n');
	text(doc);
}

static const char *const phases[IPC_PHASES] = {
	[IPC_PHASE_NEW] = "new",
	[IPC_PHASE_READY] = "ready",
	[IPC_PHASE_OPEN] = "open",
	[IPC_PHASE_OVER] = "over",
};

/* When a message is legal. */
static void
legal(const struct ipc_message *row)
{
	const char *separator = "Legal while the direction is";
	unsigned int n;

	if (row->phases == IPC_ANY) {
		puts("Legal until the direction is\n.Cm over ;");
		return;
	}
	for (n = 0; n < IPC_PHASES; n++) {
		if ((row->phases & (1U << n)) == 0)
			continue;
		printf("%s\n.Cm %s%s\n", separator, phases[n],
		    row->phases >> (n + 1) == 0 ? " ;" : "");
		separator = "or";
	}
}

static void
message(uint32_t type)
{
	const struct ipc_message *row = ipc_message(type);
	const struct ipc_doc *doc = &ipc_docs[type];
	size_t i;

	printf(".It Sy %s Pq number %u\n", row->name, type);
	text(doc->message);
	legal(row);
	printf("afterwards it is\n.Cm %s .\n", phases[row->next]);
	if (row->nfields == 0)
		return;
	puts(".Bl -tag -width Ds -compact");
	for (i = 0; i < row->nfields; i++)
		field(&ipc_fields(row)[i], doc->fields[i]);
	puts(".El");
}

/* One section for each direction, in the catalogue's order. */
static void
part_messages(void)
{
	const struct ipc_message *row, *before = NULL;
	uint32_t type;

	for (type = 0; type < IPC_TYPES; type++) {
		row = ipc_message(type);
		if (before == NULL || before->from != row->from ||
		    before->to != row->to) {
			if (before != NULL)
				puts(".El");
			printf(".Ss From %s to %s\n.Bl -tag -width Ds\n",
			    role_info(row->from)->name,
			    role_info(row->to)->name);
		}
		message(type);
		before = row;
	}
	puts(".El");
}

static void
part_limits(void)
{
	auto_buffer struct buffer limits = { 0 };

	buffer_printf(&limits, "A packet has at most %lu bytes and %d "
	    "descriptors; a BLOB of at most %lu bytes travels inside; at most "
	    "%d packets wait in a queue.", IPC_PACKET_MAX, IPC_FDS_MAX,
	    IPC_INLINE_MAX, IPC_QUEUE_PACKETS_MAX);
	text(limits.data);
}

/* The files of the manual that models read, in their order; NULL at the end. */
static char **manuals;

static void
part_manual(void)
{
	char **path;

	for (path = manuals; *path != NULL; path++)
		if (manual_part(*path) != 0)
			exit(1);
}

static const struct {
	const char *line;
	void (*put)(void);
} parts[] = {
	{ "@OPTIONS@\n", part_options },
	{ "@ACTIONS@\n", part_actions },
	{ "@COMMANDS@\n", part_commands },
	{ "@ENVIRONMENT@\n", part_environment },
	{ "@KEYS@\n", part_keys },
	{ "@SETTINGS@\n", part_settings },
	{ "@SOURCES@\n", part_sources },
	{ "@SOURCE_LIMITS@\n", part_source_limits },
	{ "@PROCESSES@\n", part_processes },
	{ "@KEPT@\n", part_kept },
	{ "@STEPS@\n", part_steps },
	{ "@KINDS@\n", part_kinds },
	{ "@USAGE@\n", part_counts },
	{ "@MESSAGES@\n", part_messages },
	{ "@LIMITS@\n", part_limits },
	{ "@MANUAL@\n", part_manual },
};

/* Returns 0, or -1 for a mark that no part has. */
static int
put_line(const char *line)
{
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcmp(line, parts[i].line) == 0) {
			parts[i].put();
			return 0;
		}
	if (line[0] == '@') {
		fprintf(stderr, "generate: there is no part %s", line);
		return -1;
	}
	fputs(line, stdout);
	return 0;
}

int
main(int argc, char **argv)
{
	FILE *page = argc >= 2 ? fopen(argv[1], "r") : NULL;
	char line[LINE_SIZE];
	int status = 0;

	if (page == NULL) {
		fprintf(stderr, "usage: generate PAGE.in [MANUAL.md ...] > "
		    "PAGE\n");
		return 1;
	}
	manuals = argv + 2;
	while (status == 0 && fgets(line, sizeof(line), page) != NULL)
		status = put_line(line);
	fclose(page);
	return status == 0 && fflush(stdout) == 0 ? 0 : 1;
}
