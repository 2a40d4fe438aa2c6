/*
 * What a compiled list of system calls says of a call, without making it: an
 * interpreter of the few BPF instructions that common/seccomp/seccomp_compile
 * and libseccomp use.
 */
#ifndef TESTS_UNIT_BPF_H
#define TESTS_UNIT_BPF_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/unit/unit.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#define FOREIGN_ARCH AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#define FOREIGN_ARCH AUDIT_ARCH_ARM
#endif

/* The arguments that filters have looked at since this was 0, as bits. */
static unsigned int bpf_looked_at;

static inline void
bpf_note_argument(uint32_t offset)
{
	const uint32_t args = offsetof(struct seccomp_data, args);

	if (offset >= args)
		bpf_looked_at |= 1U << (offset - args) / sizeof(uint64_t);
}

/* The verdict of a filter of len instructions. */
static inline uint32_t
bpf_judge(const struct sock_filter *filter, size_t len,
    const struct seccomp_data *data)
{
	const struct sock_filter *i = filter;
	uint32_t a = 0;

	for (;; i++) {
		if (i >= filter + len)
			ck_abort_msg("the program runs over its end");
		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)data + i->k, sizeof(a));
			bpf_note_argument(i->k);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= i->k;
			break;
		case BPF_JMP | BPF_JA:
			i += i->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			i += a == i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			i += a > i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			i += a >= i->k ? i->jt : i->jf;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		default:
			ck_abort_msg("instruction 0x%x", i->code);
		}
	}
}

#endif
