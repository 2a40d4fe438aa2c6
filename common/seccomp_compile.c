/*
 * The compiler of system call lists: a build-time tool, never installed, run by
 * no process of Caisson. It reads a list and prints a C header with a BPF
 * program, so that nothing is computed when a box starts.
 *
 *	seccomp_compile NAME LIST.rules [BEFORE.rules] > NAME.h
 *
 * If the process already has the filter BEFORE, the program contains only the
 * additions: it allows calls for which both lists agree, and calls that BEFORE
 * decides.
 *
 * A list holds one rule per line; '#' starts a comment:
 *
 *	default errno ENOSYS	result of every call not named below
 *	default allow		for a list that is applied before another one
 *	badarch kill		calls of a foreign architecture (and x32) kill
 *	allow CALL...
 *	refuse CALL...		fails with EPERM
 *	ignore CALL...		succeeds without being executed
 *	lack CALL...		fails with EOPNOTSUPP, as on a file system that
 *				does not support it: programs continue without
 *	allow CALL... if arg1 == VALUE, VALUE and arg2 & MASK == VALUE
 *
 * The rules of a call are tried in order, and the first that matches decides; a
 * call without a matching rule gets the default. '?CALL' may be missing on this
 * architecture. MASK and VALUE are numbers or names of the table below, joined
 * by '|'. Only the lower 32 bits of an argument are compared: all compared
 * arguments are ints or flags that the kernel also truncates to 32 bits (a
 * filter that compared more was CVE-2019-10063).
 *
 * libseccomp provides the numbers of the calls. It does not generate the
 * program, because it cannot express "this call with these arguments, else
 * EPERM" with ENOSYS for unknown calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* Sizes of a list: far above the lists of this program. */
#define COMPILE_LINE_SIZE 1024
#define COMPILE_RULES_MAX 1024
#define COMPILE_CONDITIONS_MAX 3
#define COMPILE_VALUES_MAX 32
/*
 * A program has at most BPF_MAXINSNS instructions; a conditional jump reaches
 * 255.
 */
#define COMPILE_JUMP_MAX 255

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
	{ "SOCK_TYPE_MASK", 0xf }, /* the rest are flags */
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
	CONSTANT(SIGCONT),
	CONSTANT(SIGSTOP),
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
	{ NULL, 0 },
};

struct condition {
	unsigned int arg;
	uint32_t mask;
	uint32_t values[COMPILE_VALUES_MAX];
	size_t nvalues;
};

struct rule {
	int nr;
	int line;
	uint32_t action; /* SECCOMP_RET_* */
	struct condition conditions[COMPILE_CONDITIONS_MAX];
	size_t nconditions;
};

struct list {
	const char *path;
	int line;
	uint32_t fallback;
	int badarch; /* whether the list has this line */
	const struct list *before; /* the list applied before this one, or NULL
				    */
	struct rule rules[COMPILE_RULES_MAX];
	size_t nrules;
};

/* The program is built at the end of the array. */
struct code {
	struct sock_filter insns[BPF_MAXINSNS];
	size_t len;
};

/* Calls from this number up to the next row's are treated alike. */
struct range {
	uint32_t first;
	int nr;          /* the call whose rules decide, or -1 */
	uint32_t action; /* the action if nr is -1 */
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

/* Reading */

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
		list->badarch = 1;
	} else if (strcmp(word, "allow") == 0) {
		rules_read(list, SECCOMP_RET_ALLOW, line);
	} else if (strcmp(word, "refuse") == 0) {
		rules_read(list, SECCOMP_RET_ERRNO | EPERM, line);
	} else if (strcmp(word, "ignore") == 0) {
		rules_read(list, SECCOMP_RET_ERRNO, line);
	} else if (strcmp(word, "lack") == 0) {
		rules_read(list, SECCOMP_RET_ERRNO | EOPNOTSUPP, line);
	} else {
		complain(list, "'%s' is not default, badarch, allow, refuse, "
		    "ignore or lack", word);
	}
}

static void
list_read(struct list *list)
{
	/* A word can grow by one byte for each comma: see word_next. */
	char line[2 * COMPILE_LINE_SIZE];
	FILE *file = fopen(list->path, "re");

	if (file == NULL) {
		perror(list->path);
		exit(1);
	}
	while (fgets(line, COMPILE_LINE_SIZE, file) != NULL) {
		list->line++;
		if (strchr(line, '\n') == NULL && !feof(file))
			complain(list, "the line is longer than %d bytes",
			    COMPILE_LINE_SIZE - 1);
		line_read(list, line);
	}
	fclose(file);
	if (list->fallback == 0 || !list->badarch)
		complain(list, "'default errno …' or 'badarch kill' is "
		    "missing");
}

/* Generating the program, from its end to its start */

/*
 * A place is the number of instructions from it to the end, which stays valid
 * when instructions are put in front. Jumps only go forward, so their targets
 * exist already. Returns the place of the new instruction.
 */
