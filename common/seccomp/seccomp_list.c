/*
 * Reading a list of system calls: see seccomp_list.h. A build-time tool; a
 * mistake in a list ends it with a sentence that names file and line.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "seccomp_list.h"

#define COMPILE_LINE_SIZE 1024

#define NAMESPACE_FLAGS                                                        \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |         \
	    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | 0x80u)

struct constant {
	const char *name;
	uint32_t value;
};

#define CONSTANT(name) { #name, (uint32_t)(name) }

static const struct constant constants[] = {
	{ "CLONE_NAMESPACES", NAMESPACE_FLAGS }, /* 0x80 is CLONE_NEWTIME */
	{ "CLONE_PARENT", CLONE_PARENT },
	CONSTANT(CLONE_NEWNET),
	CONSTANT(CLONE_NEWUSER),
	CONSTANT(CLONE_THREAD),
	{ "SOCK_TYPE_MASK", 0xf }, /* the rest are flags */
	CONSTANT(AF_INET),
	CONSTANT(AF_INET6),
	CONSTANT(AF_NETLINK),
	CONSTANT(AF_UNIX),
	CONSTANT(AT_EMPTY_PATH),
	CONSTANT(FIOCLEX),
	CONSTANT(FIONBIO),
	CONSTANT(FIONCLEX),
	CONSTANT(FIONREAD),
	CONSTANT(F_ADD_SEALS),
	CONSTANT(F_DUPFD),
	CONSTANT(F_DUPFD_CLOEXEC),
	CONSTANT(F_GETFD),
	CONSTANT(F_GETFL),
	CONSTANT(F_GETLK),
	CONSTANT(F_GETOWN),
	CONSTANT(F_GETPIPE_SZ),
	CONSTANT(F_GET_SEALS),
	CONSTANT(F_OFD_GETLK),
	CONSTANT(F_OFD_SETLK),
	CONSTANT(F_OFD_SETLKW),
	CONSTANT(F_SETFD),
	CONSTANT(F_SETFL),
	CONSTANT(F_SETLK),
	CONSTANT(F_SETLKW),
	CONSTANT(F_SETOWN),
	CONSTANT(KCMP_VM),
	CONSTANT(MADV_MERGEABLE),
	CONSTANT(MADV_POPULATE_READ),
	CONSTANT(MADV_POPULATE_WRITE),
	CONSTANT(MAP_ANONYMOUS),
	CONSTANT(MAP_POPULATE),
	CONSTANT(MAP_SHARED),
	CONSTANT(O_ACCMODE),
	CONSTANT(O_CREAT),
	CONSTANT(O_RDONLY),
	CONSTANT(O_TRUNC),
	CONSTANT(O_WRONLY),
	CONSTANT(PRIO_PGRP),
	CONSTANT(PRIO_PROCESS),
	CONSTANT(PROT_EXEC),
	CONSTANT(PR_CAPBSET_READ),
	CONSTANT(PR_GET_DUMPABLE),
	CONSTANT(PR_GET_KEEPCAPS),
	CONSTANT(PR_GET_NAME),
	CONSTANT(PR_GET_NO_NEW_PRIVS),
	CONSTANT(PR_GET_PDEATHSIG),
	CONSTANT(PR_GET_SECCOMP),
	CONSTANT(PR_GET_SECUREBITS),
	CONSTANT(PR_GET_TIMERSLACK),
	CONSTANT(PR_SET_NAME),
	CONSTANT(PR_SET_NO_NEW_PRIVS),
	CONSTANT(PR_SET_PDEATHSIG),
	CONSTANT(PR_SET_VMA),
	CONSTANT(RLIMIT_CPU),
	CONSTANT(SIGCONT),
	CONSTANT(SIGKILL),
	CONSTANT(SIGSTOP),
	CONSTANT(SOCK_CLOEXEC),
	CONSTANT(SOCK_NONBLOCK),
	CONSTANT(SOCK_SEQPACKET),
	CONSTANT(SOCK_STREAM),
	CONSTANT(SOL_SOCKET),
	CONSTANT(SO_RCVBUF),
	CONSTANT(SO_RCVTIMEO),
	CONSTANT(SO_SNDBUF),
	CONSTANT(SO_SNDTIMEO),
	CONSTANT(S_IFIFO),
	CONSTANT(S_IFMT),
	CONSTANT(TCGETS),
	CONSTANT(TIOCGPGRP),
	CONSTANT(TIOCGWINSZ),
	CONSTANT(TIOCSPGRP),
	{ NULL, 0 },
};
static __attribute__((format(printf, 2, 3), noreturn)) void
complain(const struct list *list, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%d: ", list->path, list->line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* Returns the next word of the line, NULL at its end. A comma is a word. */
static char *
word_next(char **line)
{
	static char comma[] = ",";
	char *word;

	*line += strspn(*line, " \t\r\n");
	if (**line == '\0')
		return NULL;
	if (**line == ',') {
		++*line;
		return comma;
	}
	word = *line;
	*line += strcspn(*line, " \t\r\n,");
	/* The comma must be kept: leave it for the next word. */
	if (**line == ',') {
		memmove(*line + 1, *line, strlen(*line) + 1);
		**line = '\0';
		++*line;
	} else if (**line != '\0') {
		*(*line)++ = '\0';
	}
	return word;
}

static void
word_expect(struct list *list, char **line, const char *wanted)
{
	const char *word = word_next(line);

	if (word == NULL || strcmp(word, wanted) != 0)
		complain(list, "expected '%s', found '%s'", wanted,
		    word == NULL ? "the end of the line" : word);
}

static uint32_t
constant_value(struct list *list, const char *name)
{
	const struct constant *c;
	unsigned long long value;
	char *end;

	for (c = constants; c->name != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return c->value;
	errno = 0;
	value = strtoull(name, &end, 0);
	if (end == name || *end != '\0' || errno != 0 || value > UINT32_MAX)
		complain(list, "'%s' is no known constant and no 32-bit "
		    "number", name);
	return (uint32_t)value;
}

/* NAME|NAME|… */
static uint32_t
constants_join(struct list *list, char *text)
{
	uint32_t value = 0;
	char *part;

	if (text == NULL)
		complain(list, "a value is missing at the end of the line");
	for (part = strtok(text, "|"); part != NULL; part = strtok(NULL, "|"))
		value |= constant_value(list, part);
	return value;
}

/* Returns the word after the values: "and", or NULL at the end. */
static char *
condition_read_values(struct list *list, struct condition *c, char **line)
{
	char *word;
	uint32_t value;

	do {
		if (c->nvalues == COMPILE_VALUES_MAX)
			complain(list, "more than %d values",
			    COMPILE_VALUES_MAX);
		value = constants_join(list, word_next(line));
		if ((value & ~c->mask) != 0)
			complain(list, "the value 0x%x has bits outside of "
			    "the mask 0x%x", value, c->mask);
		c->values[c->nvalues++] = value;
		word = word_next(line);
	} while (word != NULL && strcmp(word, ",") == 0);
	return word;
}

/* "& MASK ==", or "==" for all 32 bits. */
static uint32_t
condition_read_mask(struct list *list, char **line)
{
	const char *word = word_next(line);
	uint32_t mask;

	if (word != NULL && strcmp(word, "==") == 0)
		return UINT32_MAX;
	if (word == NULL || strcmp(word, "&") != 0)
		complain(list, "expected '&' or '==', found '%s'",
		    word == NULL ? "the end of the line" : word);
	mask = constants_join(list, word_next(line));
	word_expect(list, line, "==");
	return mask;
}

/* argN & MASK == VALUE, VALUE and … */
static void
conditions_read(struct list *list, struct rule *rule, char **line)
{
	struct condition *c;
	char *word;

	do {
		if (rule->nconditions == COMPILE_CONDITIONS_MAX)
			complain(list, "more than %d conditions",
			    COMPILE_CONDITIONS_MAX);
		c = &rule->conditions[rule->nconditions++];
		word = word_next(line);
		if (word == NULL || strncmp(word, "arg", 3) != 0 ||
		    word[3] < '0' || word[3] > '5' || word[4] != '\0')
			complain(list, "a condition begins with arg0 to arg5");
		c->arg = (unsigned int)(word[3] - '0');
		c->mask = condition_read_mask(list, line);
		word = condition_read_values(list, c, line);
		if (word != NULL && strcmp(word, "and") != 0)
			complain(list, "expected ',' or 'and', found '%s'",
			    word);
	} while (word != NULL);
}

static void
rule_add(struct list *list, const char *name, const struct rule *pattern)
{
	struct rule *rule = &list->rules[list->nrules];
	size_t i;
	int optional = name[0] == '?';

	if (list->nrules == COMPILE_RULES_MAX)
		complain(list, "more than %d rules", COMPILE_RULES_MAX);
	*rule = *pattern;
	rule->nr = seccomp_syscall_resolve_name(name + optional);
	/*
	 * Negative numbers are libseccomp's for calls of other architectures.
	 */
	if (rule->nr < 0 && optional)
		return;
	if (rule->nr < 0)
		complain(list, "'%s' is no system call here; write '?%s' if "
		    "it may be missing", name, name);
	for (i = 0; i < list->nrules; i++)
		if (list->rules[i].nr == rule->nr &&
		    list->rules[i].nconditions == 0)
			complain(list, "'%s' is already decided in line %d",
			    name + optional, list->rules[i].line);
	list->nrules++;
}

/* CALL... [if …]: the conditions are read first; they apply to all calls. */
static void
rules_read(struct list *list, uint32_t action, char *line)
{
	struct rule pattern = { .line = list->line, .action = action };
	char *condition = strstr(line, " if ");
	char *name;

	if (condition != NULL) {
		*condition = '\0';
		condition += strlen(" if ");
		conditions_read(list, &pattern, &condition);
	}
	name = word_next(&line);
	if (name == NULL)
		complain(list, "no system call is named");
	for (; name != NULL; name = word_next(&line))
		rule_add(list, name, &pattern);
}

static void
default_read(struct list *list, char *line)
{
	const char *word = word_next(&line);

	if (word != NULL && strcmp(word, "allow") == 0) {
		list->fallback = SECCOMP_RET_ALLOW;
		return;
	}
	if (word == NULL || strcmp(word, "errno") != 0)
		complain(list, "expected 'errno' or 'allow', found '%s'",
		    word == NULL ? "the end of the line" : word);
	word = word_next(&line);
	if (word != NULL && strcmp(word, "ENOSYS") == 0)
		list->fallback = SECCOMP_RET_ERRNO | ENOSYS;
	else if (word != NULL && strcmp(word, "EPERM") == 0)
		list->fallback = SECCOMP_RET_ERRNO | EPERM;
	else
		complain(list, "the default is errno ENOSYS or errno EPERM");
}

static void file_read(struct list *list, const char *path);

/* The rules of another list, named relative to this one. */
static void
with_read(struct list *list, char *line)
{
	char path[COMPILE_LINE_SIZE];
	const char *name = word_next(&line);
	const char *slash = strrchr(list->path, '/');
	const char *own = list->path;
	int folder = slash == NULL ? 0 : (int)(slash - own) + 1;
	int number = list->line;

	if (name == NULL || list->nrules > 0)
		complain(list, "'with' names a list, before all rules");
	snprintf(path, sizeof(path), "%.*s%s", folder, own, name);
	file_read(list, path);
	list->path = own;
	list->line = number;
}

static void
line_read(struct list *list, char *line)
{
	char *word;

	line[strcspn(line, "#\n")] = '\0';
	word = word_next(&line);
	if (word == NULL)
		return;
	if (strcmp(word, "default") == 0) {
		default_read(list, line);
	} else if (strcmp(word, "badarch") == 0) {
		word_expect(list, &line, "kill");
		list->badarch = true;
	} else if (strcmp(word, "with") == 0) {
		with_read(list, line);
	} else if (strcmp(word, "allow") == 0) {
		rules_read(list, SECCOMP_RET_ALLOW, line);
	} else if (strcmp(word, "refuse") == 0) {
		rules_read(list, SECCOMP_RET_ERRNO | EPERM, line);
	} else if (strcmp(word, "ignore") == 0) {
		rules_read(list, SECCOMP_RET_ERRNO, line);
	} else if (strcmp(word, "lack") == 0) {
		rules_read(list, SECCOMP_RET_ERRNO | EOPNOTSUPP, line);
	} else if (strcmp(word, "decline") == 0) {
		rules_read(list, SECCOMP_RET_ERRNO | EINVAL, line);
	} else {
		complain(list, "'%s' is not default, badarch, with, allow, "
		    "refuse, ignore, lack or decline", word);
	}
}

static void
file_read(struct list *list, const char *path)
{
	/* A word can grow by one byte for each comma: see word_next. */
	char line[2 * COMPILE_LINE_SIZE];
	FILE *file = fopen(path, "re");

	if (file == NULL) {
		perror(path);
		exit(1);
	}
	list->path = path;
	list->line = 0;
	while (fgets(line, COMPILE_LINE_SIZE, file) != NULL) {
		list->line++;
		if (strchr(line, '\n') == NULL && !feof(file))
			complain(list, "the line is longer than %d bytes",
			    COMPILE_LINE_SIZE - 1);
		line_read(list, line);
	}
	fclose(file);
}

void
seccomp_list_read(struct list *list)
{
	file_read(list, list->path);
	if (list->fallback == 0 || !list->badarch)
		complain(list, "'default errno …' or 'badarch kill' is "
		    "missing");
}

const struct rule *
seccomp_list_find(const struct list *list, size_t from, int nr)
{
	size_t i;

	for (i = from; i < list->nrules; i++)
		if (list->rules[i].nr == nr)
			return &list->rules[i];
	return NULL;
}
