/*
 * The compiler of system call lists: a build-time tool, never installed, run by
 * no process of Caisson. It reads a list (seccomp_list.h) and prints a C header
 * with a BPF program, so that nothing is computed when a box starts.
 *
 *	seccomp_compile NAME LIST.rules > NAME.h
 *
 * libseccomp provides the numbers of the calls. It does not generate the
 * program, because it cannot express "this call with these arguments, else
 * EPERM" with ENOSYS for unknown calls.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seccomp_list.h"

/*
 * A program has at most BPF_MAXINSNS instructions; a conditional jump reaches
 * 255.
 */
#define COMPILE_JUMP_MAX 255

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
place_loaded(const struct code *code, size_t place, const struct condition *c)
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
		place = emit_jump(code, BPF_JEQ, c->values[i - 1], yes, place);
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

/*
 * Halves the ranges of numbers; one number between two that are alike takes one
 * comparison. The accumulator holds the number of the call.
 */
static size_t
emit_search(struct code *code, const struct list *list,
    const struct range *ranges, size_t n)
{
	size_t half = n / 2, upper, lower;

	if (n == 1)
		return emit_range(code, list, ranges);
	if (n == 3 && ranges[0].nr == -1 && ranges[2].nr == -1 &&
	    ranges[0].action == ranges[2].action &&
	    ranges[2].first == ranges[1].first + 1) {
		lower = emit_range(code, list, &ranges[0]);
		upper = emit_range(code, list, &ranges[1]);
		return emit_jump(code, BPF_JEQ, ranges[1].first, upper, lower);
	}
	upper = emit_search(code, list, ranges + half, n - half);
	lower = emit_search(code, list, ranges, half);
	return emit_jump(code, BPF_JGE, ranges[half].first, upper, lower);
}

static struct range
range_of(const struct list *list, int nr)
{
	struct range range = { (uint32_t)nr, -1, list->fallback };
	const struct rule *rule = seccomp_list_find(list, 0, nr);

	if (rule != NULL && rule->nconditions == 0)
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
	static struct list list;
	static struct code code;

	if (argc != 3) {
		fprintf(stderr, "usage: seccomp_compile NAME LIST.rules\n");
		return 2;
	}
	list.path = argv[2];
	seccomp_list_read(&list);
	program_make(&code, &list);
	program_print(&code, argv[1]);
	return fflush(stdout) == 0 ? 0 : 1;
}