static size_t
emit(struct code *code, uint16_t op, size_t jt, size_t jf, uint32_t k)
{
	struct sock_filter insn = { op, (uint8_t)jt, (uint8_t)jf, k };

	if (code->len == BPF_MAXINSNS || jt > COMPILE_JUMP_MAX ||
	    jf > COMPILE_JUMP_MAX) {
		fprintf(stderr, "the program is too long\n");
		exit(1);
	}
	code->len++;
	code->insns[BPF_MAXINSNS - code->len] = insn;
	return code->len;
}

static const struct sock_filter *
code_at(const struct code *code, size_t place)
{
	return &code->insns[BPF_MAXINSNS - place];
}

/* Whether a conditional jump reaches the place, across two instructions. */
static int
code_reaches(const struct code *code, size_t place)
{
	return code->len + 2 - place <= COMPILE_JUMP_MAX;
}

/* A verdict is emitted once and shared, as far as jumps reach. */
static size_t
emit_return(struct code *code, uint32_t action)
{
	const struct sock_filter *insn;
	size_t place;

	for (place = code->len; place > 0 && code_reaches(code, place);
	     place--) {
		insn = code_at(code, place);
		if (insn->code == (BPF_RET | BPF_K) && insn->k == action)
			return place;
	}
	return emit(code, BPF_RET | BPF_K, 0, 0, action);
}

static size_t
emit_far_jump(struct code *code, size_t place)
{
	return emit(
	    code, BPF_JMP | BPF_JA, 0, 0, (uint32_t)(code->len - place));
}

/* Returns a place within reach that continues at the given one. */
static size_t
emit_near(struct code *code, size_t place)
{
	const struct sock_filter *insn = code_at(code, place);

	if (code_reaches(code, place))
		return place;
	if (insn->code == (BPF_RET | BPF_K))
		return emit_return(code, insn->k);
	return emit_far_jump(code, place);
}

/* Continues at yes if the comparison holds, otherwise at no. */
static size_t
emit_jump(struct code *code, uint16_t op, uint32_t k, size_t yes, size_t no)
{
	if (yes == no)
		return yes;
	yes = emit_near(code, yes);
	no = emit_near(code, no);
	return emit(code, BPF_JMP | op | BPF_K, code->len - yes,
	    code->len - no, k);
}

/* An instruction that does not jump; it continues at next. */
static size_t
emit_before(struct code *code, uint16_t op, uint32_t k, size_t next)
{
	if (next != code->len)
		emit_far_jump(code, next);
	return emit(code, op, 0, 0, k);
}

static uint32_t
arg_offset(unsigned int arg)
{
	size_t offset = offsetof(struct seccomp_data, args) +
	    arg * sizeof(uint64_t);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	offset += sizeof(uint32_t);
#endif
	return (uint32_t)offset;
}

/*
 * Where to continue at a place for which the condition has loaded the argument.
 */
static size_t
place_loaded(
    const struct code *code, size_t place, const struct condition *c)
{
	const struct sock_filter *insn = code_at(code, place);

	if (insn->code != (BPF_LD | BPF_W | BPF_ABS) ||
	    insn->k != arg_offset(c->arg))
		return place;
	if (c->mask == UINT32_MAX)
		return place - 1;
	insn = code_at(code, place - 1);
	return insn->code == (BPF_ALU | BPF_AND | BPF_K) &&
	        insn->k == c->mask ?
	    place - 2 : place;
}

static size_t
emit_condition(
    struct code *code, const struct condition *c, size_t yes, size_t no)
{
	size_t place = place_loaded(code, no, c);
	size_t i;

	yes = place_loaded(code, yes, c);
	for (i = c->nvalues; i > 0; i--)
		place = emit_jump(
		    code, BPF_JEQ, c->values[i - 1], yes, place);
	if (c->mask != UINT32_MAX)
		place = emit_before(
		    code, BPF_ALU | BPF_AND | BPF_K, c->mask, place);
	return emit_before(
	    code, BPF_LD | BPF_W | BPF_ABS, arg_offset(c->arg), place);
}

/* If the rule does not match, continues at next. */
static size_t
emit_rule(struct code *code, const struct rule *rule, size_t next)
{
	size_t place = emit_return(code, rule->action);
	size_t i;

	for (i = rule->nconditions; i > 0; i--)
		place = emit_condition(
		    code, &rule->conditions[i - 1], place, next);
	return place;
}

/* Emits the action for the calls of one range. */
static size_t
emit_range(
    struct code *code, const struct list *list, const struct range *range)
{
	size_t place, i;

	if (range->nr == -1)
		return emit_return(code, range->action);
	place = emit_return(code, list->fallback);
	for (i = list->nrules; i > 0; i--)
		if (list->rules[i - 1].nr == range->nr)
			place = emit_rule(code, &list->rules[i - 1], place);
	return place;
}

