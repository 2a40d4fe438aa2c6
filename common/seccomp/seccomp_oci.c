/*
 * The compiler of system call lists for containers: a build-time tool, never
 * installed, run by no process of Caisson. It reads a list (seccomp_list.h) and
 * prints a seccomp profile as JSON, which podman, docker, crun and runc accept.
 *
 *	seccomp_oci LIST.rules > PROFILE.json
 *
 * In a profile the order of rules has no meaning, while the first matching rule
 * of a list decides. So the rules of a call are printed as disjoint cubes: a
 * cube has, for each argument, bits that are compared and their values. Only
 * the lower 32 bits are ever compared, as in the program of seccomp_compile.
 *
 * Where arguments decide, "refuse" fails with the default error, not with
 * EPERM. To tell both apart takes a cube for each bit of each argument, which
 * an engine would compile for 30 ms at each start of a container.
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

#define OCI_ARGS 6
/* Cubes of one call: far above the calls with the most values. */
#define OCI_CUBES_MAX 4096

#define OCI_REFUSE (SECCOMP_RET_ERRNO | EPERM)

struct cube {
	uint32_t mask[OCI_ARGS];
	uint32_t value[OCI_ARGS];
};

struct cubes {
	struct cube cubes[OCI_CUBES_MAX];
	size_t n;
};

static void
cubes_add(struct cubes *cubes, const struct cube *cube)
{
	if (cubes->n == OCI_CUBES_MAX) {
		fprintf(stderr, "a call has too many conditions\n");
		exit(1);
	}
	cubes->cubes[cubes->n++] = *cube;
}

/* Adds to *into what from requires. Returns whether both can hold at once. */
static int
cube_intersect(struct cube *into, const struct cube *from)
{
	size_t arg;

	for (arg = 0; arg < OCI_ARGS; arg++) {
		if (((into->value[arg] ^ from->value[arg]) & into->mask[arg] &
		        from->mask[arg]) != 0)
			return 0;
		into->mask[arg] |= from->mask[arg];
		into->value[arg] |= from->value[arg];
	}
	return 1;
}

/*
 * Adds the parts of whole in which part does not hold: for each bit that part
 * compares in addition, the cube with the other value of that bit.
 */
static void
cubes_add_rest(
    struct cubes *rest, const struct cube *whole, const struct cube *part)
{
	struct cube left = *whole, other;
	uint32_t bit;
	size_t arg;

	for (arg = 0; arg < OCI_ARGS; arg++)
		for (bit = 1U << 31; bit != 0; bit >>= 1) {
			if ((part->mask[arg] & ~left.mask[arg] & bit) == 0)
				continue;
			left.mask[arg] |= bit;
			other = left;
			left.value[arg] |= part->value[arg] & bit;
			other.value[arg] |= ~part->value[arg] & bit;
			cubes_add(rest, &other);
		}
}

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

static void
oci_print_cube(int nr, uint32_t action, const struct cube *cube)
{
	const char *before = "";
	size_t arg;

	oci_begin();
	oci_print_name(nr);
	printf("],");
	oci_print_action(action);
	printf(",\"args\":[");
	for (arg = 0; arg < OCI_ARGS; arg++) {
		if (cube->mask[arg] == 0)
			continue;
		printf("%s{\"index\":%zu,\"value\":%u,\"valueTwo\":%u,"
		    "\"op\":\"SCMP_CMP_MASKED_EQ\"}", before, arg,
		    cube->mask[arg], cube->value[arg]);
		before = ",";
	}
	printf("]}");
}

/*
 * Prints what the call does in part, unless it is refused; the rest of the
 * regions is left.
 */
static void
oci_decide(struct cubes *regions, const struct rule *rule,
    const struct cube *part)
{
	static struct cubes rest;
	struct cube both;
	size_t i;

	rest.n = 0;
	for (i = 0; i < regions->n; i++) {
		both = regions->cubes[i];
		if (!cube_intersect(&both, part)) {
			cubes_add(&rest, &regions->cubes[i]);
			continue;
		}
		if (rule->action != OCI_REFUSE)
			oci_print_cube(rule->nr, rule->action, &both);
		cubes_add_rest(&rest, &regions->cubes[i], &both);
	}
	*regions = rest;
}

/* The same for each combination of the values of its conditions from i on. */
static void
oci_decide_all(struct cubes *regions, const struct rule *rule, size_t i,
    const struct cube *part)
{
	const struct condition *c = &rule->conditions[i];
	struct cube one, both;
	size_t k;

	if (i == rule->nconditions) {
		oci_decide(regions, rule, part);
		return;
	}
	for (k = 0; k < c->nvalues; k++) {
		one = (struct cube){ 0 };
		one.mask[c->arg] = c->mask;
		one.value[c->arg] = c->values[k];
		both = *part;
		if (cube_intersect(&both, &one))
			oci_decide_all(regions, rule, i + 1, &both);
	}
}

/* Prints a call that has conditions; its last rule may have none. */
static void
oci_print_call(const struct list *list, const struct rule *rule)
{
	static struct cubes regions;
	const struct cube all = { 0 };
	int nr = rule->nr;

	regions.n = 0;
	cubes_add(&regions, &all);
	while (rule != NULL && regions.n > 0) {
		oci_decide_all(&regions, rule, 0, &all);
		rule = seccomp_list_find(
		    list, (size_t)(rule - list->rules) + 1, nr);
	}
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
		SECCOMP_RET_ERRNO | EOPNOTSUPP };
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
