/*
 * The compiler of system call lists for containers: a build-time tool, never
 * installed, run by no process of Caisson. It reads a list (seccomp_list.h) and
 * prints a seccomp profile as JSON, which podman, docker, crun and runc accept.
 *
 *	seccomp_oci LIST.rules > PROFILE.json
 *
 * In a profile the order of rules has no meaning, while the first matching
 * rule of a list decides. So of a call with conditions a list may only say when
 * it is allowed: each combination of their values is a rule, and what remains
 * fails with the default error, not with EPERM. Only the lower 32 bits are
 * compared, as in the program of seccomp_compile.
 *
 * docker before version 23 ignores "defaultErrnoRet": a call that is not named
 * fails with EPERM there. Calls without which programs only go on if they are
 * unknown are named, therefore.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seccomp_list.h"

#define OCI_REFUSE (SECCOMP_RET_ERRNO | EPERM)

/* Printing */

/* Begins the next rule of the profile. */
static void
oci_begin(void)
{
	static int rules;

	printf("%s\n{\"names\":[", rules++ == 0 ? "" : ",");
}

static const char *
oci_architecture(void)
{
	switch (seccomp_arch_native()) {
	case SCMP_ARCH_X86_64:
		return "SCMP_ARCH_X86_64";
	case SCMP_ARCH_AARCH64:
		return "SCMP_ARCH_AARCH64";
	case SCMP_ARCH_RISCV64:
		return "SCMP_ARCH_RISCV64";
	case SCMP_ARCH_S390X:
		return "SCMP_ARCH_S390X";
	case SCMP_ARCH_PPC64LE:
		return "SCMP_ARCH_PPC64LE";
	default:
		fprintf(stderr, "seccomp_oci: add this architecture\n");
		exit(1);
	}
}

static void __attribute__((noreturn))
oci_fail(const struct rule *rule, const char *why)
{
	fprintf(stderr, "line %d: %s in a profile\n", rule->line, why);
	exit(1);
}

static void
oci_print_action(uint32_t action)
{
	if (action == SECCOMP_RET_ALLOW)
		printf("\"action\":\"SCMP_ACT_ALLOW\"");
	else
		printf("\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":%u",
		    action & SECCOMP_RET_DATA);
}

static void
oci_print_name(int nr)
{
	char *name =
	    seccomp_syscall_resolve_num_arch(seccomp_arch_native(), nr);

	if (name == NULL) {
		fprintf(stderr, "system call %d has no name\n", nr);
		exit(1);
	}
	printf("\"%s\"", name);
	free(name);
}

/* Prints one combination of values: which is the number of that. */
static void
oci_print_values(const struct rule *rule, size_t which)
{
	const struct condition *c = rule->conditions;
	const char *before = "";

	oci_begin();
	oci_print_name(rule->nr);
	printf("],");
	oci_print_action(rule->action);
	printf(",\"args\":[");
	for (; c < rule->conditions + rule->nconditions; c++) {
		if (c->mask != 0) {
			printf("%s{\"index\":%u,\"value\":%u,"
			    "\"valueTwo\":%u,\"op\":\"SCMP_CMP_MASKED_EQ\"}",
			    before, c->arg, c->mask,
			    c->values[which % c->nvalues]);
			before = ",";
		}
		which /= c->nvalues;
	}
	printf("]}");
}

/* Whether a rule holds for all arguments. */
static int
oci_is_last(const struct rule *rule)
{
	size_t i;

	for (i = 0; i < rule->nconditions; i++)
		if (rule->conditions[i].mask != 0)
			return 0;
	return 1;
}

static void
oci_print_call(const struct list *list, const struct rule *rule)
{
	size_t all, i;

	for (; rule != NULL && !oci_is_last(rule); rule = seccomp_list_find(
	         list, (size_t)(rule - list->rules) + 1, rule->nr)) {
		if (rule->action != SECCOMP_RET_ALLOW)
			oci_fail(rule, "a condition may only allow");
		for (all = 1, i = 0; i < rule->nconditions; i++)
			all *= rule->conditions[i].nvalues;
		for (i = 0; i < all; i++)
			oci_print_values(rule, i);
	}
	if (rule != NULL && rule->action == SECCOMP_RET_ALLOW)
		oci_print_values(rule, 0);
	else if (rule != NULL && rule->action != OCI_REFUSE)
		oci_fail(rule, "what remains may only be refused");
}

/* Returns the next call with this action and no condition, or NULL. */
static const struct rule *
oci_next_plain(const struct list *list, size_t from, uint32_t action)
{
	const struct rule *rule;
	size_t i;

	for (i = from; i < list->nrules; i++) {
		rule = &list->rules[i];
		if (rule->action == action && rule->nconditions == 0 &&
		    seccomp_list_find(list, 0, rule->nr) == rule)
			return rule;
	}
	return NULL;
}

static void
oci_print_plain(const struct list *list, uint32_t action)
{
	const struct rule *rule = oci_next_plain(list, 0, action);

	if (rule == NULL)
		return;
	oci_begin();
	oci_print_name(rule->nr);
	while ((rule = oci_next_plain(list,
	            (size_t)(rule - list->rules) + 1, action)) != NULL) {
		printf(",");
		oci_print_name(rule->nr);
	}
	printf("],");
	oci_print_action(action);
	printf("}");
}

/* The C library makes a process by clone only where clone3 is unknown. */
static void
oci_print_unknown(const struct list *list)
{
	static const char name[] = "clone3";

	if (seccomp_list_find(list, 0, seccomp_syscall_resolve_name(name)) !=
	    NULL)
		return;
	oci_begin();
	printf("\"%s\"],", name);
	oci_print_action(SECCOMP_RET_ERRNO | ENOSYS);
	printf("}");
}

static void
oci_print(const struct list *list)
{
	static const uint32_t actions[] = { SECCOMP_RET_ALLOW,
		SECCOMP_RET_ERRNO, OCI_REFUSE,
		SECCOMP_RET_ERRNO | EOPNOTSUPP, SECCOMP_RET_ERRNO | EINVAL };
	size_t i;

	printf("{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":%u,"
	    "\n\"architectures\":[\"%s\"],\n\"syscalls\":[",
	    list->fallback & SECCOMP_RET_DATA, oci_architecture());
	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		oci_print_plain(list, actions[i]);
	oci_print_unknown(list);
	for (i = 0; i < list->nrules; i++)
		if (list->rules[i].nconditions > 0 &&
		    seccomp_list_find(list, 0, list->rules[i].nr) ==
		        &list->rules[i])
			oci_print_call(list, &list->rules[i]);
	printf("]}\n");
}

int
main(int argc, char **argv)
{
	static struct list list;

	if (argc != 2) {
		fprintf(stderr, "usage: seccomp_oci LIST.rules\n");
		return 2;
	}
	list.path = argv[1];
	seccomp_list_read(&list);
	if (list.fallback == SECCOMP_RET_ALLOW) {
		fprintf(stderr, "%s: the default must be an error\n",
		    list.path);
		return 1;
	}
	oci_print(&list);
	return fflush(stdout) == 0 ? 0 : 1;
}