/* A binary search over the ranges; the accumulator holds the call number. */
static size_t
emit_search(struct code *code, const struct list *list,
    const struct range *ranges, size_t n)
{
	size_t half = n / 2;
	size_t lower, upper;

	if (n == 1)
		return emit_range(code, list, &ranges[0]);
	upper = emit_search(code, list, ranges + half, n - half);
	lower = emit_search(code, list, ranges, half);
	return emit_jump(code, BPF_JGE, ranges[half].first, upper, lower);
}

/* Returns the first rule of a call number from this one on, or NULL. */
static const struct rule *
rule_find(const struct list *list, size_t from, int nr)
{
	size_t i;

	for (i = from; i < list->nrules; i++)
		if (list->rules[i].nr == nr)
			return &list->rules[i];
	return NULL;
}

/* Unused members of a rule are 0. */
static int
rule_is_alike(const struct rule *a, const struct rule *b)
{
	return a->action == b->action && a->nconditions == b->nconditions &&
	    memcmp(a->conditions, b->conditions, sizeof(a->conditions)) == 0;
}

/* Whether both lists have identical rules for a call number. */
static int
lists_agree(const struct list *a, const struct list *b, int nr)
{
	const struct rule *x = rule_find(a, 0, nr);
	const struct rule *y = rule_find(b, 0, nr);

	while (x != NULL && y != NULL && rule_is_alike(x, y)) {
		x = rule_find(a, (size_t)(x - a->rules) + 1, nr);
		y = rule_find(b, (size_t)(y - b->rules) + 1, nr);
	}
	return x == NULL && y == NULL && a->fallback == b->fallback;
}

static struct range
range_of(const struct list *list, int nr)
{
	struct range range = { (uint32_t)nr, -1, list->fallback };
	const struct rule *rule = rule_find(list, 0, nr);

	if (list->before != NULL && lists_agree(list, list->before, nr))
		range.action = SECCOMP_RET_ALLOW;
	else if (rule != NULL && rule->nconditions == 0)
		range.action = rule->action;
	else if (rule != NULL)
		range.nr = nr;
	return range;
}

/* Adds a range unless it only extends the previous one. */
static size_t
range_add(struct range *ranges, size_t n, struct range range)
{
	if (n > 0 && range.nr == -1 && ranges[n - 1].nr == -1 &&
	    ranges[n - 1].action == range.action)
		return n;
	ranges[n] = range;
	return n + 1;
}

/* Above the numbers of all calls on every architecture of Linux. */
#define COMPILE_NUMBERS 8192
#define COMPILE_X32 0x40000000u

static size_t
ranges_make(const struct list *list, struct range *ranges)
{
	size_t n = 0;
	int nr;

	for (nr = 0; nr < COMPILE_NUMBERS; nr++)
		n = range_add(ranges, n, range_of(list, nr));
	if (seccomp_arch_native() == SCMP_ARCH_X86_64) {
		n = range_add(ranges, n, (struct range){ COMPILE_X32, -1,
		    SECCOMP_RET_KILL_PROCESS });
		/* -1 has the bit, too, but is an error, not an x32 call. */
		n = range_add(ranges, n,
		    (struct range){ UINT32_MAX, -1, list->fallback });
	}
	return n;
}

static void
program_make(struct code *code, const struct list *list)
{
	static struct range ranges[COMPILE_NUMBERS + 2];
	size_t n = ranges_make(list, ranges);
	size_t place = emit_search(code, list, ranges, n);

	place = emit_before(code, BPF_LD | BPF_W | BPF_ABS,
	    offsetof(struct seccomp_data, nr), place);
	place = emit_jump(code, BPF_JEQ, seccomp_arch_native(), place,
	    emit_return(code, SECCOMP_RET_KILL_PROCESS));
	emit_before(code, BPF_LD | BPF_W | BPF_ABS,
	    offsetof(struct seccomp_data, arch), place);
}

static void
program_print(const struct code *code, const char *name)
{
	const struct sock_filter *insn;
	size_t place;

	printf("/* Made by seccomp_compile: change the list, not this. */\n");
	printf("#include <linux/filter.h>\n\n");
	printf("static const struct sock_filter %s[] = {\n", name);
	for (place = code->len; place > 0; place--) {
		insn = code_at(code, place);
		printf("\t{ 0x%02x, %u, %u, 0x%08x },\n", insn->code,
		    insn->jt, insn->jf, insn->k);
	}
	printf("};\n");
}

int
main(int argc, char **argv)
{
	static struct list list, before;
	static struct code code;

	if (argc != 3 && argc != 4) {
		fprintf(stderr,
		    "usage: seccomp_compile NAME LIST.rules [BEFORE.rules]\n");
		return 2;
	}
	list.path = argv[2];
	list_read(&list);
	if (argc == 4) {
		before.path = argv[3];
		list_read(&before);
		list.before = &before;
	}
	program_make(&code, &list);
	program_print(&code, argv[1]);
	return fflush(stdout) == 0 ? 0 : 1;
}
